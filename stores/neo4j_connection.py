"""One Neo4j database as seen from one event loop: its driver, transactions, time limits and retries.

A read is a single statement in a transaction of its own: one round trip. A write is a transaction that is done again,
from its beginning, when it fails for a passing reason; the limit is counted from the first failure. Knows no Cypher.
"""

import asyncio
import logging
import math
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from stores.errors import LookaheadError, StoreError
from stores.neo4j_address import Neo4jAddress, Neo4jSettings
from stores.neo4j_failures import explain, is_transient

if TYPE_CHECKING:  # who keeps documents in a folder pays for no driver
    from neo4j import AsyncDriver, AsyncSession, AsyncTransaction

T = TypeVar("T")
Rows = list[list[Any]]
OLDEST = (5, 26)
"""The oldest server that understands every statement."""
SEARCH = (2026, 2)
"""Since this version `SEARCH` asks a vector index, and the procedure for it is deprecated."""
WRITE_SECONDS = 900.0
"""Longest time that one attempt of a write may take: making an index over many vectors is the slowest."""
_FIRST_WAIT, _LONGEST_WAIT = 0.05, 2.0
logging.getLogger("neo4j").addHandler(logging.NullHandler())
"""What the driver logs as an error is retried here, or becomes a sentence: only who asks for its log sees it."""


class Transaction:
    """Statements of one write transaction."""

    def __init__(self, transaction: "AsyncTransaction") -> None:
        self._transaction = transaction

    async def run(self, statement: str, **parameters: Any) -> Rows:
        """Values of each row of the result."""
        result = await self._transaction.run(statement, parameters)
        return [record.values() async for record in result]


class Server:
    """A driver and what is known of the server behind it. Made for the running event loop; only that one may use it.

    Args:
        address: of the database.
        settings: login, pool and time limits.
        read_only: refuse to write.
    """

    def __init__(self, address: Neo4jAddress, settings: Neo4jSettings, *, read_only: bool) -> None:
        self.address = address
        self.settings = settings
        self.read_only = read_only
        self.version = (0, 0)
        """Of the server, as soon as `greet` was called."""
        self._driver = _make_driver(address, settings)

    async def greet(self, statement: str) -> Rows:
        """The first statement: not retried, so that a wrong address or password is said at once; learns the version.

        Raises:
            StoreError: the server is not there, refuses the login, has no such database or is too old.
        """
        stage = "Opening the store"

        async def attempt() -> Rows:
            async with self._session(reading=True) as session:
                result = await session.run(statement)
                rows = [record.values() async for record in result]
                self.version = parse_version(str((await result.consume()).server.agent))
                return rows

        rows = await self._persevere(stage, attempt, self.settings.timeout, patience=0)
        if self.version < OLDEST:
            raise StoreError(
                f"{stage}: Neo4j at {self.address.shown!r} is version {_dotted(self.version)}; this program needs "
                f"{_dotted(OLDEST)} or newer."
            )
        return rows

    async def read(self, stage: str, statement: str, **parameters: Any) -> Rows:
        """Values of each row; passing failures are retried, and all of it is over after `timeout`."""
        seconds = self.settings.timeout
        return await self._persevere(
            stage, lambda: self._ask(statement, parameters, reading=True), seconds, altogether=seconds
        )

    async def change(self, stage: str, statement: str, **parameters: Any) -> Rows:
        """One statement that writes, or that makes an index, in a transaction of its own. It must bear repeating."""
        self.check_writable(stage)
        return await self._persevere(stage, lambda: self._ask(statement, parameters, reading=False), WRITE_SECONDS)

    async def write(self, stage: str, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """All that `work` does in one transaction, committed on return; `work` may be called again from the start."""
        self.check_writable(stage)

        async def attempt() -> T:
            async with self._session(reading=False) as session, await session.begin_transaction() as transaction:
                done = await work(Transaction(transaction))
                await transaction.commit()
                return done

        return await self._persevere(stage, attempt, WRITE_SECONDS)

    def check_writable(self, stage: str) -> None:
        """Raises `StoreError` when it was opened for reading only."""
        if self.read_only:
            raise StoreError(f"{stage}: {self.address.shown!r} was opened for reading only. Open it without read_only.")

    async def close(self) -> None:
        """Close the driver's connections."""
        await self._driver.close()

    async def _ask(self, statement: str, parameters: dict[str, Any], *, reading: bool) -> Rows:
        async with self._session(reading=reading) as session:
            result = await session.run(statement, parameters)
            return [record.values() async for record in result]

    @asynccontextmanager
    async def _session(self, *, reading: bool) -> AsyncIterator["AsyncSession"]:
        from neo4j import READ_ACCESS, WRITE_ACCESS

        async with self._driver.session(
            database=self.address.database,
            default_access_mode=READ_ACCESS if reading else WRITE_ACCESS,
            # What this store wrote it reads, also when a cluster answers.
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        ) as session:
            yield session

    async def _persevere(
        self,
        stage: str,
        attempt: Callable[[], Awaitable[T]],
        seconds: float,
        patience: float | None = None,
        altogether: float = math.inf,
    ) -> T:
        return await persevere(
            attempt,
            lambda error, tried: explain(error, stage, self.address, self.settings, tried),
            seconds=seconds,
            patience=self.settings.timeout if patience is None else patience,
            altogether=altogether,
        )


async def persevere(
    attempt: Callable[[], Awaitable[T]],
    explained: Callable[[BaseException, float], StoreError | None],
    *,
    seconds: float,
    patience: float,
    altogether: float = math.inf,
) -> T:
    """Attempt something until it succeeds or fails for good.

    Args:
        attempt: to be awaited, perhaps several times.
        explained: the error to raise, of the last failure and the seconds spent; None: that failure as it is.
        seconds: that one attempt may take.
        patience: how long after the first passing failure a new attempt may begin.
        altogether: seconds that all attempts may take, with the waits between them.
    """
    clock = asyncio.get_running_loop().time
    started, first_failure, wait = clock(), None, _FIRST_WAIT
    while True:
        try:
            async with asyncio.timeout(min(seconds, started + altogether - clock())):
                return await attempt()
        except LookaheadError:
            raise
        except Exception as error:
            first_failure = first_failure or clock()
            if not is_transient(error) or clock() + wait > min(first_failure + patience, started + altogether):
                final = explained(error, clock() - started)
                if final is None:
                    raise
                raise final from error
        await asyncio.sleep(wait * random.uniform(0.5, 1))
        wait = min(2 * wait, _LONGEST_WAIT)


def parse_version(agent: str) -> tuple[int, int]:
    """Version of a server from what it calls itself.

    >>> parse_version("Neo4j/5.26.0"), parse_version("Neo4j/2026.09.0"), parse_version("Neo4j/5.27-aura")
    ((5, 26), (2026, 9), (5, 27))
    """
    found = re.search(r"/(\d+)\.(\d+)", agent)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))


def _make_driver(address: Neo4jAddress, settings: Neo4jSettings) -> "AsyncDriver":
    from neo4j import AsyncGraphDatabase
    from neo4j.exceptions import ConfigurationError

    try:
        return AsyncGraphDatabase.driver(
            address.uri,
            auth=(settings.username, settings.password) if settings.password else None,
            max_connection_pool_size=settings.connections,
            # Sooner than a call is given up, so that it is said what was waited for.
            connection_acquisition_timeout=0.9 * settings.timeout,
            connection_timeout=min(settings.timeout, 10.0),
            notifications_min_severity="OFF",
            user_agent="lookahead-rag",
            telemetry_disabled=True,
        )
    except (ConfigurationError, ValueError) as error:
        raise StoreError(
            f"Opening the store: {address.shown!r} is no address that the Neo4j driver takes ({error})."
        ) from error
