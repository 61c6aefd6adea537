"""Query → candidates → measures → ranked hits.

Candidates are gathered by `tools.candidates` and ranked by `tools.learned_ranking`; `PlainSearch` makes do with BM25,
exact dense search and RRF. Knows nothing of plans.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Literal, Protocol

from langchain_core.retrievers import BaseRetriever

from models.embedder import Embedder
from stores.base import PassageStore
from stores.records import Hit, Passage, Vector
from tools.candidates import Gathering, Pool
from tools.learned_ranking import rank, reasons
from tools.ranking import PreferredHit, reciprocal_rank_fusion

Mode = Literal["hybrid", "bm25", "dense"]

CANDIDATES = 30
"""How deep `PlainSearch` reads BM25 and dense search."""
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
    """Searches one namespace of a store by the learned ranker over linked candidates."""

    def __init__(self, store: PassageStore, embedder: Embedder, namespace: str) -> None:
        self._store = store
        self._embedder = embedder
        self._namespace = namespace

    async def search(self, query: str, *, mode: Mode, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """See `Search`; a hit's score is the probability that the passage is needed, 0 to 1.

        What is near comes before all else. Searching by meaning alone still asks by words what the best candidates
        leave open (`tools.candidates`), as the ranker was trained.
        """
        query = _encodable(query)
        vector = None if mode == "bm25" else await self._embed(query)
        gathering = Gathering(self._store, self._namespace)
        pool = await gathering.begin(query, vector, words=mode != "dense")
        if near:
            await gathering.prefer(pool, near)
        ranking = await rank(gathering, pool)
        scores = dict(zip(ranking.ids, map(float, ranking.scores), strict=True))
        best = sorted(scores, key=lambda i: (i not in pool.near, -scores[i], i))[:limit]
        mentions, why = await asyncio.gather(self._mentions(best), asyncio.to_thread(reasons, ranking, best))
        return [_found_hit(pool, i, scores[i], mentions.get(i, []), why[i]) for i in best]

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
        query = _encodable(query)
        vector = None if mode == "bm25" else await self._embed(query)
        by_words = [] if mode == "dense" else await self._store.search_text(self._namespace, query, CANDIDATES)
        by_meaning = [] if vector is None else await self._store.search_vector(self._namespace, vector, CANDIDATES)
        words, meaning = dict(by_words), dict(by_meaning)
        fused = reciprocal_rank_fusion([[i for i, _ in found] for found in (by_words, by_meaning) if found])
        best = sorted(fused, key=lambda i: -fused[i])[:limit]
        return [
            _hit(
                p,
                score=fused[p["id"]],
                rrf=fused[p["id"]],
                bm25=words.get(p["id"], 0.0),
                cosine=meaning.get(p["id"], 0.0),
            )
            for p in await self._store.passages(self._namespace, best)
        ]


class RetrieverSearch:
    """Searches any LangChain retriever: its order is the ranking, and there are no names, links or vectors."""

    def __init__(self, retriever: BaseRetriever) -> None:
        self._retriever = retriever

    async def search(self, query: str, *, mode: Mode, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """See `Search`; `mode` and `near` are the retriever's own business."""
        documents = (await self._retriever.ainvoke(query))[:limit]
        hits = []
        for place, document in enumerate(documents, start=1):
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
            hits.append(_hit(passage, score=1 / place, rrf=1 / place))
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


def _encodable(query: str) -> str:
    """The query with a question mark for each lone surrogate, which neither index nor tokenizer takes."""
    return query.encode("utf-8", "replace").decode()


def unmeasured(passages: Sequence[Passage]) -> list[Hit]:
    """Passages that no search has found, as hits in their order: score 1 / rank, no other measure."""
    bare = [Passage(**{name: one[name] for name in Passage.__annotations__}) for one in passages]  # type: ignore[literal-required,typeddict-item]
    return [_hit(one, score=1 / rank) for rank, one in enumerate(bare, start=1)]


def _hit(
    passage: Passage,
    *,
    score: float,
    bm25: float = 0.0,
    cosine: float = 0.0,
    rrf: float = 0.0,
    title_match: float = 0.0,
) -> Hit:
    """A hit without links."""
    return Hit(
        id=passage["id"],
        document_id=passage["document_id"],
        title=passage["title"],
        text=passage["text"],
        metadata=passage["metadata"],
        score=score,
        bm25=bm25,
        cosine=cosine,
        rrf=rrf,
        title_match=title_match,
        linked_from=[],
        mentions=[],
    )


def _found_hit(pool: Pool, i: str, score: float, mentions: list[str], why: dict[str, float]) -> PreferredHit:
    """A ranked candidate as a hit."""
    found = pool.candidates[i]
    bare = _hit(
        pool.passages[i],
        score=score,
        bm25=float(found.bm25),
        cosine=float(found.cosine),
        rrf=float(found.rrf),
        title_match=float(bool(found.named)),
    )
    hit = PreferredHit(**bare, near=i in pool.near)
    hit["linked_from"] = [seed.id for seed in pool.seeds.values() if i in seed.outgoing]
    hit["mentions"] = mentions
    hit["why"] = why
    return hit
