"""Two processes that re-embed one namespace of Neo4j at once: one stops where it matters, the other goes on.

Whatever the order, one embedder's vectors are in use, with their index, and nothing of the other's is left.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from stores import cypher
from stores.errors import StoreError
from stores.neo4j import Neo4jStore
from stores.neo4j_names import parse_index
from stores.records import EmbedderSpec, IngestSpec
from tests.contract.histories import SPEC, prepared
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.integration.neo4j_stores import empty_store, settings_of

Pair = tuple[Neo4jStore, Neo4jStore]
FIRST, SECOND = EmbedderSpec("first", 3), EmbedderSpec("second", 5)
"""Of different dimensions: neither may use the other's index."""


@pytest.fixture
async def pair(neo4j_server: Neo4jServer | OwnNeo4j) -> AsyncIterator[Pair]:
    """Two connections to a namespace of three passages."""
    async with (
        empty_store(neo4j_server) as store,
        Neo4jStore(neo4j_server.uri, settings_of(neo4j_server)) as other,
    ):
        await store.create("default", SPEC)
        await store.upsert("default", [prepared(f"d{n}", f"Title {n}", f"Text {n}.") for n in range(3)])
        yield store, other


class Gate:
    """A place where somebody stops until let go."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()


@contextmanager
def stopped(store: Neo4jStore, before: str) -> Iterator[Gate]:
    """The store stops before it first asks its server for this."""
    [opened] = store._loops.values()
    gate = Gate()

    def watched(real: Callable[..., object]) -> Callable[..., object]:
        async def call(stage: str, statement: str, **parameters: object) -> object:
            if before in statement and not gate.reached.is_set():
                gate.reached.set()
                await gate.open.wait()
            return await real(stage, statement, **parameters)  # type: ignore[misc]

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opened.server, "change", watched(opened.server.change))
        yield gate
        gate.open.set()


async def reembed(store: Neo4jStore, embedder: EmbedderSpec) -> None:
    vector = np.full(embedder.dimension, embedder.dimension, np.float32)
    vectors = dict.fromkeys(
        [chunk.id for n in range(3) for chunk in prepared(f"d{n}", f"Title {n}", f"Text {n}.").chunks], vector
    )
    await store.replace_vectors("default", IngestSpec(embedder), vectors)


async def reach(gate: Gate, task: asyncio.Task[None]) -> None:
    """Wait until the task stops there; fails if it ends before."""
    waiting = asyncio.create_task(gate.reached.wait())
    await asyncio.wait([task, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    assert gate.reached.is_set(), task


async def in_use(store: Neo4jStore) -> EmbedderSpec:
    """The embedder whose vectors are in use: all of them, in the one index, and no other's."""
    assert await store.verify("default") == []
    info = await store.info("default")
    assert info is not None
    dimension = info.spec.embedder.dimension
    vectors = await store.vectors("default", await store.passage_ids("default"))
    assert {tuple(vector) for vector in vectors.values()} == {(dimension,) * dimension}
    server = (await store._opened()).server
    [[number, epoch]] = await server.change("Test", "MATCH (n:Namespace) RETURN n.number, n.epoch")
    indexes = [parse_index(name) for name, _ in await server.change("Test", cypher.SHOW_INDEXES)]
    assert {found for found in indexes if found and found[0] == number} == {(number, None), (number, epoch)}
    names = await server.change("Test", "MATCH (c:Chunk) UNWIND keys(c) AS name RETURN DISTINCT name")
    assert {name for [name] in names if name.startswith(("vector_", "bytes_"))} == {f"vector_{epoch}", f"bytes_{epoch}"}
    return info.spec.embedder


SWEEP, MAKE, AWAIT, REMOVE = "(v:Vacant)", "CREATE VECTOR INDEX", "db.awaitIndex", "REMOVE c."
"""What an attempt asks for one after the other; it takes its vectors into use before the last."""
OVERTAKEN = "^Re-embedding 'default': another process began the same later"


async def test_one_that_stops_while_another_does_it_all_takes_nothing_from_it(pair: Pair) -> None:
    one, other = pair
    for place in (SWEEP, MAKE, AWAIT, REMOVE):
        with stopped(one, place) as gate:
            slow = asyncio.create_task(reembed(one, FIRST))
            await reach(gate, slow)
            await reembed(other, SECOND)
            gate.open.set()
            if place == REMOVE:
                await slow
            else:
                with pytest.raises(StoreError, match=OVERTAKEN):
                    await slow
        assert await in_use(one) == SECOND, place


async def test_one_that_goes_on_when_another_is_half_way_takes_nothing_from_it(pair: Pair) -> None:
    one, other = pair
    for place, others_place in ((MAKE, MAKE), (MAKE, AWAIT), (AWAIT, MAKE)):
        with stopped(one, place) as gate, stopped(other, others_place) as others_gate:
            first = asyncio.create_task(reembed(one, FIRST))
            await reach(gate, first)
            second = asyncio.create_task(reembed(other, SECOND))
            await reach(others_gate, second)
            gate.open.set()
            with pytest.raises(StoreError, match=OVERTAKEN):
                await first
            others_gate.open.set()
            await second
        assert await in_use(one) == SECOND, (place, others_place)
