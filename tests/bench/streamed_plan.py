"""One question whose plan is streamed: what happens when, and how much sooner the answer is there for it.

    python -m tests.bench.streamed_plan [--tokens-per-second 60] [--search-ms 200] [--runs 3] [--model NAME]

A scripted model writes the plans of the planner's own examples, token by token; searches and the answer are delays;
everything else is the real graph. With --model the named model (ollama:llama3.2:3b) plans the first question instead.
"""

import argparse
import asyncio
import json
import re
import statistics
import time
from collections.abc import Sequence
from typing import Any

from graph.api import Event, astream
from graph.lookahead import build
from models.scripted import ScriptedChatModel
from nodes.context import Context
from nodes.deps import Deps
from prompts.planning import EXAMPLES
from stores.records import Hit
from tests.fakes import FakeReader, FakeSearch, FakeSynthesizer, hit

FIRST = 2
"""The example that is asked in full: two lookups and a comparison."""
TOKEN = re.compile(r"[\s\S]{1,4}")
"""About what a token is in JSON with English in it."""


class SlowSearch(FakeSearch):
    """Finds passages for any query, after a while."""

    def __init__(self, seconds: float) -> None:
        super().__init__({})
        self.seconds = seconds

    async def search(self, query: str, *, mode: str, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        """Wait, and find."""
        await asyncio.sleep(self.seconds)
        return [hit(f"{query} {i}") for i in range(2)][:limit]


def deps(nodes: Sequence[dict[str, Any]], options: argparse.Namespace) -> Deps:
    """The real graph's parts, with delays for search and model."""
    tokens = TOKEN.findall(json.dumps({"nodes": nodes}))
    model = ScriptedChatModel(answers=lambda _: tokens, seconds_per_piece=1 / options.tokens_per_second)
    return Deps(
        search=SlowSearch(options.search_ms / 1000),
        reader=FakeReader({node["query"]: "something" for node in nodes}),
        model=None if options.model else model,
        synthesizer=FakeSynthesizer(),
    )


async def ask(
    question: str, parts: Deps, options: argparse.Namespace, *, stream_plan: bool
) -> list[tuple[float, Event]]:
    """The events of a run, each with the milliseconds since its start."""
    started = time.perf_counter()
    context = Context(planner=options.model or "auto", fallback=False, stream_plan=stream_plan)
    events = astream(question, graph=build(parts), context=context)
    return [((time.perf_counter() - started) * 1000, event) async for event in events]


def line(event: Event) -> str:
    """An event in a line; empty for those that tell nothing here."""
    match event:
        case {"type": "plan_node", "node": node}:
            after = f" after {', '.join(node['depends_on'])}" if node["depends_on"] else ""
            return f"plan_node  {node['id']} {node['op']}{after}: {node['query']}"
        case {"type": "plan", "plan": plan}:
            return f"plan       complete, {len(plan['nodes'])} nodes"
        case {"type": "search", "hop": node_id, "query": query}:
            return f"search     {node_id}: {query}"
        case {"type": "hop", "hop": {"id": node_id, "ms": ms}}:
            return f"hop        {node_id} done in {ms:.0f} ms"
        case {"type": "result", "result": result}:
            return f"result     planned by {result['models'].get('planner')}, {result['usage']['llm_calls']} calls"
    return ""


async def log(options: argparse.Namespace) -> None:
    """Print what happens in a run."""
    question, nodes = EXAMPLES[FIRST]
    print(question)
    for ms, event in await ask(question, deps(nodes, options), options, stream_plan=True):
        if told := line(event):
            print(f"{ms:6.0f} ms  {told}")


async def compare(options: argparse.Namespace) -> None:
    """Print the time of a run with early searches and without, for each example."""
    print(f"\nmedian of {options.runs} runs, ms       with  without  ratio")
    for question, nodes in EXAMPLES[:1] if options.model else EXAMPLES:
        took = {}
        for stream_plan in (True, False):
            runs = [
                await ask(question, deps(nodes, options), options, stream_plan=stream_plan) for _ in range(options.runs)
            ]
            took[stream_plan] = statistics.median(events[-1][0] for events in runs)
        ops = ", ".join(node["op"] for node in nodes)
        print(f"{ops:<32} {took[True]:6.0f}   {took[False]:6.0f}   {took[True] / took[False]:.2f}")


async def main(options: argparse.Namespace) -> None:
    """Print both."""
    speed = options.model or f"a plan at {options.tokens_per_second:.0f} tokens/s"
    print(f"{speed}, searches of {options.search_ms:.0f} ms\n")
    await log(options)
    await compare(options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens-per-second", type=float, default=60)
    parser.add_argument("--search-ms", type=float, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--model", default="")
    asyncio.run(main(parser.parse_args()))
