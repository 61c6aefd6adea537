from collections.abc import Sequence
from typing import Any

from models.bound_reading import read_bound, runners_up, ways
from models.reader import Candidate
from stores.records import Passage
from tests.fakes import FakeReader


def bound(text: str, probability: float, node: str = "n1") -> dict[str, Any]:
    return {"text": text, "probability": probability, "node": node, "passage_id": "p", "sentence": ""}


def passage(text: str) -> Passage:
    return Passage(id=text, document_id="d", title="", text=text, metadata={})


QUERY = "How many episodes are in season 5 of {n1}?"
TORN = [bound("pilot episode", 0.48), bound("Ray Donovan", 0.46), bound("pilot", 0.06)]


def test_only_what_comes_close_to_the_best_binding_is_tried_beside_it() -> None:
    assert [one["text"] for one in runners_up(QUERY, TORN)] == ["Ray Donovan"]
    assert runners_up(QUERY, [bound("Ray Donovan", 0.9), bound("pilot", 0.4)]) == []
    assert runners_up("Is {n1} larger than {n2}?", [bound("A", 0.5), bound("B", 0.5, "n2")]) == []


def test_each_way_is_read_in_the_passages_that_name_it() -> None:
    passages = [passage("A pilot episode is the first."), passage("Ray Donovan has 12."), passage("Other.")]
    best, other = ways(QUERY, "How many episodes are in season 5 of pilot episode?", TORN, passages, 2)
    assert (best.query, best.passages, best.share) == (
        "How many episodes are in season 5 of pilot episode?",
        passages[:1],
        1.0,
    )
    assert (other.query, other.passages) == ("How many episodes are in season 5 of Ray Donovan?", passages[1:2])
    assert other.share == (0.46 / 0.48) ** 0.5


def test_the_binding_under_which_an_answer_is_found_wins() -> None:
    class Episodes(FakeReader):
        def read(self, question: str, passages: Sequence[Passage], *, limit: int = 5) -> list[Candidate]:
            told = ("12", 0.9) if "Ray" in question else ("26", 0.4)
            return [Candidate(text=told[0], probability=told[1], passage_id="p", sentence="")]

    found = ways(QUERY, "How many episodes are in season 5 of pilot episode?", TORN, [passage("x")], 2)
    assert [one["text"] for one in read_bound(Episodes(), found)] == ["12", "26"]
    assert [one["text"] for one in read_bound(Episodes(), found[:1])] == ["26"]


def test_an_answer_of_both_ways_stands_once() -> None:
    class Sure(FakeReader):
        def read(self, question: str, passages: Sequence[Passage], *, limit: int = 5) -> list[Candidate]:
            return [Candidate(text="12", probability=0.5, passage_id="p", sentence="")]

    found = ways(QUERY, "How many episodes are in season 5 of pilot episode?", TORN, [passage("x")], 2)
    assert [(one["text"], one["probability"]) for one in read_bound(Sure(), found)] == [("12", 0.5)]
