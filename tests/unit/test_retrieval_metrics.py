"""Scores of rankings, worked out by hand, and what holds for all of them."""

import math
from collections.abc import Callable, Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.retrieval_metrics import (
    all_gold_at,
    context_recall,
    found_by_hop,
    ndcg_at,
    precision_at,
    recall_at,
    recall_by_hop,
    reciprocal_rank,
    retrieval_scores,
)

Measure = Callable[[Sequence[str], Collection[str], int], float | None]
AT_K: list[Measure] = [recall_at, precision_at, ndcg_at, all_gold_at]
KEYS = st.sampled_from("abcdef")
RANKINGS, GOLD, K = st.lists(KEYS, max_size=9), st.sets(KEYS, min_size=1), st.integers(1, 9)


@pytest.mark.parametrize(
    ("k", "recall", "precision", "all_gold"),
    [(1, 0.0, 0.0, 0.0), (2, 0.5, 0.5, 0.0), (4, 1.0, 0.5, 1.0), (8, 1.0, 0.25, 1.0)],
)
def test_scores_at_k(k: int, recall: float, precision: float, all_gold: float) -> None:
    ranking, gold = ["x", "a", "y", "b"], {"a", "b"}

    assert recall_at(ranking, gold, k) == recall
    assert precision_at(ranking, gold, k) == precision
    assert all_gold_at(ranking, gold, k) == all_gold


@pytest.mark.parametrize(
    ("ranking", "k", "gained"),
    [
        ("ab", 2, 1 + 1 / math.log2(3)),
        ("xab", 3, 1 / math.log2(3) + 1 / 2),
        ("xab", 2, 1 / math.log2(3)),
        ("xyz", 3, 0.0),
        ("", 5, 0.0),
    ],
)
def test_ndcg(ranking: str, k: int, gained: float) -> None:
    best = 1 + 1 / math.log2(3)

    assert ndcg_at(list(ranking), {"a", "b"}, k) == pytest.approx(gained / best)


def test_ndcg_is_one_when_only_gold_fits_above_the_cut() -> None:
    assert ndcg_at(["a", "x"], {"a", "b", "c"}, 1) == 1.0


@pytest.mark.parametrize(
    ("ranking", "expected"), [("axb", 1.0), ("xyb", 1 / 3), ("xxyb", 1 / 3), ("xy", 0.0), ("", 0.0)]
)
def test_reciprocal_rank(ranking: str, expected: float) -> None:
    assert reciprocal_rank(list(ranking), {"a", "b"}) == pytest.approx(expected)


@pytest.mark.parametrize("measure", AT_K)
def test_a_key_found_twice_counts_once_and_takes_one_place(measure: Measure) -> None:
    assert measure(["x", "a", "a", "a", "b"], ["a", "b"], 3) == measure(["x", "a", "b"], ["a", "b"], 3)
    assert measure(["a"], ["a", "a"], 1) == 1.0


def test_a_question_without_gold_has_no_scores() -> None:
    assert set(retrieval_scores(["a"], []).values()) == {None}
    assert context_recall(["a"], []) is None


@pytest.mark.parametrize("measure", AT_K)
def test_a_cut_before_the_first_passage_is_refused(measure: Measure) -> None:
    with pytest.raises(ValueError, match="k = 0"):
        measure(["a"], ["a"], 0)


@given(RANKINGS, GOLD, K)
def test_scores_are_shares_and_agree_with_each_other(ranking: list[str], gold: set[str], k: int) -> None:
    recall, precision, ndcg, all_gold = (measure(ranking, gold, k) or 0.0 for measure in AT_K)

    assert all(0 <= score <= 1 for score in (recall, precision, ndcg, all_gold))
    assert recall * len(gold) == pytest.approx(precision * k)
    assert all_gold == (recall == 1)
    assert (ndcg > 0) == (recall > 0) == (math.ceil(1 / (reciprocal_rank(ranking, gold) or 0.01)) <= k)
    assert recall <= (recall_at(ranking, gold, k + 1) or 0.0)


@given(RANKINGS, GOLD, K)
def test_moving_a_gold_passage_forward_never_hurts(ranking: list[str], gold: set[str], k: int) -> None:
    best_first = sorted(ranking, key=lambda key: key not in gold)

    for measure in AT_K:
        assert (measure(best_first, gold, k) or 0.0) >= (measure(ranking, gold, k) or 0.0)


def test_context_recall_ignores_order_and_repetition() -> None:
    assert context_recall(["y", "b", "b", "x"], ["a", "b"]) == context_recall(["b"], {"b", "a"}) == 0.5


def test_recall_by_hop() -> None:
    first = found_by_hop(["p", "q"], ["p", "r"])
    second = found_by_hop(["p", "r"], ["p", None, "p"])

    assert (first, second) == ([1.0, 0.0], [1.0, None, 1.0])
    assert recall_by_hop([first, second]) == [(1.0, 2), (0.0, 1), (1.0, 1)]
    assert recall_by_hop([[None]]) == [(None, 0)]
    assert recall_by_hop([]) == []
