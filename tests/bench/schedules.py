"""The same unbalanced plan under each schedule, side by side: how long a run waits for its searches.

Two chains, one slow then quick, one quick then slow: a level-by-level schedule waits for the slowest of each level, a
dataflow for the slowest chain only. Searches are delays; everything else is the real graph.

    python -m tests.bench.schedules [--runs N]
"""

import argparse
import asyncio
import statistics
import time

from graph.lookahead import build
from nodes.context import Context
from nodes.deps import Deps
from tests.fakes import FakePlanner, FakeReader, FakeSearch, FakeSynthesizer, hit

DELAYS = {"slow": 0.3, "then quick": 0.1, "quick": 0.1, "then slow": 0.3}
PLAN = [
    {"id": "n1", "query": "slow"},
    {"id": "n2", "query": "then quick", "depends_on": ["n1"]},
    {"id": "n3", "query": "quick"},
    {"id": "n4", "query": "then slow", "depends_on": ["n3"]},
]


async def measure(schedule: str, runs: int) -> tuple[float, float]:
    """Median milliseconds of retrieve and of the whole run."""
    search = FakeSearch({query: [hit(query)] for query in [*DELAYS, "question"]}, DELAYS)
    parts = {"reader": FakeReader(), "planner": FakePlanner(PLAN), "synthesizer": FakeSynthesizer()}
    graph = build(Deps(search=search, **parts))  # type: ignore[arg-type]
    retrieve, total = [], []
    for _ in range(runs):
        started = time.perf_counter()
        state = await graph.ainvoke({"question": "question"}, context=Context(schedule=schedule))  # type: ignore[arg-type]
        total.append((time.perf_counter() - started) * 1000)
        retrieve.append(state["timings_ms"]["retrieve"])
    return statistics.median(retrieve), statistics.median(total)


async def main(runs: int) -> None:
    """Print a line for each schedule."""
    print(f"two chains of searches: 300 ms then 100 ms, 100 ms then 300 ms; median of {runs} runs")
    fastest = None
    for schedule in ("dataflow", "waves", "sequential"):
        retrieve, total = await measure(schedule, runs)
        fastest = fastest or retrieve
        print(f"{schedule:<11} retrieve {retrieve:6.0f} ms  ({retrieve / fastest:.2f} x)  whole run {total:6.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    asyncio.run(main(parser.parse_args().runs))
