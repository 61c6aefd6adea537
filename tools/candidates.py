"""Query → candidate passages with what was measured about each: by words, meaning, name, link, and what is left open.

The first round is what the query itself brings. Every further round expands the best candidates so far, the *seeds*: by
the passages they are linked with, and by a conditional query: the words of the question that the seed does not hold,
together with the names that stand in it. So a hop is found whose name the question does not give away. Knows nothing of
scores that are learned; whoever ranks chooses the seeds.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from models.rank_terms import Terms, stem, stems_in_order, terms
from stores.base import PassageStore
from stores.records import Passage, Vector
from tools.ranking import reciprocal_rank_fusion

DEPTH = 40
"""How deep BM25 and dense search are read."""
LINKS_EACH = 10
"""Linked passages taken from each seed, those nearest to the query."""
LEFT_EACH = 10
"""Passages taken from the conditional query of each seed."""
NAMES = 40
"""Names of a seed in its conditional query at most."""


@dataclass(slots=True)
class Candidate:
    """A passage and what was measured about it; ranks count from 1, 0 where it was not found."""

    id: str
    bm25: float = 0.0
    bm25_rank: int = 0
    cosine: float = 0.0
    dense_rank: int = 0
    rrf: float = 0.0
    named: str = ""
    """The name of it that stands in the query."""


@dataclass(slots=True)
class Seed:
    """A candidate that was expanded."""

    id: str
    outgoing: frozenset[str]
    """Passages that it names."""
    incoming: frozenset[str]
    """Passages that name it."""
    left: dict[str, int]
    """Rank of what its conditional query found, from 1."""


@dataclass(slots=True)
class Pool:
    """All that is known for one query."""

    query: str
    asked: list[str]
    """Stems of the query's words."""
    vector: Vector | None
    """None when nothing is searched by meaning."""
    candidates: dict[str, Candidate] = field(default_factory=dict)
    seeds: dict[str, Seed] = field(default_factory=dict)
    passages: dict[str, Passage] = field(default_factory=dict)
    terms: dict[str, Terms] = field(default_factory=dict)
    vectors: dict[str, Vector] = field(default_factory=dict)
    near: frozenset[str] = frozenset()
    """Passages linked with one of those that were asked to be near, whether they are candidates yet or not."""


class Gathering:
    """Gathers candidates from one namespace of a store."""

    def __init__(self, store: PassageStore, namespace: str) -> None:
        self._store = store
        self._namespace = namespace

    async def begin(self, query: str, vector: Vector | None, *, words: bool = True) -> Pool:
        """What the query itself brings.

        Args:
            query: any string.
            vector: of the query; None: nothing is searched by meaning.
            words: also search by words.
        """
        pool = Pool(query, stems_in_order(query), vector)
        by_words, by_meaning, named = await asyncio.gather(
            self._text(query if words else "", DEPTH),
            self._meaning(vector),
            self._store.named_in(self._namespace, query),
        )
        for i, score in reciprocal_rank_fusion(
            [[i for i, _ in found] for found in (by_words, by_meaning) if found]
        ).items():
            pool.candidates[i] = Candidate(i, rrf=score)
        for rank, (i, score) in enumerate(by_words, start=1):
            pool.candidates[i].bm25, pool.candidates[i].bm25_rank = score, rank
        for rank, (i, score) in enumerate(by_meaning, start=1):
            pool.candidates[i].cosine, pool.candidates[i].dense_rank = score, rank
        for i, name in named:
            pool.candidates.setdefault(i, Candidate(i)).named = name
        await self._complete(pool)
        return pool

    async def expand(self, pool: Pool, seeds: Sequence[str]) -> None:
        """Add what these candidates lead to, in place; those expanded before are passed over."""
        fresh = [i for i in seeds if i not in pool.seeds and i in pool.terms]
        if not fresh:
            return
        links, left = await asyncio.gather(
            self._store.links(self._namespace, fresh),
            self._store.search_texts(self._namespace, [self._left(pool, i) for i in fresh], LEFT_EACH + 1),
        )
        for i, found in zip(fresh, left, strict=True):
            ranks = {other: rank for rank, (other, _) in enumerate((f for f in found if f[0] != i), start=1)}
            linked = links.get(i, {"outgoing": [], "incoming": []})
            pool.seeds[i] = Seed(i, frozenset(linked["outgoing"]), frozenset(linked["incoming"]), ranks)
        await self._nearest_links(pool, fresh)
        for i in fresh:
            for other in pool.seeds[i].left:
                pool.candidates.setdefault(other, Candidate(other))
        await self._complete(pool)

    async def prefer(self, pool: Pool, near: Sequence[str]) -> None:
        """Remember what is linked with these passages, and of each one's links add those nearest to the query."""
        links = await self._store.links(self._namespace, near)
        groups = [sorted({*linked["outgoing"], *linked["incoming"]}) for linked in links.values()]
        pool.near = frozenset(other for group in groups for other in group)
        await self._add_nearest(pool, groups)
        await self._complete(pool)

    def _left(self, pool: Pool, seed: str) -> str:
        """The seed's conditional query: what it leaves open of the question, and the names in it."""
        held = pool.terms[seed]
        open_words = [word for word in pool.query.split() if not _held(word, held)]
        return " ".join([*open_words, *list(held.names.values())[:NAMES]])

    async def _text(self, query: str, limit: int) -> list[tuple[str, float]]:
        return await self._store.search_text(self._namespace, query, limit) if query else []

    async def _meaning(self, vector: Vector | None) -> list[tuple[str, float]]:
        return [] if vector is None else await self._store.search_vector(self._namespace, vector, DEPTH)

    async def _nearest_links(self, pool: Pool, fresh: Sequence[str]) -> None:
        groups = [sorted(pool.seeds[i].outgoing | pool.seeds[i].incoming) for i in fresh]
        await self._add_nearest(pool, groups)

    async def _add_nearest(self, pool: Pool, groups: Sequence[Sequence[str]]) -> None:
        """Of each group the `LINKS_EACH` that are nearest to the query become candidates."""
        await self._fetch_vectors(pool, {i for group in groups for i in group})
        for group in groups:
            cosines = {i: _cosine(pool, i) for i in group}
            for i in sorted(group, key=lambda i: (-cosines[i], i))[:LINKS_EACH]:
                pool.candidates.setdefault(i, Candidate(i))

    async def _fetch_vectors(self, pool: Pool, ids: set[str]) -> None:
        wanted = sorted(ids - pool.vectors.keys()) if pool.vector is not None else []
        if wanted:
            pool.vectors.update(await self._store.vectors(self._namespace, wanted))

    async def _complete(self, pool: Pool) -> None:
        """Texts, vectors and cosines of the candidates that have come; one that is gone from the store is dropped."""
        fresh = [i for i in pool.candidates if i not in pool.passages]
        found, _ = await asyncio.gather(
            self._store.passages(self._namespace, fresh), self._fetch_vectors(pool, set(fresh))
        )
        await asyncio.to_thread(_take_in, pool, fresh, found)


def _take_in(pool: Pool, fresh: Sequence[str], found: Sequence[Passage]) -> None:
    """Words and cosines of candidates whose passages were fetched."""
    for passage in found:
        pool.passages[passage["id"]] = passage
        pool.terms[passage["id"]] = terms(f"{passage['title']}\n{passage['text']}")
    for i in fresh:
        if i not in pool.passages:
            del pool.candidates[i]
        else:
            pool.candidates[i].cosine = _cosine(pool, i)


def _cosine(pool: Pool, i: str) -> float:
    if pool.vector is None or i not in pool.vectors:
        return 0.0
    return float(np.dot(pool.vectors[i], pool.vector))


def _held(word: str, held: Terms) -> bool:
    """Whether a word of the question stands in the passage (or is none that is looked for)."""
    keys = stems_in_order(word) or [stem(word)]
    return all(not key or key in held.stems for key in keys)
