"""Fitting the ranker: what is not LightGBM's own work."""

import json
from typing import Any

import numpy as np
import pytest

from models.ranker import from_splits, probability
from models.training.fit_ranker import calibration, figures, nested
from models.training.rank_card import card
from models.training.rank_corpora import read_training
from models.training.rank_rows import Asked, Rows, fold_of, recall, to_ask

VECTOR = np.ones(2, np.float32)


def rows(documents: list[str], gold: set[str], fold: int = 0) -> Rows:
    asked = Asked("toy", "pool-1", "Who?", frozenset(gold), VECTOR, fold)
    return Rows(asked, documents, np.arange(len(documents), dtype=np.float32)[:, None], np.zeros(len(documents)))


def test_a_dumped_tree_divides_fp32_features_as_it_was_fitted() -> None:
    at = 0.1  # as a double it lies between two fp32 numbers
    tree = {
        "split_feature": 0,
        "threshold": at,
        "left_child": {"leaf_value": -1.0},
        "right_child": {"leaf_value": 1.0},
    }
    trees = from_splits("a", [0.0], [nested(tree)])
    below, above = np.nextafter(np.float32(at), np.float32(0)), np.float32(at)
    assert float(below) <= at < float(above)
    assert trees.margins(np.array([[below], [above]], np.float32)).tolist() == [-1.0, 1.0]


def test_a_question_is_in_one_fold_however_it_is_spelt() -> None:
    assert fold_of("Who wrote it?") == fold_of("who wrote it")
    assert len({fold_of(f"Question {n}?") for n in range(50)}) > 1


def test_recall_counts_documents_once() -> None:
    found = rows(["a", "a", "x", "b"], {"a", "b"})
    scores = np.array([4.0, 3.0, 2.0, 1.0], np.float32)
    assert [recall(found, scores, k) for k in (1, 2, 3, None)] == [0.5, 0.5, 1.0, 1.0]


def test_figures_are_of_models_that_have_not_seen_the_question() -> None:
    class Model:
        def __init__(self, sign: int) -> None:
            self.sign = sign

        def predict(self, features: Any) -> Any:
            return self.sign * features[:, 0]

    told = figures([rows(["a", "b", "x"], {"x"}, fold=0), rows(["a", "b", "c"], {"c"}, fold=1)], [Model(1), Model(-1)])
    assert told == {
        "toy, hybrid, pool-1": {"questions": 2, "recall@2": 50.0, "recall@5": 100.0, "candidates": 100.0},
    }


def test_scores_become_probabilities_by_what_was_needed() -> None:
    class Model:
        def predict(self, features: Any, raw_score: bool) -> Any:
            return features[:, 0]

    def one(score: float, needed: int, of: int) -> Rows:
        labels = np.array([1.0] * needed + [0.0] * (of - needed))
        return rows(["a"] * of, {"a"})._replace(features=np.full((of, 1), score, np.float32), labels=labels)

    scale, shift = calibration([one(0.0, 1, 10), one(2.0, 9, 10)], [Model()])
    told = [float(probability(np.array([scale * score + shift]))[0]) for score in (0.0, 1.0, 2.0)]
    assert told == pytest.approx([0.1, 0.5, 0.9], abs=1e-3)


def test_written_trees_tell_calibrated_log_odds() -> None:
    leaf = {"leaf_value": 0.5}
    assert from_splits("a", [0.0], [nested(leaf, 3.0, 0.25)] * 2).margins(np.zeros((1, 1), np.float32)) == 3.5


def test_every_question_is_asked_in_every_pool_and_some_by_one_way_alone() -> None:
    class Embedder:
        def embed_queries(self, texts: list[str]) -> Any:
            return np.ones((len(texts), 2), np.float32)

    question: Any = {"question": "Who?", "supporting": [{"passage": "a"}]}
    asked = to_ask("toy", [question] * 6, ["own", "whole"], Embedder())  # type: ignore[arg-type]
    assert [sum(a.mode == "hybrid" and a.namespace == name for a in asked) for name in ("own", "whole")] == [6, 3]
    assert {a.mode for a in asked} == {"hybrid", "bm25", "dense"}
    assert asked[0].gold == {"a"}


def test_a_reporting_question_is_not_trained_on_though_its_paragraphs_stay_in_the_pool(tmp_path: Any) -> None:
    def record(question: str, title: str) -> dict[str, Any]:
        context = [[title, ["Text."]]]
        return {"_id": title, "question": question, "answer": "A", "supporting_facts": [[title, 0]], "context": context}

    path = tmp_path / "set.json"
    path.write_text(json.dumps([record("Who is it?", "One"), record("Who was it?", "Two")]))
    questions, documents = read_training(path, {"who is it"})
    assert [q["question"] for q in questions] == ["Who was it?"]
    assert [d.title for d in documents] == ["One", "Two"]


def test_the_card_tells_sets_settings_and_figures() -> None:
    figure = {"questions": 3, "recall@2": 50.0, "recall@5": 75.0, "candidates": 100.0}
    told = {"musique/train, hybrid, pool-1": figure, "musique/train, hybrid, pool-2": figure}
    text = card({"musique/train": (3, 60)}, 90, "pool-2", 7, {"trees": 250}, told, told, 12.0)
    assert "| musique/train | 3 | 60 | CC BY 4.0 |" in text
    assert "| musique/train, hybrid, all sets | 3 | 100.0 | 50.0 / 75.0 | 50.0 / 75.0 |" in text
    assert "| musique/train, hybrid | 3 |" in text
    assert "trees 250" in text


def test_no_set_is_trained_on_without_a_licence() -> None:
    with pytest.raises(KeyError):
        card({"other/train": (1, 1)}, 1, "p", 7, {}, {}, {}, 0.0)
