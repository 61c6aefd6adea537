"""Searches the raw question while the plan is being written: hop n0. A bad plan then costs latency, not recall."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.deadline import searches_end
from nodes.deps import Deps
from nodes.hop import HopRunner
from nodes.state import State
from prompts.plan import PlanNode

PROBE = "n0"
"""Id of the hop that searches the question itself; no plan node may have it."""


async def probe(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Search the question as it stands; not where that is switched off and there is a plan."""
    context, question = runtime.context, state["question"]
    if not context.probe and context.planner != "none":
        return {}
    runner = HopRunner(
        search=await deps.search(context.namespace),
        reader=await deps.reader(context.reader),
        context=context,
        slots=asyncio.Semaphore(1),
        ends_at=searches_end(state, context),
        tell=runtime.stream_writer,
    )
    node = PlanNode.model_construct(id=PROBE, op="lookup", query=question, depends_on=[], confidence=1.0, budget_cost=1)
    hop = await runner.run(node, {})
    return {"hops": {PROBE: hop}, "warnings": [f"probe: {hop['error']}"] if hop["error"] else []}
