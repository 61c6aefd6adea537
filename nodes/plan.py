"""Question → PlanGraph. A given plan passes through; the planner `none` leaves the question alone to be searched."""

import asyncio
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from models.chat_errors import explain
from models.planner import EmbeddedPlanner, Planned, Planner, PlanOptions
from models.usage import call_usage
from nodes.context import Context
from nodes.deadline import PLAN_SHARE, limits, seconds_left
from nodes.deps import Deps
from nodes.state import Planning, State


async def plan(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Write the plan, with the names of stored passages that stand in the question as a help."""
    context = runtime.context
    if state["planning"]["rung"] == "given":
        return {}
    if context.planner == "none":
        return {"planning": Planning(planner="none", rung="none", entropy=None)}
    search = await deps.search(context.namespace)
    planner = await deps.planner(context.planner)
    titles = await search.titles_in(state["question"])
    planned = await _write(planner, titles, state, context)
    return {
        "plan_graph": planned["plan"],
        "planning": Planning(planner=planner.name, rung=planned["rung"], entropy=planned["entropy"]),
        "models": {"planner": planner.name},
        "usage": planned.get("usage", {}),
        "warnings": [f"plan: {w}" for w in [*planned["warnings"], *_not_sampled(context)]],
    }


def _not_sampled(context: Context) -> list[str]:
    return [f"samples={context.samples} is not possible yet: one plan was made"] if context.samples > 1 else []


async def _write(planner: Planner, titles: Sequence[str], state: State, context: Context) -> Planned:
    """The planner's plan; the embedded one, with a warning, when the planner fails or the deadline presses."""
    question, usage = state["question"], None
    left = seconds_left(state, context)
    limit = None if left is None else PLAN_SHARE * left
    try:
        async with asyncio.timeout(limit) as clock:
            options = PlanOptions(samples=context.samples, limits=limits(limit, context))
            return await planner.plan(question, titles=titles, max_nodes=context.max_nodes, options=options)
    except Exception as error:  # whatever a planner raises: the run goes on and says so
        problem = explain(planner.name, error)
        if clock.expired():
            problem = f"{planner.name!r} took longer than {limit:.1f} s; set a longer deadline_ms or a faster planner"
            usage = call_usage("plan")
    planned = await EmbeddedPlanner().plan(question, titles=titles, max_nodes=context.max_nodes)
    planned["warnings"] = [f"the embedded plan stands in: {problem}", *planned["warnings"]]
    return {**planned, "usage": usage} if usage else planned
