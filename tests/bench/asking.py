"""Real questions against a namespace that is filled already: answers, median time, and what the graph itself costs.

    python -m tests.bench.asking FILE --store PATH --namespace NAME [--count N]

FILE is a question set in the layout of HotpotQA (.json or .json.gz). The cost of the graph is a run minus its stages;
of the two that run at the same time, plan and probe, the longer one counts.
"""

import argparse
import asyncio
import gzip
import json
import statistics
import time
from pathlib import Path
from typing import Any

from graph.api import Result, aask
from graph.lookahead import build
from nodes.context import Context
from nodes.deps import Deps


def load(path: Path, count: int) -> list[dict[str, Any]]:
    """The first questions of the file."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    questions: list[dict[str, Any]] = json.loads(text)
    return questions[:count]


def own_cost(result: Result, wall_ms: float) -> float:
    """Milliseconds of the run that no stage accounts for."""
    timings = {name: ms for name, ms in result["timings_ms"].items() if name != "total"}
    together = max(timings.pop("plan", 0.0), timings.pop("probe", 0.0))
    return wall_ms - together - sum(timings.values())


async def main(file: Path, store: str, namespace: str, count: int) -> None:
    """Ask one after the other and print a line for each."""
    questions = load(file, count)
    walls, costs = [], []
    async with Deps(store) as deps:
        context = Context(planner="embedded", synthesizer="embedded", namespace=namespace)
        graph = build(deps)
        await aask("Is everything loaded?", graph=graph, context=context)
        for item in questions:
            started = time.perf_counter()
            result = await aask(item["question"], graph=graph, context=context)
            walls.append((time.perf_counter() - started) * 1000)
            costs.append(own_cost(result, walls[-1]))
            said = result["answer"] or "(abstained)"
            print(f"{walls[-1]:5.0f} ms  {item['question']}\n          {said}   [right: {item['answer']}]")
    print(f"{len(walls)} questions; whole run p50 {statistics.median(walls):.0f} ms, max {max(walls):.0f} ms; ", end="")
    print(f"of it the graph itself p50 {statistics.median(costs):.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--store", required=True)
    parser.add_argument("--namespace", default="default")
    parser.add_argument("--count", type=int, default=10)
    given = parser.parse_args()
    asyncio.run(main(given.file, given.store, given.namespace, given.count))
