"""Many questions at once against one Neo4j server: errors, times beside one at a time, and connections."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from neo4j import GraphDatabase

from evaluation.latency import summarise
from graph.api import aask
from graph.lookahead import build
from models.embedder import Embedder
from nodes.context import Context
from nodes.deps import Deps
from stores.base import PassageStore
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tools.retrieval import StoreSearch

Ask = Callable[[str], Awaitable[object]]
ALONE = 20
"""Questions asked one at a time, for comparison."""


async def ask_at_once(
    store: PassageStore, embedder: Embedder, namespace: str, questions: Sequence[str], server: Neo4jServer | OwnNeo4j
) -> None:
    """Print how it goes by search alone, and by whole runs with planner and synthesizer embedded."""
    search = StoreSearch(store, embedder, namespace)
    graph = build(Deps(store, embedder=embedder))
    context = Context(planner="embedded", synthesizer="embedded", namespace=namespace)

    async def searched(question: str) -> object:
        return await search.search(question, mode="hybrid", limit=10)

    async def answered(question: str) -> object:
        return await aask(question, graph=graph, context=context)

    for name, ask in (("search", searched), ("whole run", answered)):
        await ask(questions[0])
        alone = [await timed(ask, question) for question in questions[:ALONE]]
        started = time.perf_counter()
        crowd = await asyncio.gather(*(timed(ask, question) for question in questions))
        seconds = time.perf_counter() - started
        errors = Counter(said for _, said in [*alone, *crowd] if said)
        print(f"{name}, one at a time: {told(alone)}")
        print(f"{name}, {len(questions)} at once: {told(crowd)}, all after {seconds:.1f} s")
        print(f"errors: {dict(errors) or 'none'}; connections open: {connections(server)}")


async def timed(ask: Ask, question: str) -> tuple[float, str]:
    """Milliseconds, and the error if there was one."""
    started, said = time.perf_counter(), ""
    try:
        await ask(question)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    return 1000 * (time.perf_counter() - started), said


def told(each: Sequence[tuple[float, str]]) -> str:
    """p50 and p95."""
    found = summarise([ms for ms, _ in each])
    assert found is not None
    return f"p50 {found.p50:.0f} ms, p95 {found.p95:.0f} ms"


def connections(server: Neo4jServer | OwnNeo4j) -> int:
    """Of this program, as the server counts them: the driver keeps every one it ever needed."""
    query = "CALL dbms.listConnections() YIELD userAgent WHERE userAgent STARTS WITH 'lookahead' RETURN count(*) AS n"
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        [record] = driver.execute_query(query, database_="system").records
    return int(record["n"])
