"""The contract of stores, held by the embedded store; `tests/integration/test_store_neo4j.py` holds Neo4j to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.contract.store_contract")

from stores.embedded import EmbeddedStore  # noqa: E402
from tests.contract.store_contract import SPEC, contract_tests  # noqa: E402

globals().update(contract_tests())


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    async with EmbeddedStore(tmp_path / "store") as opened:
        await opened.create("default", SPEC)
        yield opened
