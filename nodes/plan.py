"""Question → PlanGraph. A given plan passes through; the planner `none` leaves the question alone to be searched."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import Runtime

from models.chat_errors import explain
from models.planner import EmbeddedPlanner, Planned, Planner, PlanOptions
from models.usage import call_usage
from nodes.context import Context
from nodes.deadline import PLAN_SHARE, limits, searches_end, seconds_left
from nodes.deps import Deps
from nodes.early import EarlySearches, searches_early
from nodes.hop import HopRunner
from nodes.state import Planning, State
from prompts.plan import PlanGraph, PlanNode
from tools.retrieval import Search

GRACE = 0.1
"""Seconds that a planner may take beyond its limits, to say itself what it did in them."""


async def plan(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Write the plan, with the names of stored passages that stand in the question as a help.

    What a language model has written of it is told, and searched where it can be, while the rest is being written; what
    the embedded planner has written is searched beside the question itself.
    """
    context = runtime.context
    if state["planning"]["rung"] == "given":
        return {}
    if context.planner == "none":
        return {"planning": Planning(planner="none", rung="none", entropy=None)}
    search = await deps.search(context.namespace)
    planner = await deps.planner(context.planner)
    titles = await search.titles_in(state["question"])
    runner = await _runner(search, state, runtime, deps) if searches_early(context) else None
    async with EarlySearches(runner, runtime.stream_writer, state["question"] if context.probe else None) as early:
        planned = await _write(planner, titles, state, context, early.written if context.stream_plan else None)
        whole = PlanGraph.model_validate(planned["plan"])
        if planned["rung"] == EmbeddedPlanner.name:  # written in no time, and the question's own search still runs
            for node in whole.nodes:
                early.start(node)
        found = await early.finished(whole)
    name = EmbeddedPlanner.name if planned["rung"] == "embedded" else planner.name  # it may have stood in
    return {
        "plan_graph": planned["plan"],
        "planning": Planning(planner=name, rung=planned["rung"], entropy=planned["entropy"]),
        "early": found,
        "models": {"planner": name},
        "usage": planned.get("usage", {}),
        "warnings": [f"plan: {w}" for w in planned["warnings"]],
    }


async def _runner(search: Search, state: State, runtime: Runtime[Context], deps: Deps) -> HopRunner:
    """Makes the hops that need not wait for the plan."""
    context = runtime.context
    return HopRunner(
        search=search,
        reader=await deps.reader(context.reader),
        context=context,
        slots=asyncio.Semaphore(context.max_parallel),
        ends_at=searches_end(state, context),
        tell=runtime.stream_writer,
    )


async def _write(
    planner: Planner,
    titles: Sequence[str],
    state: State,
    context: Context,
    on_node: Callable[[PlanNode], None] | None,
) -> Planned:
    """The planner's plan; the embedded one, with a warning, when the planner fails or the deadline presses."""
    question, usage = state["question"], None
    left = seconds_left(state, context)
    limit = None if left is None else PLAN_SHARE * left
    try:
        async with asyncio.timeout(None if limit is None else limit + GRACE) as clock:
            options = PlanOptions(samples=context.samples, limits=limits(limit, context), on_node=on_node)
            return await planner.plan(question, titles=titles, max_nodes=context.max_nodes, options=options)
    except Exception as error:  # whatever a planner raises: the run goes on and says so
        problem = explain(planner.name, error)
        if clock.expired():
            problem = f"{planner.name!r} took longer than {limit:.1f} s; set a longer deadline_ms or a faster planner"
            usage = call_usage("plan")
    planned = await EmbeddedPlanner().plan(question, titles=titles, max_nodes=context.max_nodes)
    planned["warnings"] = [f"the embedded plan stands in: {problem}", *planned["warnings"]]
    return {**planned, "usage": usage} if usage else planned
