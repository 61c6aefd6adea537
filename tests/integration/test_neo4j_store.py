"""What is particular to the Neo4j store: several writers, interruptions, big namespaces, damage, any query at all."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from stores import cypher, neo4j_making, neo4j_reembedding, neo4j_searching
from stores.chunking import chunk_document
from stores.errors import NamespaceNotFound, StoreError
from stores.neo4j import Neo4jStore
from stores.neo4j_names import parse_index
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument
from tests.contract.histories import QUERY, SPEC, prepared
from tests.contract.queries import LUCENE
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.integration.neo4j_stores import empty_store, settings_of

Server = Neo4jServer | OwnNeo4j
CURIE = prepared("curie", "Marie Curie", "She was born in Warsaw.")
WARSAW = prepared("warsaw", "Warsaw", "The capital of Poland.")


@pytest.fixture
async def store(neo4j_server: Server) -> AsyncIterator[Neo4jStore]:
    async with empty_store(neo4j_server) as opened:
        await opened.create("default", SPEC)
        yield opened


async def run(store: Neo4jStore, statement: str, **parameters: object) -> list[list[object]]:
    return await (await store._opened()).server.change("Test", statement, **parameters)


async def abandoned(store: Neo4jStore) -> list[list[object]]:
    """Numbers without a namespace that are to be swept away."""
    return await run(store, "MATCH (v:Vacant {since: 0}) RETURN v.number")


async def test_an_empty_database_is_an_empty_store(neo4j_server: Server) -> None:
    async with (
        empty_store(neo4j_server),
        Neo4jStore(neo4j_server.uri, settings_of(neo4j_server), read_only=True) as reader,
    ):
        assert await reader.namespaces() == []
        with pytest.raises(NamespaceNotFound, match="lookahead ingest PATH --namespace wiki"):
            await reader.search_text("wiki", "x", 1)
        with pytest.raises(StoreError, match="reading only"):
            await reader.create("wiki", SPEC)


async def test_several_writers_and_readers_at_once(store: Neo4jStore, neo4j_server: Server) -> None:
    documents = [prepared(f"d{n}", f"Title {n}", f"Text {n} names Title {n + 1}.") for n in range(24)]
    async with Neo4jStore(neo4j_server.uri, settings_of(neo4j_server)) as other:
        writes = [(store, other)[n % 2].upsert("default", documents[n : n + 4]) for n in range(0, 24, 4)]
        searches = [store.search_text("default", "title text", 5) for _ in range(10)]
        searches += [other.search_vector("default", QUERY, 5) for _ in range(10)]
        await asyncio.gather(*writes, *searches)
        await asyncio.gather(store.delete("default", ["d3"]), other.upsert("default", [documents[5]]))
        info = await other.info("default")
        assert info is not None
        assert (info.documents, info.links) == (23, 21)
        assert await other.verify("default") == []


async def test_two_that_make_the_same_namespace_at_once_get_one(store: Neo4jStore, neo4j_server: Server) -> None:
    await store.clear("default")
    async with Neo4jStore(neo4j_server.uri, settings_of(neo4j_server)) as other:
        made = await asyncio.gather(store.create("default", SPEC), other.create("default", SPEC))
        assert made[0] == made[1]
        await other.upsert("default", [CURIE])
        assert await store.verify("default") == []
        assert await abandoned(store) == []


async def test_fifty_searches_share_few_connections(neo4j_server: Server, store: Neo4jStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    few = settings_of(neo4j_server)
    few = type(few)(few.username, few.password, few.database, connections=4, timeout=few.timeout)
    async with Neo4jStore(neo4j_server.uri, few) as shared:
        found = await asyncio.gather(*(shared.search_text("default", "Warsaw", 5) for _ in range(50)))
        assert {len(hits) for hits in found} == {2}


def test_a_store_is_used_from_several_event_loops(neo4j_server: Server) -> None:
    shared = Neo4jStore(neo4j_server.uri, settings_of(neo4j_server))

    async def once(work: str) -> int:
        async with shared:
            if work == "fill":
                await shared.create("loops", SPEC)
                await shared.upsert("loops", [CURIE, WARSAW])
            found = len(await shared.search_text("loops", "Warsaw", 5))
            return found if work != "clear" else await shared.clear("loops")

    assert [asyncio.run(once(work)) for work in ("fill", "search", "clear")] == [2, 2, 2]


async def test_of_many_passages_the_index_finds_the_neighbours(store: Neo4jStore) -> None:
    documents = [prepared(f"d{n}", f"Title {n}", f"Text {n}. " + "e" * (n % 17)) for n in range(200)]
    await store.upsert("default", [*documents, prepared("zero", "Zero", "")])
    exact = await store.search_vector("default", QUERY, 10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neo4j_searching, "EXACT", 1)
        asked = await asked_by(store)
        by_index = await store.search_vector("default", QUERY, 10)
    assert by_index == exact
    assert any("VECTOR INDEX" in each or "queryNodes" in each for each in asked)


async def asked_by(store: Neo4jStore) -> list[str]:
    """Statements that the store reads by from now on."""
    server, asked = (await store._opened()).server, []
    read = server.read

    async def noted(stage: str, statement: str, **parameters: object) -> list[list[object]]:
        asked.append(statement)
        return await read(stage, statement, **parameters)

    server.read = noted  # type: ignore[method-assign]
    return asked


async def test_a_vector_of_zeros_is_near_to_nothing(store: Neo4jStore) -> None:
    zeros = prepared("z", "Zeros", "Nothing.")
    zeros.vectors[:] = 0
    await store.upsert("default", [zeros, CURIE])
    assert (await store.search_vector("default", -QUERY, 2))[0][1] == 0.0
    assert [score for _, score in await store.search_vector("default", np.zeros(4, np.float32), 5)] == [0.0, 0.0]
    [found] = (await store.vectors("default", [zeros.chunks[0].id])).values()
    assert found.tolist() == [0, 0, 0, 0]
    assert await store.verify("default") == []


class Died(BaseException):
    """In place of the end of a process."""


@contextmanager
def interrupted(module: object, name: str) -> Iterator[None]:
    """The process dies when it calls this function, as far as the store can tell."""

    async def dying(*_: object, **__: object) -> None:
        raise Died

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, dying)
        yield


async def test_clearing_interrupted_is_finished_by_the_next(store: Neo4jStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    [[number]] = await run(store, "MATCH (n:Namespace {name: 'default'}) RETURN n.number")
    with interrupted(neo4j_making, "sweep"), pytest.raises(Died):
        await store.clear("default")
    assert await store.info("default") is None
    await store.create("default", SPEC)
    await store.upsert("default", [WARSAW])
    assert len(await store.search_text("default", "Warsaw", 5)) == 1
    assert await abandoned(store) == []
    assert await run(store, "MATCH (n {namespace: $number}) RETURN count(n)", number=number) == [[0]]
    indexes = [parse_index(str(name)) for name, _ in await run(store, cypher.SHOW_INDEXES)]
    assert number not in [found[0] for found in indexes if found]


async def test_making_interrupted_leaves_no_namespace(store: Neo4jStore) -> None:
    with interrupted(neo4j_making, "make_vector_index"), pytest.raises(Died):
        await store.create("new", SPEC)
    assert await store.info("new") is None
    await store.create("new", SPEC)
    assert await store.verify("new") == []
    await run(store, "MATCH (v:Vacant) SET v.since = 0")


async def test_reembedding_interrupted_changes_nothing(store: Neo4jStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    before = await store.search_vector("default", QUERY, 5)
    other = IngestSpec(EmbedderSpec("other", 3))
    new = {id_: np.eye(3, dtype=np.float32)[n] for n, id_ in enumerate(await store.passage_ids("default"))}
    with interrupted(neo4j_reembedding, "make_vector_index"), pytest.raises(Died):
        await store.replace_vectors("default", other, new)
    assert await store.search_vector("default", QUERY, 5) == before
    assert await store.verify("default") == []
    await store.replace_vectors("default", other, new)
    assert await store.verify("default") == []
    left = await run(store, "MATCH (c:Chunk) RETURN collect(DISTINCT [key IN keys(c) WHERE key STARTS WITH 'vector'])")
    assert left == [[[["vector_3"]]]]


async def test_a_reader_sees_that_another_embedder_was_taken(store: Neo4jStore, neo4j_server: Server) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    async with Neo4jStore(neo4j_server.uri, settings_of(neo4j_server)) as reader:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(neo4j_searching, "EXACT", 1)
            patch.setattr(neo4j_searching, "LEAST_FETCHED", 1)
            assert len(await reader.search_vector("default", QUERY, 0)) == 0
            await reader.search_vector("default", QUERY, 1)
            new = {id_: np.eye(3, dtype=np.float32)[n] for n, id_ in enumerate(await store.passage_ids("default"))}
            await store.replace_vectors("default", IngestSpec(EmbedderSpec("other", 3)), new)
            with pytest.raises(StoreError, match=r"expected \(3,\).* Embed the query with 'other'"):
                await reader.search_vector("default", QUERY, 1)
            assert (await reader.search_vector("default", np.eye(3, dtype=np.float32)[0], 1))[0][1] == 1.0


async def test_documents_written_while_reembedding_are_not_lost(store: Neo4jStore) -> None:
    await store.upsert("default", [CURIE])
    [id_] = await store.passage_ids("default")
    real = neo4j_reembedding.make_vector_index

    async def with_a_write(*args: object) -> None:
        await real(*args)  # type: ignore[arg-type]
        await store.upsert("default", [WARSAW])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neo4j_reembedding, "make_vector_index", with_a_write)
        with pytest.raises(StoreError, match="documents were written meanwhile"):
            await store.replace_vectors("default", IngestSpec(EmbedderSpec("other", 3)), {id_: np.ones(3, np.float32)})
    assert len(await store.search_vector("default", QUERY, 5)) == 2
    assert await store.verify("default") == []


async def test_of_two_that_reembed_at_once_the_later_goes_on_and_the_first_changes_nothing(store: Neo4jStore) -> None:
    """Both lay vectors of the same dimension: those of two embedders must not mix."""
    await store.upsert("default", [CURIE, WARSAW])
    ids = await store.passage_ids("default")
    real, laid, failed, later = neo4j_reembedding.make_vector_index, asyncio.Event(), asyncio.Event(), []

    def replaced(name: str, value: int) -> Coroutine[Any, Any, None]:
        vectors = {id_: np.full(3, value, np.float32) for id_ in ids}
        return store.replace_vectors("default", IngestSpec(EmbedderSpec(name, 3)), vectors)

    async def in_turns(*args: Any) -> None:
        if later:  # the second has laid its vectors: now the first goes on, with nothing written meanwhile
            laid.set()
            await failed.wait()
        else:
            later.append(asyncio.create_task(replaced("second", 2)))
            await laid.wait()
        await real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neo4j_reembedding, "make_vector_index", in_turns)
        with pytest.raises(StoreError, match=r"^Re-embedding 'default': another process began the same later"):
            await replaced("first", 1)
        failed.set()
        await later[0]
    info = await store.info("default")
    assert info is not None
    assert info.spec.embedder.name == "second"
    assert {tuple(found.tolist()) for found in (await store.vectors("default", ids)).values()} == {(2, 2, 2)}
    assert await store.verify("default") == []


async def test_words_of_any_script_are_found_beside_whatever_lucene_would_parse(store: Neo4jStore) -> None:
    await store.upsert(
        "default", [CURIE, prepared("zh", "华沙", "华沙是波兰的首都"), prepared("ar", "وارسو", "وارسو عاصمة بولندا")]
    )
    for query in ("华沙是波兰的首都", "عاصمة", LUCENE + " Warsaw"):
        assert len(await store.search_text("default", query, 5)) == 1, query


async def test_a_name_of_any_length_is_kept(store: Neo4jStore) -> None:
    long = "X" * 9000
    documents = [Document("a", long, "First."), Document("b", "Other", f"It names {long} here.")]
    chunks = [chunk_document(document, "default", 20_000) for document in documents]
    ones = np.ones((1, 4), np.float32)
    await store.upsert("default", [PreparedDocument(*of, ones) for of in zip(documents, chunks, strict=True)])
    assert len(await store.named_in("default", f"Who is {long}?")) == 1
    info = await store.info("default")
    assert info is not None
    assert info.links == 1
    assert await store.verify("default") == []


@pytest.mark.parametrize(
    "damage",
    [
        "MATCH (c:Chunk {document: 'curie'}) DETACH DELETE c",
        "MATCH (c:Chunk {document: 'curie'}) REMOVE c.bytes_1",
        "MATCH (c:Chunk {document: 'curie'}) SET c.vector_1 = [1.0, 0.0, 0.0, 0.0]",
        "MATCH (c:Chunk {document: 'curie'}) SET c.terms = 'other'",
        "MATCH (c:Chunk {document: 'curie'}) SET c.text = 'Another text.'",
        "MATCH ()-[m:MENTIONS]->() DELETE m",
        "MATCH ()-[b:NAMES]->() DELETE b",
        "MATCH (c)-[m:MENTIONS]->(e) CREATE (c)-[:MENTIONS {place: m.place, rank: m.rank}]->(e)",
        "MATCH ()-[h:HAS]->(:Chunk {document: 'curie'}) DELETE h",
        "MATCH (n:Namespace) SET n.documents = 9",
        "MATCH (n:Namespace) SET n.links = 9",
        "MATCH ()-[o:NEXT]->() DELETE o",
        "index",
    ],
)
async def test_verify_finds_damage(store: Neo4jStore, damage: str) -> None:
    long = prepared("long", "Long", "One sentence of it names Warsaw. " * 4)
    await store.upsert("default", [CURIE, WARSAW, long])
    assert await store.verify("default") == []
    if damage == "index":
        [name, *_] = [name for name, _ in await run(store, cypher.SHOW_INDEXES) if "vectors" in str(name)]
        damage = f"DROP INDEX {name}"
    await run(store, damage)
    assert await store.verify("default") != []
