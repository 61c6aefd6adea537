"""The contract of stores, held by the Neo4j store on real servers: one with `SEARCH`, one without.

Also that its links are those of the embedded store, whatever the history.
"""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.contract.store_contract")

from hypothesis import HealthCheck, given, settings  # noqa: E402

from stores.embedded import EmbeddedStore  # noqa: E402
from stores.neo4j import Neo4jStore  # noqa: E402
from tests.contract import histories  # noqa: E402
from tests.contract.store_contract import SPEC, contract_tests  # noqa: E402
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j  # noqa: E402
from tests.integration.neo4j_stores import empty_store  # noqa: E402

globals().update(contract_tests())


@pytest.fixture
async def empty_neo4j(neo4j_server: Neo4jServer | OwnNeo4j) -> AsyncIterator[Neo4jStore]:
    async with empty_store(neo4j_server) as opened:
        yield opened


@pytest.fixture
async def store(empty_neo4j: Neo4jStore) -> Neo4jStore:
    await empty_neo4j.create("default", SPEC)
    return empty_neo4j


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(histories.HISTORIES)
async def test_any_history_gives_what_the_embedded_store_shows_after_one_ingest(
    empty_neo4j: Neo4jStore, tmp_path: Path, history: list[list[object]]
) -> None:
    shutil.rmtree(tmp_path / "fresh", ignore_errors=True)
    await empty_neo4j.clear("default")
    await empty_neo4j.create("default", histories.SPEC)
    left = await histories.live_through(empty_neo4j, history)
    async with EmbeddedStore(tmp_path / "fresh") as fresh:
        await fresh.create("default", histories.SPEC)
        await fresh.upsert("default", list(reversed(left)))
        assert await histories.everything(empty_neo4j) == await histories.everything(fresh)
        # Scores are not compared: Lucene counts deleted passages until it merges its segments.
        assert await words(empty_neo4j) == await words(fresh)
    assert await empty_neo4j.verify("default") == []


async def words(store: EmbeddedStore | Neo4jStore) -> list[set[str]]:
    """Ids of all that is found by each query."""
    return [{id_ for id_, _ in await store.search_text("default", query, 99)} for query in histories.QUERIES]
