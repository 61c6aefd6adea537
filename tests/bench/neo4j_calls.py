"""What a search asks a Neo4j server: how often, how long each kind takes, and how much of that is the server's own.

Every reading call of the store is one statement and one round trip, so counting them counts both.
"""

import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from stores import cypher
from stores.neo4j_connection import Rows, Server

KINDS = {
    cypher.SEARCH_TEXTS: "full-text",
    cypher.LINKS: "links",
    cypher.VECTORS: "vectors by id",
    cypher.PASSAGES: "passages by id",
    cypher.NAMED_IN: "names in the question",
}
"""Every other one asks the nearest neighbours."""
NEAREST = "nearest vectors"
REPLAYED = 150
"""Calls of each kind that are made again, alone."""


@dataclass
class Calls:
    """Statements that were read by while they were noted."""

    searches: int = 0
    asked: dict[str, list[tuple[str, dict[str, Any]]]] = field(default_factory=lambda: defaultdict(list))
    """By kind: statement and parameters."""
    busy: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By kind: milliseconds, of which others may be under way at the same time."""

    @contextmanager
    def noting(self, wanted: bool) -> Iterator[None]:
        """Note what one search asks, if `wanted`."""
        read, calls = Server.read, self

        async def noted(server: Server, stage: str, statement: str, **parameters: Any) -> Rows:
            kind = KINDS.get(statement, NEAREST)
            calls.asked[kind].append((statement, parameters))
            started = time.perf_counter()
            try:
                return await read(server, stage, statement, **parameters)
            finally:
                calls.busy[kind].append(1000 * (time.perf_counter() - started))

        if not wanted:
            yield
            return
        self.searches += 1
        with patch.object(Server, "read", noted):
            yield


async def print_calls(calls: Calls, server: Server) -> None:
    """A row for each kind, from what was noted and from the same calls made again with nothing else under way."""
    print("where the time goes         a search asks   together      alone   of it the server's   rows")
    trips, total = 0.0, 0.0
    for kind in sorted(calls.asked, key=lambda kind: -sum(calls.busy[kind])):
        each = len(calls.asked[kind]) / calls.searches
        found = [await _alone(server, *call) for call in calls.asked[kind][:: _step(len(calls.asked[kind]))]]
        wall, own, rows = (statistics.median(column) for column in zip(*found, strict=True))
        print(
            f"{kind:<28}{each:>8.1f} times{statistics.median(calls.busy[kind]):>8.1f} ms{wall:>8.1f} ms"
            f"{own:>18.0f} ms{rows:>9.0f}"
        )
        trips, total = trips + each, total + each * wall
    print(f"{'altogether':<28}{trips:>8.1f} times{'':>11}{total:>8.1f} ms if one after the other")


def _step(count: int) -> int:
    return max(1, count // REPLAYED)


async def _alone(server: Server, statement: str, parameters: dict[str, Any]) -> tuple[float, float, int]:
    """Milliseconds of one call, those that the server says it took, and rows of what was found."""
    async with server._session(reading=True) as session:
        started = time.perf_counter()
        result = await session.run(statement, parameters)
        rows = [record.values() async for record in result]
        wall = 1000 * (time.perf_counter() - started)
        summary = await result.consume()
    own = float(summary.result_available_after or 0) + float(summary.result_consumed_after or 0)
    return wall, own, len(rows[0][1]) if rows else 0
