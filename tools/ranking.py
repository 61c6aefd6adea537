"""Ranking as pure functions over measures that are already taken."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from stores.records import Hit

RRF_K = 60
"""Constant of reciprocal rank fusion, as in the paper."""
TITLE_WEIGHT = 0.8
LINK_WEIGHT = 0.5
NEAR_WEIGHT = 1.0
UNION_TITLE_WEIGHT = 0.5
RELATIVE_WEIGHT = 0.5
"""Chosen by recall@5 on questions of HotpotQA tune, 2Wiki train and MuSiQue train."""


@dataclass(slots=True)
class Measured:
    """A candidate passage and what was measured about it."""

    id: str
    bm25: float = 0.0
    cosine: float = 0.0
    rrf: float = 0.0
    title_match: float = 0.0
    linked_from: list[str] = field(default_factory=list)
    near: bool = False
    """Linked with one of the passages that were asked to be near."""
    score: float = 0.0


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


def linked_ranking(candidates: Sequence[Measured]) -> list[Measured]:
    """Order candidates by RRF, cosine, title and link.

    score = own + 0.5 · (best own of a candidate it is linked with) + 1 if near, where own = rrf + cosine + 0.8 ·
    title_match. A passage that the query does not name is often the second hop: it is known by the company it keeps.
    Ties keep the order given.
    """
    own = {c.id: c.rrf + c.cosine + TITLE_WEIGHT * c.title_match for c in candidates}
    for c in candidates:
        partner = max((own[p] for p in c.linked_from if p in own), default=0.0)
        c.score = own[c.id] + LINK_WEIGHT * partner + NEAR_WEIGHT * c.near
    return sorted(candidates, key=lambda c: -c.score)


def merge_hits(rankings: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Fuse the hits of several queries by reciprocal rank, their new score; a single ranking stays as it is."""
    if len(rankings) == 1:
        return list(rankings[0])
    hits = {hit["id"]: hit.copy() for ranking in reversed(rankings) for hit in ranking}
    fused = reciprocal_rank_fusion([[hit["id"] for hit in ranking] for ranking in rankings])
    for i, score in fused.items():
        hits[i]["score"] = score
    return sorted(hits.values(), key=lambda hit: -hit["score"])


class Found(NamedTuple):
    """A place where a hop found a passage."""

    hop: str
    rank: int
    """From 1."""
    confidence: float
    """Of the hop."""
    relative: float
    """Its score there, as a share of the hop's best one."""


def hop_ranking(found: Mapping[str, Sequence[Found]], hits: Mapping[str, Hit]) -> dict[str, float]:
    """Score the union of several hops' passages.

    score = Σ over hops of confidence · 2 / (1 + rank) + 0.5 · title_match + 0.5 · best relative score. Ranks weigh
    far more than in RRF over whole rankings: a hop asks for one thing, and its first passage is most of what it found.
    Link and title have already had their say in each hop's own ranking (`linked_ranking`).

    Args:
        found: for each passage where it was found.
        hits: the passages' measures.
    """
    return {
        i: sum(place.confidence * 2 / (1 + place.rank) for place in places)
        + UNION_TITLE_WEIGHT * hits[i]["title_match"]
        + RELATIVE_WEIGHT * max(place.relative for place in places)
        for i, places in found.items()
    }


def hop_fusion(found: Mapping[str, Sequence[Found]]) -> dict[str, float]:
    """Score the union of several hops' passages by plain RRF: Σ over hops of 61 / (60 + rank)."""
    return {i: sum((RRF_K + 1) / (RRF_K + place.rank) for place in places) for i, places in found.items()}
