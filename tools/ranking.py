"""Ranking as pure functions over measures that are already taken."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

RRF_K = 60
"""Constant of reciprocal rank fusion, as in the paper."""
TITLE_WEIGHT = 0.5
LINK_WEIGHT = 0.3
NEAR_WEIGHT = 1.0


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
    """Order candidates by RRF, title and link.

    score = rrf + 0.5 · title_match + 0.3 · (best score of a candidate it is linked with) + 1 if near, where the partner's
    score is its own rrf + 0.5 · title_match. A passage that the query does not name is often the second hop: it is known by
    the company it keeps. Ties keep the order given.
    """
    own = {c.id: c.rrf + TITLE_WEIGHT * c.title_match for c in candidates}
    for c in candidates:
        partner = max((own[p] for p in c.linked_from if p in own), default=0.0)
        c.score = own[c.id] + LINK_WEIGHT * partner + NEAR_WEIGHT * c.near
    return sorted(candidates, key=lambda c: -c.score)
