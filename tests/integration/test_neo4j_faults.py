"""What a Neo4j server does to its clients: it is not there, refuses, is killed during an ingest, comes again."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace

import numpy as np
import pytest

from stores.chunking import chunk_document
from stores.errors import StoreBusy, StoreError, StoreVersionError
from stores.neo4j import Neo4jStore
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.integration.neo4j_stores import empty_store, settings_of
from tests.integration.server_process import free_port

Server = Neo4jServer | OwnNeo4j
SPEC = IngestSpec(EmbedderSpec("toy", 16))
BATCH = 40


def prepared(n: int) -> PreparedDocument:
    document = Document(str(n), f"Title {n}", f"Text {n} names Title {n - 1} and Title {n + 1}.")
    return PreparedDocument(document, chunk_document(document, "default"), np.full((1, 16), n + 1, np.float32))


@pytest.fixture
async def store(neo4j_server: Server) -> AsyncIterator[Neo4jStore]:
    async with empty_store(neo4j_server) as opened:
        await opened.create("default", SPEC)
        yield opened


async def said_by(store: Neo4jStore) -> str:
    """The sentence that opening it raises."""
    with pytest.raises(StoreError) as raised:
        await store.__aenter__()
    assert "\n" not in str(raised.value)
    return str(raised.value)


async def test_a_wrong_password_is_said_without_showing_it(neo4j_server: Server) -> None:
    settings = replace(settings_of(neo4j_server), password="not-the-password")
    said = await said_by(Neo4jStore(neo4j_server.uri, settings))
    assert said.startswith(f"Opening the store: Neo4j at '{neo4j_server.uri}' refuses the user 'neo4j'")
    assert "NEO4J_PASSWORD" in said
    assert "not-the-password" not in said


async def test_no_password_is_said(neo4j_server: Server) -> None:
    said = await said_by(Neo4jStore(neo4j_server.uri, replace(settings_of(neo4j_server), password="")))
    assert "asks for a login. Set NEO4J_USERNAME and NEO4J_PASSWORD" in said


async def test_a_missing_database_is_said(neo4j_server: Server) -> None:
    said = await said_by(Neo4jStore(f"{neo4j_server.uri}/nowhere", settings_of(neo4j_server)))
    assert "has no database 'nowhere'" in said


@pytest.mark.parametrize("scheme", ["neo4j", "bolt"])
async def test_no_server_is_said_at_once(scheme: str) -> None:
    store = Neo4jStore(f"{scheme}://127.0.0.1:{free_port()}")
    assert "cannot be reached" in await asyncio.wait_for(said_by(store), 30)


async def test_a_server_without_tls_is_said(neo4j_server: Server) -> None:
    secure = neo4j_server.uri.replace("bolt://", "bolt+s://").replace("neo4j://", "neo4j+s://")
    assert "neo4j:// without TLS" in await said_by(Neo4jStore(secure, settings_of(neo4j_server)))


async def test_a_newer_schema_is_refused(store: Neo4jStore, neo4j_server: Server) -> None:
    server = (await store._opened()).server
    set_version = "MATCH (s:LookaheadStore) SET s.version = $version"
    await server.change("Test", set_version, version=99)
    try:
        with pytest.raises(StoreVersionError, match="schema 99"):
            await Neo4jStore(neo4j_server.uri, settings_of(neo4j_server)).__aenter__()
    finally:
        await server.change("Test", set_version, version=1)


async def test_a_writer_that_waits_too_long_says_who_is_busy(store: Neo4jStore, neo4j_server: Server) -> None:
    locked, done = asyncio.Event(), asyncio.Event()

    async def hold(transaction: object) -> None:
        await transaction.run("MATCH (n:Namespace {name: 'default'}) SET n.locked = 1")  # type: ignore[attr-defined]
        locked.set()
        await done.wait()

    holding = asyncio.create_task((await store._opened()).server.write("Test", hold))
    await locked.wait()
    async with Neo4jStore(neo4j_server.uri, settings_of(neo4j_server, timeout=3)) as impatient:
        with pytest.raises(StoreBusy, match="another process has been writing"):
            await impatient.upsert("default", [prepared(1)])
        done.set()
        await holding
        assert await store.upsert("default", [prepared(1)])
    assert await store.verify("default") == []


async def test_no_connection_free_is_said(store: Neo4jStore, neo4j_server: Server) -> None:
    one = replace(settings_of(neo4j_server, timeout=3), connections=1)
    async with Neo4jStore(neo4j_server.uri, one) as shared:
        done = asyncio.Event()
        holding = asyncio.create_task((await shared._opened()).server.write("Test", lambda _: done.wait()))
        await asyncio.sleep(0.1)
        with pytest.raises(StoreBusy, match=r"no connection free for .* s; 1 are in use.* NEO4J_CONNECTIONS"):
            await shared.search_text("default", "text", 5)
        done.set()
        await holding
        assert await shared.search_text("default", "text", 5) == []


async def ingest(server: Server, patience: float, documents: int) -> None:
    """As `lookahead ingest` does: batch by batch, each in one transaction."""
    async with Neo4jStore(server.uri, settings_of(server, patience)) as store:
        await store.create("default", SPEC)
        for start in range(0, documents, BATCH):
            await store.upsert("default", [prepared(n) for n in range(start, start + BATCH)])


async def test_killed_in_the_middle_of_an_ingest_nothing_is_lost_or_doubled(
    store: Neo4jStore, neo4j_to_kill: Neo4jServer
) -> None:
    moments = random.Random(7)
    for _ in range(2):
        ingesting = asyncio.create_task(ingest(neo4j_to_kill, patience=1, documents=1_000_000))
        await asyncio.sleep(moments.uniform(1, 4))
        await asyncio.to_thread(neo4j_to_kill.kill)
        with pytest.raises(StoreError, match="run the same command again"):
            await ingesting
        await asyncio.to_thread(neo4j_to_kill.start)
        assert await store.verify("default") == []
    before = await store.info("default")
    assert before is not None
    await ingest(neo4j_to_kill, patience=120, documents=before.documents + BATCH)
    info = await store.info("default")
    assert info is not None
    assert info.documents == info.passages == before.documents + BATCH
    assert info.links == 2 * info.documents - 2
    assert await store.verify("default") == []


async def test_a_write_waits_for_a_server_that_is_being_restarted(
    store: Neo4jStore, neo4j_to_kill: Neo4jServer
) -> None:
    await store.upsert("default", [prepared(1)])
    await asyncio.to_thread(neo4j_to_kill.stop)
    async with asyncio.TaskGroup() as tasks:
        storing = tasks.create_task(store.upsert("default", [prepared(2)]))
        await asyncio.sleep(1)
        assert not storing.done()
        await asyncio.to_thread(neo4j_to_kill.start)
    info = await store.info("default")
    assert info is not None
    assert info.documents == 2
    assert await store.verify("default") == []


async def test_a_server_that_went_away_is_said_and_found_again(store: Neo4jStore, neo4j_to_kill: Neo4jServer) -> None:
    await store.upsert("default", [prepared(1)])
    async with Neo4jStore(neo4j_to_kill.uri, settings_of(neo4j_to_kill, timeout=1)) as reader:
        assert len(await reader.search_text("default", "text", 5)) == 1
        await asyncio.to_thread(neo4j_to_kill.kill)
        with pytest.raises(StoreError, match=r"^Searching: Neo4j at .* cannot be reached"):
            await reader.search_text("default", "text", 5)
        await asyncio.to_thread(neo4j_to_kill.start)
    assert len(await store.search_text("default", "text", 5)) == 1
