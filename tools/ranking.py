"""Ranking as pure functions over measures that are already taken."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from stores.records import Hit

RRF_K = 60
"""Constant of reciprocal rank fusion, as in the paper."""
PLAN_WEIGHT = 0.2
"""What a plan's hops weigh beside the question's own: by recall@5 on HotpotQA tune, 2Wiki train and MuSiQue train."""


class PreferredHit(Hit):
    """A hit that may go before others of its hop whatever their scores."""

    near: bool
    """Linked with one of the passages that were asked to be near."""


def reciprocal_rank_fusion(rankings: Iterable[Sequence[str]]) -> dict[str, float]:
    """Fuse rankings: score(d) = Σ 1 / (60 + rank(d)), scaled so that the first of every ranking scores 1.

    Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning
    methods", SIGIR 2009.

    >>> reciprocal_rank_fusion([["a", "b"], ["a"]])["a"]
    1.0
    """
    fused: dict[str, float] = {}
    count = 0
    for ranking in rankings:
        count += 1
        for position, item in enumerate(ranking, start=1):
            fused[item] = fused.get(item, 0.0) + 1 / (RRF_K + position)
    scale = (RRF_K + 1) / max(count, 1)
    return {item: score * scale for item, score in fused.items()}


def merge_hits(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Join the hits of several queries; a passage's new score is the mean over the queries, 0 where it was not found.

    What is near (`PreferredHit`) comes first here too. A single ranking stays as it is.
    """
    if len(rankings) == 1:
        return list(rankings[0])
    hits: dict[str, Hit] = {}
    for found in (hit for ranking in rankings for hit in ranking):
        hit = hits.setdefault(found["id"], {**found, "score": 0.0})
        hit["score"] += found["score"] / len(rankings)
    return sorted(hits.values(), key=lambda hit: (not hit.get("near"), -hit["score"]))


class Found(NamedTuple):
    """A place where a hop found a passage."""

    hop: str
    rank: int
    """From 1."""
    confidence: float
    """Of the hop."""
    score: float
    """There, 0 to 1: how probable it is that the hop needs it."""
    asked: bool = False
    """Whether the hop searched the question itself."""


def hop_ranking(found: Mapping[str, Sequence[Found]]) -> dict[str, float]:
    """Score the union of several hops' passages.

    score = score for the question itself + 0.2 · max over the plan's hops of confidence · score · 2 / (1 + rank). What
    the question itself finds has been weighed in the light of everything that was asked for; a hop of the plan knows
    only its part, and its first passage is most of what it found.

    Args:
        found: for each passage where it was found.
    """
    return {
        i: max((place.score for place in places if place.asked), default=0.0)
        + PLAN_WEIGHT * max((p.confidence * p.score * 2 / (1 + p.rank) for p in places if not p.asked), default=0.0)
        for i, places in found.items()
    }


def hop_fusion(found: Mapping[str, Sequence[Found]]) -> dict[str, float]:
    """Score the union of several hops' passages by plain RRF: Σ over hops of 61 / (60 + rank)."""
    return {i: sum((RRF_K + 1) / (RRF_K + place.rank) for place in places) for i, places in found.items()}
