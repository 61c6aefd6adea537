"""Stores on the servers that tests run against: empty when a test begins, and emptied when it ends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j

PATIENCE = 120.0
"""Seconds for a call on a machine that has other things to do."""


def settings_of(server: Neo4jServer | OwnNeo4j, timeout: float = PATIENCE) -> Neo4jSettings:
    """Login of a test's server."""
    return Neo4jSettings(server.username, server.password, server.database or "", timeout=timeout)


@asynccontextmanager
async def empty_store(server: Neo4jServer | OwnNeo4j) -> AsyncIterator[Neo4jStore]:
    """A store without namespaces; those that a test makes are cleared."""
    async with Neo4jStore(server.uri, settings_of(server)) as store:
        there = [info.name for info in await store.namespaces()]
        if there and isinstance(server, OwnNeo4j):
            pytest.fail(f"TEST_NEO4J_URI names a database with documents in it ({there}): name one without")
        await _clear(store)
        try:
            yield store
        finally:
            await _clear(store)


async def _clear(store: Neo4jStore) -> None:
    for info in await store.namespaces():
        await store.clear(info.name)
