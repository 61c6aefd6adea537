"""The trained reader on a network that says what a test tells it, and the network's runtime on a file made by hand."""

import json
import math
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from models.embedder import DEFAULT_EMBEDDER, SHIPPED
from models.pages import open_pages
from models.question_view import view
from models.reader import EmbeddedReader
from models.reader_combining import Answer, ranked
from models.reader_inputs import windows
from models.reader_model import HEADS, Logits, ReaderModel
from models.reader_nbest import Reading, reading
from models.span_features import Scene
from models.trained_reader import FITTED, TrainedReader, load_reader
from stores.errors import ModelError
from stores.records import Passage
from tests.onnx_file import reader_onnx

TOKENIZER = Tokenizer.from_file(str(SHIPPED / DEFAULT_EMBEDDER / "tokenizer.json"))
TOKENIZER.no_padding()
TOKENIZER.no_truncation()
KINDS = ("span", "yes", "no", "none")
WEIGHTS = {
    "rank": {"n:log": 10.0, "t:log": 1.0},
    "answer": {"first:share": 1.0, "first:none": -1.0, "bias": -3.0},
    "judge": {"n:yes": 1.0},
    "support": {"span:read": 1.0, "judged": 1.0},
}


class Told(ReaderModel):
    """A network that reads `answer` wherever it stands, and says `kind` of windows that hold it, else none."""

    def __init__(self, answer: str, kind: str = "span") -> None:
        self.folder, self.weights = Path("told"), WEIGHTS
        self.answer, self.kind = answer, kind
        self.runs = 0
        self.lock = threading.Lock()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Logits]:
        with self.lock:
            self.runs += 1
        found = []
        for window in windows(TOKENIZER, question, passages):
            start, end, sentence = (np.full(len(window.ids), -8.0, np.float32) for _ in range(3))
            for at, piece in enumerate(window.pieces):
                if piece is None or not self.answer:
                    continue
                text = passages[piece.passage][piece.sentence >= 0]
                start[at] = 4.0 if text.startswith(self.answer, piece.start) else -8.0
                end[at] = 4.0 if text[: piece.end].endswith(self.answer) else -8.0
            held = self.kind if start.max() > 0 or self.kind in ("yes", "no") else "none"
            found.append(Logits(window, np.array([4.0 * (k == held) for k in KINDS], np.float32), start, end, sentence))
        return found


def passage(title: str, text: str) -> Passage:
    return Passage(id=f"id of {title}", document_id=title, title=title, text=text, metadata={})


CAFE = passage("Café Zürich", "The Café  Zürich was opened in 1862. Its first owner was José Àlvarez-Núñez.")
LEE = passage("Ann Lee", "Ann Lee (born 29 February 1736) was a preacher.")
LI = passage("Bo Li", "Bo Li (born 3 May 1911) was a chemist from Xi'an.")


def test_an_answer_is_cut_out_of_the_passage_as_it_is_written() -> None:
    best = TrainedReader(Told("José Àlvarez-Núñez")).read("Who was its owner?", [CAFE])[0]
    assert best["text"] == "José Àlvarez-Núñez"
    assert best["passage_id"] == CAFE["id"]
    assert best["sentence"] == "Its first owner was José Àlvarez-Núñez."


def test_an_answer_in_a_title_rests_on_the_opening_sentence() -> None:
    nameless = passage("Café Zürich", "It was opened in 1862. It has tables.")
    best = TrainedReader(Told("Café Zürich")).read("Which house has tables?", [nameless])[0]
    assert (best["text"], best["sentence"]) == ("Café Zürich", "It was opened in 1862.")


def test_one_answer_in_two_places_is_one_answer() -> None:
    passages = [("A", "Bo lives in Oslo. Ann too lives in oslo."), ("B", "Oslo is cold.")]
    read = reading(Told("Oslo").read("Where?", passages), passages)
    assert [one.key for one in read.spans].count("oslo") == 1
    once = [("A", "Bo lives in Oslo.")]
    assert read.spans[0].probability == pytest.approx(
        reading(Told("Oslo").read("?", once), once).spans[0].probability, 0.1
    )


def test_all_windows_share_one_certainty_and_those_without_an_answer_get_little_of_it() -> None:
    filler = "The weather was fine and nothing happened on that day. " * 40
    passages = [("A", filler), ("B", f"{filler} Bo lives in Oslo.")]
    made = Told("Oslo").read("Where does Bo live?", passages)
    read = reading(made, passages)
    assert len(made) > 1
    assert read.spans[0].text == "Oslo"
    assert read.spans[0].probability > 0.8
    assert sum(one.probability for one in read.spans) <= 1.001
    assert read.none < 0.1


def test_a_window_counts_by_its_odds_to_be_the_one_that_answers() -> None:
    passages = [("A", "Bo lives in Oslo."), ("B", "Ann lives in Rome.")]
    made = [Told(place).read("Where?", [one])[0] for place, one in zip(("Oslo", "Rome"), passages, strict=True)]
    sure, unsure = (np.log(np.array([p, 1e-6, 1e-6, 1 - p], np.float32)) for p in (0.9, 0.6))
    second = replace(made[1].window, pieces=[p and p._replace(passage=1) for p in made[1].window.pieces], marks=[])
    read = reading([replace(made[0], kind=sure), replace(made[1], kind=unsure, window=second)], passages)
    odds = [0.9 / 0.1, 0.6 / 0.4]
    told = {one.text: one.probability for one in read.spans}
    assert told["Oslo"] / told["Rome"] == pytest.approx(odds[0] / odds[1], rel=0.01)


def test_a_span_never_holds_half_a_word_nor_two_sentences() -> None:
    passages = [("Xi'an", "Unbelievable things happened. Then they stopped.")]
    made = Told("").read("What?", passages)[0]
    flat = Logits(made.window, made.kind, *(np.zeros_like(made.start) for _ in range(3)))
    spans = reading([flat], passages).spans
    words = {*re.findall(r"\w+", " ".join(passages[0]))}
    assert spans
    assert all(words.issuperset(re.findall(r"\w+", one.text)) for one in spans)
    assert not any("happened. Then" in one.text for one in spans)


def test_what_cannot_be_of_the_asked_kind_is_no_answer() -> None:
    texts = [one["text"] for one in TrainedReader(Told("1862")).read("In which city was it opened?", [CAFE])]
    assert texts
    assert "1862" not in texts


def test_probabilities_fall_and_are_together_at_most_one() -> None:
    read = TrainedReader(Told("preacher")).read("What was Ann Lee?", [LEE, LI, CAFE], limit=20)
    probabilities = [one["probability"] for one in read]
    assert len(read) == len({one["text"].lower() for one in read}) > 5
    assert probabilities == sorted(probabilities, reverse=True)
    assert sum(probabilities) <= 1.001


def test_spellings_of_one_place_stand_together_against_another_place() -> None:
    page = passage("Ann Lee", "Ann Lee was born in Oak Park, Illinois, near Chicago.")
    scene = Scene(view("Where was Ann Lee born?"), open_pages([page]))
    said = {"chicago": 0.4, "oak park illinois": 0.35, "oak park": 0.2}
    found = [Answer(key.title(), key, 0, 0, (("n:log", math.log(p)),)) for key, p in said.items()]
    read = Reading((), 0.9, 0.0, 0.0, 0.1, {})
    order = [one.answer.key for one in ranked(found, read, scene, {"n:log": 1.0})]
    assert order == ["oak park illinois", "chicago", "oak park"]


def test_it_is_less_sure_where_the_network_says_that_nothing_answers() -> None:
    question = "What was Ann Lee?"
    sure, unsure = (TrainedReader(Told("preacher", kind)).read(question, [LEE])[0] for kind in ("span", "none"))
    assert sure["probability"] > unsure["probability"]


@pytest.mark.parametrize("told", ["yes", "no"])
def test_yes_and_no_are_the_networks(told: str) -> None:
    reader = TrainedReader(Told("", told))
    assert reader.read("Was Ann Lee a preacher?", [LEE])[0]["text"] == told
    assert reader.judge("Ann Lee was a preacher.", [LEE])["text"] == told


def test_what_can_be_computed_outweighs_what_the_network_reads() -> None:
    read = TrainedReader(Told("Bo Li")).read("Who was born first, Ann Lee or Bo Li?", [LEE, LI])
    assert [one["text"] for one in read] == ["Ann Lee", "Bo Li"]


def test_an_answer_that_it_reads_is_supported_and_another_is_not() -> None:
    reader = TrainedReader(Told("preacher"))
    right = reader.support("What was Ann Lee?", "preacher", [LEE])
    assert right > 0.5 > reader.support("What was Ann Lee?", "chemist", [LEE])
    assert reader.support("What was Ann Lee?", "", [LEE]) == 0.0
    assert reader.support("What was Ann Lee?", "preacher", []) == 0.0


def test_a_question_is_read_once_whoever_asks() -> None:
    model = Told("preacher")
    reader = TrainedReader(model)
    first = reader.read("What was Ann Lee?", [LEE, LI])
    first[0]["text"] = "spoilt"
    assert reader.read("What was Ann Lee?", [LEE, LI], limit=1)[0]["text"] == "preacher"
    reader.support("What was Ann Lee?", "preacher", [LEE, LI])
    assert model.runs == 1
    reader.read("What was Ann Lee?", [LI, LEE])
    assert model.runs == 2
    reader.forget()
    reader.read("What was Ann Lee?", [LI, LEE])
    assert model.runs == 3


@pytest.mark.parametrize("passages", [[], [passage("", "")], [passage("Empty", "   ")]])
def test_nothing_is_read_in_nothing(passages: list[Passage]) -> None:
    reader = TrainedReader(Told("x"))
    assert reader.read("Who was it?", passages) == []
    assert reader.judge("It was Bo.", passages)["probability"] == 0.5


def test_a_question_without_words_is_answered_by_nothing() -> None:
    assert TrainedReader(Told("preacher")).read("", [LEE]) == []


def folder_with(tmp_path: Path, **changes: Any) -> Path:
    description = {"heads": HEADS, "max_tokens": 384, "weights": WEIGHTS, **changes}
    (tmp_path / "reader.json").write_text(json.dumps(description))
    (tmp_path / "model.onnx").write_bytes(reader_onnx())
    return tmp_path


def test_the_network_gets_each_window_and_gives_a_logit_for_each_token(tmp_path: Path) -> None:
    model = ReaderModel(folder_with(tmp_path))
    made = model.read("Who?", [("A", "one two. " * 200), ("B \ud800", "three.")])
    assert len(made) > 1
    for one in made:
        ids = np.array(one.window.ids, np.float32)
        assert one.start.tolist() == ids.tolist()
        assert one.end.tolist() == (-ids).tolist()
        assert one.sentence.tolist() == [1.0] * len(ids)
        assert one.kind == pytest.approx([ids.mean()] * 4)


def test_threads_that_come_at_once_read_the_same(tmp_path: Path) -> None:
    reader = TrainedReader(ReaderModel(folder_with(tmp_path)))
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda _: reader.read("What was Ann Lee?", [LEE, LI]), range(16)))
    assert all(one == read[0] for one in read)


def test_windows_are_no_longer_than_the_network_takes(tmp_path: Path) -> None:
    made = ReaderModel(folder_with(tmp_path, max_tokens=64)).read("Who?", [("A", "one two. " * 200)])
    assert max(len(one.window.ids) for one in made) <= 64


@pytest.mark.parametrize(
    ("changes", "problem"),
    [({"heads": ["start"]}, "its heads are"), ({"weights": None, "max_tokens": "x"}, "no usable model")],
)
def test_a_folder_that_is_no_reader_is_refused(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ModelError, match=problem):
        ReaderModel(folder_with(tmp_path, **changes))


def test_a_missing_folder_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="'rules'"):
        ReaderModel(tmp_path / "nowhere")


def test_a_broken_network_is_named_when_it_is_first_needed(tmp_path: Path) -> None:
    model = ReaderModel(folder_with(tmp_path))
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        model.read("Who?", [("A", "b")])


def test_a_network_on_which_nothing_was_fitted_is_refused(tmp_path: Path) -> None:
    model = ReaderModel(folder_with(tmp_path, weights={"rank": {}}))
    with pytest.raises(ModelError, match="lacks the weights answer, judge, support"):
        TrainedReader(model)
    assert TrainedReader(model, {name: {} for name in FITTED}).name == "trained"


def test_readers_go_by_their_names() -> None:
    assert isinstance(load_reader("rules"), EmbeddedReader)
