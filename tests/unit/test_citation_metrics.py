"""What answers cite and what placeholders were bound to, against the gold."""

import pytest

from evaluation.citation_metrics import binding_accuracy, citation_precision, citation_recall


@pytest.mark.parametrize(
    ("cited", "precision", "recall"),
    [
        (["a", "b"], 1.0, 1.0),
        (["a", "x", "y", "z"], 0.25, 0.5),
        (["a", "a", "a", "x"], 0.5, 0.5),
        (["x"], 0.0, 0.0),
        ([], None, 0.0),
    ],
)
def test_citations(cited: list[str], precision: float | None, recall: float) -> None:
    assert citation_precision(cited, ["a", "b"]) == precision
    assert citation_recall(cited, ["a", "b"]) == recall


def test_citations_of_a_question_without_gold_are_not_scored() -> None:
    assert citation_precision(["a"], []) is None
    assert citation_recall(["a"], []) is None


@pytest.mark.parametrize(
    ("bound", "golds", "accuracy"),
    [
        (["The Beatles", "liverpool."], ["Liverpool", "Beatles"], 1.0),
        (["John Lennon", "Liverpool"], ["Beatles", "Liverpool"], 0.5),
        (["Oasis", "Oasis", "Beatles"], ["Beatles"], 1 / 3),
        (["", "Beatles"], ["The The", "Beatles"], 0.5),
        ([], ["Beatles"], None),
        (["Oasis"], [], None),
    ],
)
def test_bindings(bound: list[str], golds: list[str], accuracy: float | None) -> None:
    assert binding_accuracy(bound, golds) == (accuracy if accuracy is None else pytest.approx(accuracy))
