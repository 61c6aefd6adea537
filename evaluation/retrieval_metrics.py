"""Scores of one ranking against the gold passages of its question.

Knows keys only: a ranking is a list of passage ids, or of titles, best first, and gold is a collection of the same kind
of key. A key that comes again counts once, at its best rank (two chunks of one document under its title). Where a
question has no gold, every score is None and is left out of means. Means over questions are taken elsewhere.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

KS = (2, 5, 10)
"""Cut-offs that reports show: two gold passages in HotpotQA, five in what others publish."""


def recall_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """Share of the gold passages among the first k: |top k ∩ gold| / |gold|.

    >>> recall_at(["x", "a", "y", "b"], {"a", "b"}, 2)
    0.5
    """
    return _hits(ranking, gold, k) / len(set(gold)) if gold else None


def precision_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """Share of gold passages among the first k: |top k ∩ gold| / k, also when the ranking is shorter (as trec_eval).

    >>> precision_at(["a"], {"a", "b"}, 2)
    0.5
    """
    return _hits(ranking, gold, k) / k if gold else None


def all_gold_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """1.0 when every gold passage is among the first k, else 0.0; so 0.0 too when there are more than k.

    >>> all_gold_at(["a", "x", "b"], {"a", "b"}, 3)
    1.0
    """
    return float(_hits(ranking, gold, k) == len(set(gold))) if gold else None


def reciprocal_rank(ranking: Sequence[str], gold: Collection[str]) -> float | None:
    """1 / rank of the first gold passage, 0.0 when there is none; its mean over questions is MRR.

    Source: Voorhees, "The TREC-8 Question Answering Track Report", 1999.

    >>> reciprocal_rank(["x", "a", "b"], {"a", "b"})
    0.5
    """
    if not gold:
        return None
    return next((1 / rank for rank, key in enumerate(_unique(ranking), start=1) if key in gold), 0.0)


def ndcg_at(ranking: Sequence[str], gold: Collection[str], k: int) -> float | None:
    """Normalised discounted cumulative gain with gains of 0 and 1.

    DCG@k = Σ 1 / log₂(rank + 1) over gold passages among the first k, divided by that of the best ranking, which has
    min(k, |gold|) gold passages in front. Source: Järvelin, Kekäläinen, "Cumulated gain-based evaluation of IR
    techniques", ACM TOIS 20(4), 2002.

    >>> ndcg_at(["a", "b", "x"], {"a", "b"}, 3)
    1.0
    """
    if not gold:
        return None
    gained = (rank for rank, key in enumerate(_top(ranking, k), start=1) if key in gold)
    return _dcg(gained) / _dcg(range(1, min(k, len(set(gold))) + 1))


def context_recall(evidence: Collection[str], gold: Collection[str]) -> float | None:
    """Share of the gold passages among the evidence that the synthesizer was given, in whatever order.

    >>> context_recall(["b", "x"], ["a", "b"])
    0.5
    """
    return len(set(evidence) & set(gold)) / len(set(gold)) if gold else None


def found_by_hop(ranking: Collection[str], hops: Sequence[str | None]) -> list[float | None]:
    """For each hop, in the order of the question's decomposition, whether its gold passage was found.

    Args:
        ranking: what was retrieved, already cut where it is to be judged.
        hops: gold key of each hop; None where it is not known. A passage may serve two hops.

    Returns:
        1.0 or 0.0 for each hop; None where the gold is not known.

    >>> found_by_hop(["a", "x"], ["a", "b"])
    [1.0, 0.0]
    """
    found = set(ranking)
    return [None if key is None else float(key in found) for key in hops]


def recall_by_hop(questions: Iterable[Sequence[float | None]]) -> list[tuple[float | None, int]]:
    """Mean of `found_by_hop` for the first hop, the second, …, each with the number of questions it is the mean of.

    >>> recall_by_hop([[1.0, 0.0], [1.0, 1.0, 0.0]])
    [(1.0, 2), (0.5, 2), (0.0, 1)]
    """
    hops: list[list[float]] = []
    for question in questions:
        hops.extend([] for _ in range(len(question) - len(hops)))
        for known, value in zip(hops, question, strict=False):
            known.extend([] if value is None else [value])
    return [(sum(known) / len(known) if known else None, len(known)) for known in hops]


def retrieval_scores(ranking: Sequence[str], gold: Collection[str], ks: Sequence[int] = KS) -> dict[str, float | None]:
    """All scores of a ranking, under the keys of `evaluation.metric_table`.

    >>> retrieval_scores(["a", "x"], ["a"], ks=[2])
    {'recall@2': 1.0, 'precision@2': 0.5, 'ndcg@2': 1.0, 'all_gold@2': 1.0, 'mrr': 1.0}
    """
    measures: Mapping[str, Callable[[Sequence[str], Collection[str], int], float | None]] = {
        "recall": recall_at,
        "precision": precision_at,
        "ndcg": ndcg_at,
        "all_gold": all_gold_at,
    }
    scores = {f"{name}@{k}": measure(ranking, gold, k) for k in ks for name, measure in measures.items()}
    return {**scores, "mrr": reciprocal_rank(ranking, gold)}


def _unique(ranking: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ranking))


def _top(ranking: Sequence[str], k: int) -> list[str]:
    if k < 1:
        raise ValueError(f"a ranking is cut after k = {k!r} passages; k must be at least 1")
    return _unique(ranking)[:k]


def _hits(ranking: Sequence[str], gold: Collection[str], k: int) -> int:
    return len(set(_top(ranking, k)) & set(gold))


def _dcg(ranks: Iterable[int]) -> float:
    return sum(1 / math.log2(rank + 1) for rank in ranks)
