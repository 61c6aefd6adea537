"""Ten thousand fuzzed plans over the wire: what becomes of them, by kind.

Loopback servers write them in the dialects of Groq and Ollama, half each in a process of its own; the real clients
read them, and ChatPlanner makes plans of them: on which rung, and where the embedded plan had to stand in.

    python -m tests.bench.plan_fuzz [--plans N] [--seed N]
"""

import argparse
import asyncio
import json
import multiprocessing
import re
import time
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from langchain_groq import ChatGroq
from langchain_ollama import ChatOllama
from pydantic import SecretStr

from models.chat import ChatModel, as_chat_model
from models.chat_planner import ChatPlanner
from models.planner import Planned, PlanOptions
from models.retrying import Retry
from prompts.plan import PlanGraph, PlanNode
from tests.integration import wire_groq, wire_ollama
from tests.integration.wire_http import Reply, Request, Script
from tests.integration.wire_plans import KINDS, fuzzed

PLANS = 10_000
MAX_NODES = 8
RUNGS = ("json_schema", "json_mode", "tolerant", "embedded")
AT_ONCE = 8
"""Questions asked at the same time."""
LONGEST = 1200
"""Seconds; what takes longer hangs."""
QUESTION = "Where was the author of the book number {} born?"


@dataclass
class Figures:
    """What became of the plans."""

    rungs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, rung) → plans."""
    calls: int = 0
    streamed: int = 0
    """Nodes that were told of before their plan was complete."""
    slowest: list[tuple[float, str]] = field(default_factory=list)
    """Seconds and kind of the ten slowest plans; it includes waiting for the others that are asked at once."""
    problems: list[str] = field(default_factory=list)
    """What must not be: an exception, a plan that does not validate, a message without end."""


def run(wire: str, seed: int, count: int) -> Figures:
    """Fuzz one client in this process."""
    return asyncio.run(_fuzz(wire, seed, count))


def run_both(seed: int, count: int) -> Figures:
    """Half the plans over each wire, side by side."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        half = count // 2
        runs = [pool.submit(run, "groq", seed, half), pool.submit(run, "ollama", seed + 1, count - half)]
        both = Figures()
        for one in (run.result() for run in runs):
            both.rungs += one.rungs
            both.calls += one.calls
            both.streamed += one.streamed
            both.slowest = sorted([*both.slowest, *one.slowest], reverse=True)[:10]
            both.problems += one.problems
        return both


async def _fuzz(wire: str, seed: int, count: int) -> Figures:
    texts = list(fuzzed(seed, count))
    numbers = iter(range(count))
    figures = Figures()

    def script(request: Request) -> Reply:
        number = int(re.findall(r"book number (\d+)", request.json["messages"][-1]["content"])[-1])
        return (
            _groq(request, number, texts[number][1]) if wire == "groq" else _ollama(request, number, texts[number][1])
        )

    async def worker(planner: ChatPlanner) -> None:
        for number in numbers:
            await _one(planner, number, texts[number][0], figures)

    async with _planner(wire, script) as planner, asyncio.timeout(LONGEST):
        await asyncio.gather(*(worker(planner) for _ in range(AT_ONCE)))
    figures.slowest = sorted(figures.slowest, reverse=True)[:10]
    return figures


def _groq(request: Request, number: int, text: str) -> Reply:
    """Most plans as text, some as the arguments of a tool, some in the error that Groq sends for what is no JSON."""
    match number % 10:
        case 7:
            return wire_groq.message(request, None, tool_calls=[wire_groq.tool_call("search_plan", text)])
        case 8:
            return wire_groq.failed_generation(text)
        case 9:
            return wire_groq.message(request, text, finish_reason="length", usage=None, reasoning=text[:200])
        case _:
            return wire_groq.message(request, text)


def _ollama(request: Request, number: int, text: str) -> Reply:
    """Streamed in pieces of 3 characters and more, not all of them with counts."""
    size = max((3, 25, 200, 900)[number % 4], len(text) // 60)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    if number % 10 == 9:
        return wire_ollama.stream(request, pieces, finish_reason="length", usage=None)
    return wire_ollama.stream(request, pieces)


@asynccontextmanager
async def _planner(wire: str, script: Script) -> AsyncIterator[ChatPlanner]:
    """A planner on the real client; its waits before it asks again are left out."""

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    def chat(model: ChatGroq | ChatOllama) -> ChatModel:
        return replace(as_chat_model(model), retry=Retry(sleep=at_once))

    async with (wire_groq if wire == "groq" else wire_ollama).serve(script) as server:
        if wire == "groq":
            groq = ChatGroq(
                model_name=wire_groq.MODEL, api_key=SecretStr(wire_groq.KEY), base_url=server.url, max_retries=0
            )
            yield ChatPlanner(chat(groq))
            await groq.async_client._client.close()
        else:
            ollama = ChatOllama(model=wire_ollama.MODEL, base_url=server.url, num_ctx=8192)
            yield ChatPlanner(chat(ollama))
            await ollama._async_client._client.aclose()
            ollama._client._client.close()


async def _one(planner: ChatPlanner, number: int, kind: str, figures: Figures) -> None:
    """Plan one question, and note what became of it."""
    told: list[PlanNode] = []
    started = time.perf_counter()
    try:
        planned = await planner.plan(
            QUESTION.format(number), titles=[], max_nodes=MAX_NODES, options=PlanOptions(on_node=told.append)
        )
    except Exception as error:  # the one thing that must never happen; which, is in the figures
        figures.problems.append(f"{kind} {number}: {type(error).__name__}: {error}"[:300])
        return
    figures.slowest.append((time.perf_counter() - started, kind))
    figures.rungs[kind, planned["rung"]] += 1
    figures.calls += planned.get("usage", {"llm_calls": 0})["llm_calls"]
    figures.streamed += len(told)
    figures.problems += [f"{kind} {number}: {problem}" for problem in _problems(planned, told)]


def _problems(planned: Planned, told: list[PlanNode]) -> list[str]:
    """What is wrong with a plan."""
    found = []
    plan = PlanGraph.model_validate(json.loads(json.dumps(planned["plan"])))
    if not 1 <= len(plan.nodes) <= MAX_NODES:
        found.append(f"{len(plan.nodes)} nodes")
    if planned["rung"] not in RUNGS:
        found.append(f"rung {planned['rung']!r}")
    if planned["rung"] == "embedded" and not planned["warnings"]:
        found.append("the embedded plan stands in without a word")
    found += [f"a warning of {len(text)} characters" for text in planned["warnings"] if len(text) > 1_200]
    found += [f"told of {node!r}" for node in told if PlanNode.model_validate(node.model_dump()) != node]
    return found


def table(figures: Figures) -> str:
    """The figures as text."""
    lines = [f"{'':<16}" + "".join(f"{rung:>12}" for rung in RUNGS)]
    for kind in KINDS:
        counts = "".join(f"{figures.rungs[kind.__name__, rung]:>12,}" for rung in RUNGS)
        lines.append(f"{kind.__name__.replace('_', ' '):<16}{counts}")
    total = Counter(rung for (_, rung), number in figures.rungs.items() for _ in range(number))
    lines.append(f"{'all':<16}" + "".join(f"{total[rung]:>12,}" for rung in RUNGS))
    slowest = ", ".join(f"{seconds * 1000:.0f} ms ({kind})" for seconds, kind in figures.slowest[:3])
    lines.append(f"{figures.calls:,} calls; {figures.streamed:,} nodes told of while the plan was written")
    lines.append(f"slowest, {AT_ONCE} at once: {slowest}; exceptions and invalid plans: {len(figures.problems)}")
    return "\n".join([*lines, *figures.problems[:20]])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plans", type=int, default=PLANS)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    print(table(run_both(arguments.seed, arguments.plans)))
    print(f"{arguments.plans:,} plans in {time.perf_counter() - begun:.0f} s")
