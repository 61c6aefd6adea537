"""`lookahead migrate-store` with real Neo4j servers: there and back, and the server killed in the middle."""

import asyncio
import json
import os
import re
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stores.chunking import chunk_document
from stores.embedded import EmbeddedStore
from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument
from tests.e2e.test_cli import COMMAND, ROOT, run
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.unit.test_copying import ODD, SPEC, contents, prepared, sample

NUMBER = 6000


@pytest.fixture
def environment(neo4j_server: Neo4jServer | OwnNeo4j) -> dict[str, str]:
    """The login stands where a user would put it."""
    login = {"NEO4J_USERNAME": neo4j_server.username, "NEO4J_PASSWORD": neo4j_server.password}
    return {**os.environ, **login, "NEO4J_DATABASE": neo4j_server.database, "PYTHONPATH": str(ROOT)}


@pytest.fixture
async def neo4j(neo4j_server: Neo4jServer | OwnNeo4j) -> AsyncIterator[Neo4jStore]:
    login = Neo4jSettings(neo4j_server.username, neo4j_server.password, neo4j_server.database)
    async with Neo4jStore(neo4j_server.uri, login) as store:
        yield store


@pytest.fixture
async def namespace(neo4j: Neo4jStore) -> AsyncIterator[str]:
    """A name that nobody has, on a server that may be somebody's."""
    name = f"migrate-{secrets.token_hex(6)}"
    yield name
    await neo4j.clear(name)


async def test_the_sample_there_and_back_cannot_be_told_from_it(
    environment: dict[str, str], neo4j: Neo4jStore, namespace: str, tmp_path: Path
) -> None:
    here, back = str(tmp_path / "here"), str(tmp_path / "back")
    async with EmbeddedStore(Path(here)) as store:
        await store.create(namespace, SPEC)
        await store.upsert(namespace, [prepared(document, namespace) for document in [*sample(), *ODD]])
        expected = await contents(store, namespace)
    there = await asyncio.to_thread(migrated, environment, here, neo4j.address, namespace)
    assert there["added"] == len([*sample(), *ODD])
    assert there["source"] == there["target"]
    assert await contents(neo4j, namespace) == expected
    assert await neo4j.verify(namespace) == []
    await asyncio.to_thread(migrated, environment, neo4j.address, back, namespace)
    async with EmbeddedStore(Path(back)) as store:
        assert await contents(store, namespace) == expected
        assert await store.verify(namespace) == []
    again = await asyncio.to_thread(migrated, environment, here, neo4j.address, namespace)
    assert (again["added"], again["updated"], again["passages"]) == (0, 0, 0)


async def test_a_target_of_another_embedder_is_refused(
    environment: dict[str, str], neo4j: Neo4jStore, namespace: str, tmp_path: Path
) -> None:
    await neo4j.create(namespace, IngestSpec(EmbedderSpec("other", 4)))
    async with EmbeddedStore(tmp_path / "here") as store:
        await store.create(namespace, SPEC)
    arguments = ("migrate-store", str(tmp_path / "here"), neo4j.address)
    said = (await asyncio.to_thread(run, environment, *arguments, code=1)).stderr
    assert said.startswith(f"error: migrate-store: namespace '{namespace}' of {neo4j.address} was made with another")
    assert len(said.splitlines()) == 1


async def test_the_server_killed_in_the_middle_is_said_and_the_same_command_goes_on(
    environment: dict[str, str],
    neo4j_to_kill: Neo4jServer,
    neo4j: Neo4jStore,
    namespace: str,
    tmp_path: Path,
) -> None:
    async with EmbeddedStore(tmp_path / "here") as store:
        await store.create(namespace, IngestSpec(EmbedderSpec("toy", 8)))
        await store.upsert(namespace, [follower(n, namespace) for n in range(NUMBER)])
        ids = await store.passage_ids(namespace)
        links = await store.links(namespace, ids)
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        *("migrate-store", str(tmp_path / "here"), neo4j.address),
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        while (info := await neo4j.info(namespace)) is None or not info.documents:
            assert process.returncode is None, (await process.communicate())[1]
            await asyncio.sleep(0.1)
        await asyncio.to_thread(neo4j_to_kill.kill)
        _, written = await asyncio.wait_for(process.communicate(), 300)
    finally:
        if process.returncode is None:
            process.kill()
        await asyncio.to_thread(neo4j_to_kill.start)
    said = written.decode()
    assert process.returncode == 1
    note, error = (line for line in said.splitlines() if not re.match(r"\d+%: ", line))
    assert note == "note: what was copied before is kept; run the same command again to go on"
    assert error.startswith("error: ")
    assert neo4j_to_kill.password not in said
    rest = await asyncio.to_thread(migrated, environment, str(tmp_path / "here"), neo4j.address, namespace)
    assert rest["unchanged"] >= info.documents > 0
    assert rest["added"] == NUMBER - rest["unchanged"] > 0
    assert rest["source"] == rest["target"] == {"documents": NUMBER, "passages": NUMBER, "links": NUMBER}
    assert await neo4j.links(namespace, ids) == links
    assert await neo4j.verify(namespace) == []


def follower(n: int, namespace: str) -> PreparedDocument:
    """A document that names the one before."""
    document = Document(f"{n:05}", f"Item {n}", f"It follows Item {(n or NUMBER) - 1}.")
    return PreparedDocument(document, chunk_document(document, namespace), np.full((1, 8), n + 1, np.float32))


def migrated(environment: dict[str, str], source: str, target: str, namespace: str) -> dict[str, Any]:
    done = run(environment, "migrate-store", source, target, "--namespace", namespace, "--json")
    (told,) = json.loads(done.stdout)["namespaces"]
    return dict(told)
