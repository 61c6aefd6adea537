"""The whole search over Neo4j: the same hits as over the folder that was copied, and any query in any mode."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from evaluation.sample import questions
from models.embedder import load_embedder
from stores.copying import copy
from stores.opening import open_store
from tests.contract.queries import ANY_QUERY
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.integration.neo4j_stores import empty_store
from tools.retrieval import Mode, StoreSearch

MODES: tuple[Mode, ...] = ("hybrid", "bm25", "dense")
ODD = [query for query in ANY_QUERY if len(query) not in range(1, 6)]
"""Without the operators alone: those are searched by words in the contract."""


@pytest.fixture
async def both(neo4j_server: Neo4jServer | OwnNeo4j, sample_store: str) -> AsyncIterator[tuple[StoreSearch, ...]]:
    """Search over a folder and over its copy in Neo4j."""
    async with open_store(sample_store, read_only=True) as here, empty_store(neo4j_server) as there:
        [info] = await here.namespaces()
        await copy(here, there, info, lambda _: None)
        embedder = await asyncio.to_thread(load_embedder)
        yield tuple(StoreSearch(store, embedder, info.name) for store in (here, there))


async def test_the_sample_is_searched_as_in_a_folder(both: tuple[StoreSearch, StoreSearch]) -> None:
    for mode in MODES:
        for question in questions()[:5]:
            folder, neo4j = [
                [(hit["id"], round(hit["cosine"], 4), hit["mentions"], hit["linked_from"]) for hit in hits]
                for hits in [await side.search(question["question"], mode=mode, limit=5) for side in both]
            ]
            assert neo4j == folder


async def test_any_query_finds_something_or_nothing_in_every_mode(neo4j: StoreSearch) -> None:
    for mode in MODES:
        for query in ODD:
            assert isinstance(await neo4j.search(query, mode=mode, limit=5), list), (mode, query[:60])


@pytest.fixture
def neo4j(both: tuple[StoreSearch, StoreSearch]) -> StoreSearch:
    return both[1]
