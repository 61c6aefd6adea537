"""Twenty questions at once while the model's server is overrun, down or silent: time, calls, what people read.

A loopback server speaks the dialect of Groq or Ollama; graph, clients, waits and the circuit breaker are the real ones.
The same questions on a healthy server come first, and every time is given against theirs.

    python -m tests.bench.model_faults [--wire groq|ollama] [--questions N]
"""

import argparse
import asyncio
import math
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evaluation.sample import passages_path
from graph.api import aask
from graph.ingest import build
from graph.results import Result
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from tests.integration import wire_groq, wire_ollama
from tests.integration.wire_http import Fault, Reply, Request, Script
from tests.integration.wire_server import WireServer, refusing_url
from tests.integration.wire_talk import ANSWER, PLAN, QUESTION, asks_for_plan

PLAN_SECONDS, ANSWER_SECONDS = 0.15, 0.3
"""How long the healthy server takes to begin."""
PER_SECOND = 5
"""Requests that the overrun server takes in a second."""


@dataclass(frozen=True)
class Scene:
    """A server, and the settings of the questions."""

    name: str
    script: Callable[[Any], Script] | None
    """None where nobody listens."""
    settings: dict[str, Any]


def healthy(wire: Any) -> Script:
    """Answers after the time that a quick model takes."""

    def script(request: Request) -> Reply:
        planning = asks_for_plan(request)
        reply: Reply = wire.say(request, PLAN if planning else ANSWER)
        pause = PLAN_SECONDS if planning else ANSWER_SECONDS
        return Reply(200, (pause, *reply.pieces), reply.headers, reply.content_type, reply.chunked)

    return script


def overrun(wire: Any) -> Script:
    """Takes so many requests in a second; to all others it says 429 and how many whole seconds to wait."""
    taken: Counter[int] = Counter()

    def script(request: Request) -> Reply:
        second = int(request.at)
        taken[second] += 1
        if taken[second] <= PER_SECOND:
            return healthy(wire)(request)
        refused: Reply = wire.limited(math.ceil(second + 1 - request.at))
        return refused

    return script


def silent(wire: Any) -> Script:
    """Takes every request and never answers."""
    return lambda request: Reply(200, (Fault.HANG,))


def failing(wire: Any) -> Script:
    """503, for ever."""
    return lambda request: wire.error(503, "Service unavailable")


SCENES = (
    Scene("healthy", healthy, {}),
    Scene(f"429 storm ({PER_SECOND} a second)", overrun, {}),
    Scene("the same, deadline 5 s", overrun, {"deadline_ms": 5_000}),
    Scene("503 for ever", failing, {}),
    Scene("nobody listens", None, {}),
    Scene("silent, timeout 2 s", silent, {"model_timeout_ms": 2_000}),
    Scene("silent, deadline 5 s", silent, {"deadline_ms": 5_000}),
)


async def play(scene: Scene, wire: Any, store: str, count: int, before: float | None) -> float:
    """Ask the question so many times at once, and then again; print what came of it. Returns seconds, the median."""
    name = f"{wire.NAME}:{wire.MODEL}"
    server = (scene.script and wire.serve(scene.script(wire))) or WireServer(lambda request: Reply(503))
    first = 0.0
    async with server:
        os.environ.update(wire.environment(server.url if scene.script else refusing_url()))
        async with Deps(store) as deps:
            for turn in ("at first", "and then"):
                so_far = len(server.requests)

                async def timed() -> tuple[float, Result]:
                    started = time.perf_counter()
                    result = await aask(QUESTION, deps=deps, planner=name, synthesizer=name, **scene.settings)
                    return time.perf_counter() - started, result

                done = await asyncio.gather(*(timed() for _ in range(count)))
                first = first or statistics.median(seconds for seconds, _ in done)
                title = f"{scene.name}, {turn}" if turn == "at first" else f"  {turn} {count} more"
                print(row(title, done, len(server.requests) - so_far, before or first))
                if turn == "at first":
                    said = samples([result for _, result in done], name)
    print(*(f"    {text}" for text in said), sep="\n")
    return first


def row(title: str, done: list[tuple[float, Result]], requests: int, healthy_seconds: float) -> str:
    """A line of the table."""
    times = [seconds for seconds, _ in done]
    results = [result for _, result in done]
    median = statistics.median(times)
    waits = [result["usage"]["wait_ms"] / 1000 for result in results]
    by_model = [
        sum(
            not any(warning.startswith(f"{stage}: the embedded") for warning in result["warnings"])
            for result in results
        )
        for stage in ("plan", "synthesize")
    ]
    calls = sum(result["usage"]["llm_calls"] for result in results)
    answered = sum(bool(result["answer"]) for result in results)
    return (
        f"{title:<38}{median:7.2f}{max(times):7.2f}{median / healthy_seconds:7.1f} x{calls:7d}{requests:9d}"
        f"{statistics.median(waits):8.2f}{max(waits):7.2f}{answered:9d}{by_model[0]:7d}{by_model[1]:8d}"
    )


HEAD = (
    f"{'':<38}{'p50 s':>7}{'max s':>7}{'':>9}{'calls':>7}{'arrived':>9}{'waited':>8}{'max':>7}"
    f"{'answers':>9}{'plans':>7}{'written':>8}"
)


def samples(results: list[Result], name: str) -> list[str]:
    """One of each kind of warning about the model, with how many read it."""
    kinds: dict[str, list[str]] = {}
    for result in results:
        for warning in result["warnings"]:
            if name in warning:
                kind = "".join(char for char in warning if not char.isdigit())[:150]
                kinds.setdefault(kind, []).append(warning)
    return [f"{len(told)} x {told[0]}" for told in kinds.values()] or ["(no warning)"]


async def main(wire: Any, count: int) -> None:
    """Print the table."""
    for variable in [variable for variable in os.environ if variable.startswith(("GROQ_", "OLLAMA_", "LANGSMITH_"))]:
        del os.environ[variable]
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/store"
        async with Deps(store) as deps:
            await build(deps).ainvoke({"paths": [str(passages_path())]}, context=IngestContext(vector_cache=False))
        print(f"{count} questions at once, {wire.NAME}:{wire.MODEL}; plans, written: by the language model\n{HEAD}")
        before = None
        for scene in SCENES:
            before = before or 0.0
            took = await play(scene, wire, store, count, before or None)
            before = before or took


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wire", choices=("groq", "ollama"), default="groq")
    parser.add_argument("--questions", type=int, default=20)
    arguments = parser.parse_args()
    asyncio.run(main(wire_groq if arguments.wire == "groq" else wire_ollama, arguments.questions))
