"""The search of standard RAG, a document by its name, and deps that search so."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from nodes.deps import Deps
from stores.records import EmbedderSpec, IngestSpec, NamespaceInfo, Passage
from tools.retrieval import PlainSearch, RetrieverSearch, StoreSearch

TITLES = {"a": "Apple", "b": "Banana", "c": "Cherry", "c2": "Cherry", "n": "Named"}


def passage(identity: str) -> Passage:
    title = TITLES[identity]
    return Passage(id=identity, document_id=title.lower(), title=title, text=f"{identity}.", metadata={})


class ToyStore:
    """Finds a, b, c by words and c, b by meaning; the query names n."""

    address = "toy"

    async def info(self, namespace: str) -> NamespaceInfo:
        return NamespaceInfo(namespace, IngestSpec(EmbedderSpec("toy", 2)), 4, 5, 0, 1)

    async def search_text(self, namespace: str, query: str, limit: int) -> list[tuple[str, float]]:
        return [("a", 3.0), ("b", 2.0), ("c", 1.0)]

    async def search_texts(self, namespace: str, queries: Sequence[str], limit: int) -> list[list[tuple[str, float]]]:
        return [await self.search_text(namespace, query, limit) for query in queries]

    async def search_vector(self, namespace: str, vector: Any, limit: int) -> list[tuple[str, float]]:
        return [("c", 0.9), ("b", 0.8)]

    async def named_in(self, namespace: str, text: str, limit: int = 50) -> list[tuple[str, str]]:
        return [(i, title) for i, title in TITLES.items() if title in text or text == "the Named one"]

    async def links(self, namespace: str, ids: Sequence[str]) -> dict[str, Any]:
        return {i: {"outgoing": ["n"], "incoming": []} for i in ids}

    async def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, Any]:
        return {i: np.ones(2, np.float32) for i in ids}

    async def passages(self, namespace: str, ids: Sequence[str]) -> list[Passage]:
        return [passage(i) for i in ids]

    async def document(self, namespace: str, key: str) -> Any:
        pages = [passage(i) for i in TITLES if TITLES[i].lower() == key]
        return ({}, pages) if pages else None


class ToyEmbedder:
    def embed_queries(self, texts: Sequence[str]) -> Any:
        return np.ones((len(texts), 2), np.float32)


def plain() -> PlainSearch:
    return PlainSearch(ToyStore(), ToyEmbedder(), "default")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "found"), [("hybrid", ["c", "b", "a"]), ("bm25", ["a", "b", "c"]), ("dense", ["c", "b"])]
)
async def test_plain_search_is_fusion_by_rank_of_words_and_meaning(mode: Any, found: list[str]) -> None:
    hits = await plain().search("Named", mode=mode, limit=5)
    assert [hit["id"] for hit in hits] == found
    assert [hit["score"] for hit in hits] == [hit["rrf"] for hit in hits]
    assert not any(hit["title_match"] or hit["linked_from"] or hit["mentions"] for hit in hits)


async def test_our_search_finds_what_is_named() -> None:
    search = StoreSearch(ToyStore(), ToyEmbedder(), "default")  # type: ignore[arg-type]
    hits = await search.search("Named", mode="hybrid", limit=5)
    assert "n" in [hit["id"] for hit in hits]


async def test_plain_deps_search_so_and_the_others_do_not() -> None:
    deps = Deps(ToyStore(), embedder=ToyEmbedder())  # type: ignore[arg-type]
    assert type(await deps.plain().search("default")) is PlainSearch
    assert type(await deps.search("default")) is StoreSearch


@pytest.mark.parametrize(
    ("name", "ids"), [("cherry", ["c", "c2"]), ("Cherry", ["c", "c2"]), ("the Named one", ["a"]), ("Nobody", [])]
)
async def test_a_document_is_found_by_id_then_by_title(name: str, ids: list[str]) -> None:
    assert [page["id"] for page in await plain().document(name)] == ids


class Told(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self.documents


async def test_a_retriever_is_searched_for_the_name() -> None:
    documents = [Document(f"Part {i}.", metadata={"title": t, "id": t}) for i, t in enumerate(["A", "B", "A"])]
    search = RetrieverSearch(Told(documents=documents))
    assert [page["text"] for page in await search.document("a")] == ["Part 0.", "Part 2."]
    assert await search.document("C") == []
