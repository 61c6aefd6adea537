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
    ("bound", "golds", "first", "first_two"),
    [
        ([["The Beatles"], ["liverpool."]], ["Liverpool", "Beatles"], 1.0, 1.0),
        ([["John Lennon"], ["Liverpool"]], ["Beatles", "Liverpool"], 0.5, 0.5),
        ([["Oasis"], ["Oasis", "Beatles"], ["Beatles", "Oasis"]], ["Beatles"], 1 / 3, 2 / 3),
        ([["Oasis", "Blur", "Beatles"]], ["Beatles"], 0.0, 0.0),
        ([[""], ["Beatles"]], ["The The", "Beatles"], 0.5, 0.5),
        ([], ["Beatles"], None, None),
        ([["Oasis"]], [], None, None),
    ],
)
def test_bindings(bound: list[list[str]], golds: list[str], first: float | None, first_two: float | None) -> None:
    assert binding_accuracy(bound, golds) == (first if first is None else pytest.approx(first))
    assert binding_accuracy(bound, golds, k=2) == (first_two if first_two is None else pytest.approx(first_two))
