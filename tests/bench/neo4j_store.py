"""How fast Neo4j is beside a folder with the same passages, and how many of the nearest neighbours its index finds.

    python -m tests.bench.neo4j_store FROM NAMESPACE [--questions 60]

copies a namespace of an embedded store into the server that NEO4J_URI names, asks both the same, and clears the copy.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

from nodes.settings import Settings
from stores import neo4j_searching
from stores.base import PassageStore
from stores.copying import copy
from stores.records import Passage, Vector

NEAREST = 30
FETCHED = (30, 60, 120, 240)
Call = Callable[[PassageStore, str, Passage, Vector], Awaitable[Any]]


async def one_linked(store: PassageStore, name: str, passage: Passage, query: Vector) -> Any:
    """Links of eight passages, as a search asks for them."""
    hits = await store.search_vector(name, query, 8)
    return await store.links(name, [id_ for id_, _ in hits])


CALLS: dict[str, Call] = {
    "search_text": lambda store, name, passage, _: store.search_text(name, passage["text"][:100], NEAREST),
    "search_vector": lambda store, name, _, query: store.search_vector(name, query, NEAREST),
    "search_vector, then links of 8": one_linked,
    "named_in": lambda store, name, passage, _: store.named_in(name, passage["text"][:100]),
}


async def main(source: str, name: str, questions: int) -> None:
    """Print rates, times and agreement."""
    settings = Settings()
    async with settings.open_store(source, read_only=True) as here, settings.open_store(settings.neo4j_uri) as there:
        info = await here.info(name)
        assert info is not None, f"no namespace {name!r} in {source!r}"
        if await there.info(name) is None:
            started = time.perf_counter()
            done = await copy(here, there, info, lambda _: None)
            took = time.perf_counter() - started
            print(f"copied {done.passages} passages in {took:.1f} s: {done.passages / took:.0f}/s")
        await compare(here, there, name, await sampled(here, name, questions))
        started = time.perf_counter()
        print(f"verify: {await there.verify(name) or 'sound'}, {time.perf_counter() - started:.1f} s")
        started = time.perf_counter()
        print(f"cleared {await there.clear(name)} documents in {time.perf_counter() - started:.1f} s")


async def sampled(store: PassageStore, name: str, number: int) -> list[tuple[Passage, Vector]]:
    """Passages whose text is asked, and vectors near to one or two others."""
    rng = np.random.default_rng(7)
    ids = await store.passage_ids(name)
    chosen = [ids[n] for n in rng.integers(len(ids), size=3 * number)]
    vectors = await store.vectors(name, chosen)
    passages = await store.passages(name, chosen[:number])
    near = [vectors[a] + 0.6 * vectors[b] for a, b in zip(chosen[number::2], chosen[number + 1 :: 2], strict=True)]
    return [(p, np.asarray(v / np.linalg.norm(v), dtype=np.float32)) for p, v in zip(passages, near, strict=True)]


async def compare(here: PassageStore, there: PassageStore, name: str, asked: Sequence[tuple[Passage, Vector]]) -> None:
    """Print times of both stores, and how far they agree."""
    for label, call in CALLS.items():
        old, new = [await timed(store, name, call, asked) for store in (here, there)]
        same = statistics.mean(first == second for first, second in zip(old[1], new[1], strict=True))
        print(f"{label}: folder {old[0]}, Neo4j {new[0]}; the same for {same:.1%} of the questions")
    exact = (await timed(here, name, CALLS["search_vector"], asked))[1]
    for fetched in FETCHED:
        with patch.object(neo4j_searching, "LEAST_FETCHED", fetched), patch.object(neo4j_searching, "OVER_FETCH", 1):
            took, found = await timed(there, name, CALLS["search_vector"], asked)
        recall = statistics.mean(len(set(dict(a)) & set(dict(b))) / NEAREST for a, b in zip(exact, found, strict=True))
        print(f"index asked for {fetched}: {took}, {recall:.1%} of the {NEAREST} nearest")
    with patch.object(neo4j_searching, "EXACT", 10**9):
        print(f"compared one by one: {(await timed(there, name, CALLS['search_vector'], asked))[0]}")


async def timed(
    store: PassageStore, name: str, call: Call, asked: Sequence[tuple[Passage, Vector]]
) -> tuple[str, list[Any]]:
    """Median and 95th percentile in ms, and what was found."""
    for passage, query in asked[:5]:
        await call(store, name, passage, query)
    took, found = [], []
    for passage, query in asked:
        started = time.perf_counter()
        found.append(await call(store, name, passage, query))
        took.append(1000 * (time.perf_counter() - started))
    return f"p50 {statistics.median(took):.1f} ms, p95 {sorted(took)[int(0.95 * len(took))]:.1f} ms", found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.neo4j_store")
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("namespace")
    parser.add_argument("--questions", type=int, default=60)
    arguments = parser.parse_args()
    asyncio.run(main(arguments.source, arguments.namespace, arguments.questions))
