"""Query → candidates → measures → ranked hits.

Candidates are what BM25 and exact dense search find, passages whose title or entity is named in the query, and passages
linked with the best of these; `PlainSearch` makes do with the first two. Knows nothing of plans; the formulas are in
`tools.ranking`.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from langchain_core.retrievers import BaseRetriever

from models.embedder import Embedder
from stores.base import PassageStore
from stores.records import Hit, Passage, Vector
from tools.ranking import Measured, linked_ranking, reciprocal_rank_fusion

Mode = Literal["hybrid", "bm25", "dense"]

CANDIDATES = 30
"""How deep BM25 and dense search are read."""
EXPANDED = 8
"""How many of the best candidates bring in the passages they are linked with."""
LINKS_EACH = 10
"""Linked passages taken from each, those nearest to the query."""
MENTIONS = 20
"""Titles listed in `Hit.mentions`."""
RETRIEVED = 50
"""Most documents of a retriever among which one is sought by its name."""


class Search(Protocol):
    """How a hop finds passages."""

    async def search(self, query: str, *, mode: Mode, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """Passages for a query, best first.

        Args:
            query: any string.
            mode: hybrid, bm25 or dense.
            limit: at most so many.
            near: ids of passages; those linked with one of them are preferred (operator `filter`).
        """
        ...

    async def titles_in(self, text: str) -> list[str]:
        """Names of stored passages that stand in `text`, longest first."""
        ...

    async def cosine(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """Cosine of the query with each hit, −1 to 1."""
        ...

    async def document(self, name: str) -> list[Passage]:
        """Passages, in order, of the document with this id, else with this title; empty when there is none."""
        ...


class StoreSearch:
    """Searches one namespace of a store."""

    def __init__(self, store: PassageStore, embedder: Embedder, namespace: str) -> None:
        self._store = store
        self._embedder = embedder
        self._namespace = namespace

    async def search(self, query: str, *, mode: Mode, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """See `Search`."""
        vector = None if mode == "bm25" else await self._embed(query)
        found = await self._found(query, vector, mode)
        candidates = await self._with_links(found, vector, near)
        ranked = linked_ranking(candidates)[:limit]
        passages = {p["id"]: p for p in await self._store.passages(self._namespace, [c.id for c in ranked])}
        mentions = await self._mentions(list(passages))
        return [_hit(passages[c.id], c, mentions.get(c.id, [])) for c in ranked if c.id in passages]

    async def titles_in(self, text: str) -> list[str]:
        """See `Search`."""
        return list(dict.fromkeys(name for _, name in await self._store.named_in(self._namespace, text)))

    async def cosine(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """See `Search`."""
        vector = await self._embed(query)
        vectors = await self._store.vectors(self._namespace, [h["id"] for h in hits])
        return [float(vectors[h["id"]] @ vector) if h["id"] in vectors else 0.0 for h in hits]

    async def document(self, name: str) -> list[Passage]:
        """See `Search`; where no title is the whole name, the longest that stands in it."""
        found = await self._store.document(self._namespace, name)
        if found is None:
            named = await self._store.named_in(self._namespace, name)
            first = await self._store.passages(self._namespace, [i for i, _ in named[:1]])
            found = await self._store.document(self._namespace, first[0]["document_id"]) if first else None
        return found[1] if found else []

    async def _embed(self, query: str) -> Vector:
        vector: Vector = (await asyncio.to_thread(self._embedder.embed_queries, [query]))[0]
        return vector

    async def _found(self, query: str, vector: Vector | None, mode: Mode) -> dict[str, Measured]:
        """Candidates that the query itself brings: by words, by meaning and by name."""
        found = await self._by_query(query, vector, mode)
        for i, _ in await self._store.named_in(self._namespace, query):
            found.setdefault(i, Measured(i)).title_match = 1.0
        return found

    async def _by_query(self, query: str, vector: Vector | None, mode: Mode) -> dict[str, Measured]:
        """Candidates by words and by meaning, fused."""
        by_words = [] if mode == "dense" else await self._store.search_text(self._namespace, query, CANDIDATES)
        by_meaning = [] if vector is None else await self._store.search_vector(self._namespace, vector, CANDIDATES)
        rankings = [[i for i, _ in found] for found in (by_words, by_meaning) if found]
        fused = reciprocal_rank_fusion(rankings)
        found = {i: Measured(i, rrf=score) for i, score in fused.items()}
        for i, score in by_words:
            found[i].bm25 = score
        for i, score in by_meaning:
            found[i].cosine = score
        return found

    async def _with_links(
        self, found: dict[str, Measured], vector: Vector | None, near: Sequence[str]
    ) -> list[Measured]:
        """Add what the best candidates are linked with, and note who is linked with whom."""
        seeds = [c.id for c in linked_ranking(list(found.values()))[:EXPANDED]]
        links = await self._store.links(self._namespace, [*seeds, *near])
        partners = {s: {*links[s]["outgoing"], *links[s]["incoming"]} for s in [*seeds, *near] if s in links}
        nearest = await self._nearest(partners, vector)
        for seed, linked in nearest.items():
            for i, cosine in linked:
                candidate = found.setdefault(i, Measured(i))
                candidate.cosine = candidate.cosine or cosine
                if seed in seeds:
                    candidate.linked_from.append(seed)
        for i in near:
            for partner in partners.get(i, ()):
                if partner in found:
                    found[partner].near = True
        return list(found.values())

    async def _nearest(
        self, partners: dict[str, set[str]], vector: Vector | None
    ) -> dict[str, list[tuple[str, float]]]:
        """The `LINKS_EACH` partners of each seed nearest to the query."""
        if vector is None:
            return {seed: [(i, 0.0) for i in sorted(linked)[:LINKS_EACH]] for seed, linked in partners.items()}
        wanted = sorted(set().union(*partners.values())) if partners else []
        vectors = await self._store.vectors(self._namespace, wanted)
        cosines = {i: float(np.dot(v, vector)) for i, v in vectors.items()}
        return {
            seed: [
                (i, cosines[i]) for i in sorted(linked & cosines.keys(), key=lambda i: (-cosines[i], i))[:LINKS_EACH]
            ]
            for seed, linked in partners.items()
        }

    async def _mentions(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Titles of the passages that each of these names."""
        links = await self._store.links(self._namespace, ids)
        targets = {i: link["outgoing"][:MENTIONS] for i, link in links.items()}
        wanted = list(dict.fromkeys(t for ts in targets.values() for t in ts))
        titles = {p["id"]: p["title"] for p in await self._store.passages(self._namespace, wanted)}
        return {i: list(dict.fromkeys(titles[t] for t in ts if t in titles)) for i, ts in targets.items()}


class PlainSearch(StoreSearch):
    """Searches one namespace as is commonly done, by RRF of BM25 and dense search: no names and no links."""

    async def search(self, query: str, *, mode: Mode, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """See `Search`; `near` is of no account."""
        vector = None if mode == "bm25" else await self._embed(query)
        found = await self._by_query(query, vector, mode)
        for candidate in found.values():
            candidate.score = candidate.rrf
        ranked = sorted(found.values(), key=lambda c: -c.score)[:limit]
        passages = {p["id"]: p for p in await self._store.passages(self._namespace, [c.id for c in ranked])}
        return [_hit(passages[c.id], c, []) for c in ranked if c.id in passages]


class RetrieverSearch:
    """Searches any LangChain retriever: its order is the ranking, and there are no names, links or vectors."""

    def __init__(self, retriever: BaseRetriever) -> None:
        self._retriever = retriever

    async def search(self, query: str, *, mode: Mode, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """See `Search`; `mode` and `near` are the retriever's own business."""
        documents = (await self._retriever.ainvoke(query))[:limit]
        hits = []
        for rank, document in enumerate(documents):
            metadata = dict(document.metadata)
            title = str(metadata.get("title") or metadata.get("source") or "")
            # Chunks of one document often share metadata["id"], so it is not the passage's.
            identity = document.id or f"{title}:{hash_text(document.page_content)}"
            origin = metadata.get("id", metadata.get("source"))
            passage = Passage(
                id=identity,
                document_id=identity if origin is None else str(origin),
                title=title,
                text=document.page_content,
                metadata={k: v for k, v in metadata.items() if isinstance(v, str | int | float | bool)},
            )
            hits.append(_hit(passage, Measured(identity, rrf=1 / (1 + rank), score=1 / (1 + rank)), []))
        return hits

    async def titles_in(self, text: str) -> list[str]:
        """A retriever does not tell its titles."""
        return []

    async def cosine(self, query: str, hits: Sequence[Hit]) -> list[float]:
        """A retriever has no vectors to show: its own scores stand in."""
        return [h["score"] for h in hits]

    async def document(self, name: str) -> list[Passage]:
        """What the retriever finds for the name, of the first document with this id or title."""
        found = await self.search(name, mode="hybrid", limit=RETRIEVED)
        wanted = name.strip().lower()
        named = [h for h in found if wanted in (h["id"].lower(), h["document_id"].lower(), h["title"].lower())]
        return [h for h in named if h["document_id"] == named[0]["document_id"]]


def hash_text(text: str) -> str:
    """A stable short name for a text."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def unmeasured(passages: Sequence[Passage]) -> list[Hit]:
    """Passages that no search has found, as hits in their order: score 1 / rank, no other measure."""
    bare = [Passage(**{name: one[name] for name in Passage.__annotations__}) for one in passages]  # type: ignore[literal-required,typeddict-item]
    return [_hit(one, Measured(one["id"], score=1 / rank), []) for rank, one in enumerate(bare, start=1)]


def _hit(passage: Passage, measured: Measured, mentions: list[str]) -> Hit:
    return Hit(
        **passage,
        score=float(measured.score),
        bm25=float(measured.bm25),
        cosine=float(measured.cosine),
        rrf=float(measured.rrf),
        title_match=float(measured.title_match),
        linked_from=measured.linked_from,
        mentions=mentions,
    )
