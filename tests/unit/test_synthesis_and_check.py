from collections.abc import Sequence
from typing import Any

import pytest

from nodes.check import joint_certainty, judge, support, type_problems
from nodes.synthesize import citations, known_citations, nearest_sentence
from prompts.answer import Evidence
from stores.records import Passage
from tests.fakes import FakeReader


def evidence(ids: list[str], text: str = "Ada was born in London. She liked horses.") -> Evidence:
    return Evidence(ids=ids, passage_id="p", document_id="d", title="Ada", text=text, compressed=False, score=1.0)


def test_marks_are_split_checked_and_tidied() -> None:
    text, cited, unknown = known_citations(
        "Born in London [n1.1, n8.1] . Fond of horses [n8.2].", [evidence(["n1.1", "n0.2"])]
    )
    assert text == "Born in London [n1.1]. Fond of horses."
    assert cited == ["n1.1"]
    assert unknown == ["n8.1", "n8.2"]


def test_brackets_that_are_no_citations_stay() -> None:
    assert known_citations("An array [1, 2] and [sic].", [])[0] == "An array [1, 2] and [sic]."


def test_any_id_of_a_passage_is_a_citation_of_it() -> None:
    cited = citations("She liked horses [n0.2].", ["n0.2"], [evidence(["n1.1", "n0.2"])])
    assert (cited[0]["id"], cited[0]["text"]) == ("n0.2", "She liked horses.")


def test_the_nearest_sentence_is_quoted() -> None:
    assert (
        nearest_sentence("Ada's place of birth was London", "She rode. Ada was born in London.")
        == "Ada was born in London."
    )


@pytest.mark.parametrize(
    ("question", "answer", "fine"),
    [
        ("How many moons has Mars?", "two", True),
        ("How many moons has Mars?", "Phobos", False),
        ("When was Ada born?", "10 December 1815", True),
        ("When was Ada born?", "London", False),
        ("Were Ada and Charles of the same nationality?", "yes", True),
        ("Were Ada and Charles of the same nationality?", "British", False),
        ("Which is longer, the Danube or the Rhine?", "Danube", True),
        ("Which is longer, the Danube or the Rhine?", "the Elbe", False),
        ("Who wrote Dune?", "", False),
        ("Who wrote Dune?", "Frank Herbert", True),
    ],
)
def test_an_answer_of_the_wrong_type_is_noticed(question: str, answer: str, fine: bool) -> None:
    assert (type_problems(question, answer) == []) == fine


def state(**changes: Any) -> Any:
    whole = {
        "question": "Where was Ada born?",
        "answer": "London",
        "hops": {},
        "plan_graph": {"nodes": []},
        "fallbacks": [],
        "explanation": "Ada was born in London [n1.1].",
        "evidence": [evidence(["n1.1"])],
        "citations": [{"id": "n1.1", "document_id": "d", "title": "Ada", "text": ""}],
    }
    return {**whole, **changes}


def test_a_supported_answer_passes() -> None:
    found, confidence = judge(state(), FakeReader(supported=0.8))
    assert found == {"supported": True, "unsupported": [], "problems": []}
    assert confidence == 0.8


def test_an_unsupported_sentence_is_quoted() -> None:
    found, _ = judge(state(), FakeReader(supported=0.01))
    assert found["supported"] is False
    assert found["unsupported"] == ["Ada was born in London [n1.1]."]


def test_an_answer_without_citations_is_not_supported() -> None:
    found, confidence = judge(state(citations=[]), FakeReader(supported=0.99))
    assert found["supported"] is False
    assert confidence == 0.0


def bound_at(certainty: float, **changes: Any) -> Any:
    """A plan of two hops whose second was searched with what the first one found, so certainly."""
    hop = {"id": "n2", "bound_query": "birthplace of Ada", "bindings": []}
    hop["bindings"] = [{"node": "n1", "text": "Ada", "probability": certainty}]
    nodes = [{"id": "n1", "query": "a"}, {"id": "n2", "query": "born <answer of n1>", "depends_on": ["n1"]}]
    found = [evidence(["n2.1"]), evidence(["n1.1"], "It was Ada.")]
    return state(plan_graph={"nodes": nodes}, hops={"n2": hop}, evidence=found, **changes)


def test_an_answer_is_as_sure_as_what_its_last_hop_was_bound_to() -> None:
    assert support(bound_at(0.25), FakeReader(supported=0.8)) == pytest.approx((0.8 + 0.8 * 0.5) / 2)


def test_the_last_hop_is_asked_of_what_it_was_read_in() -> None:
    asked = list[tuple[str, list[str]]]()

    class Asked(FakeReader):
        def support(self, question: str, answer: str, passages: Sequence[Passage]) -> float:
            asked.append((question, [passage["id"] for passage in passages]))
            return 0.5

    support(bound_at(0.25), Asked())
    assert asked == [("Where was Ada born?", ["n2.1", "n1.1"]), ("birthplace of Ada", ["n2.1"])]


def test_certainty_counts_the_best_candidate_of_each_placeholder() -> None:
    bindings = [
        {"node": "n1", "probability": 0.5},
        {"node": "n1", "probability": 0.4},
        {"node": "n2", "probability": 0.5},
    ]
    assert joint_certainty({"bindings": bindings}) == 0.25  # type: ignore[typeddict-item]
    assert joint_certainty({"bindings": []}) == 1.0  # type: ignore[typeddict-item]
