"""Question → PlanGraph. A given plan passes through; the planner `none` leaves the question alone to be searched."""

from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
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
    planned = await planner.plan(state["question"], titles=titles, max_nodes=context.max_nodes)
    return {
        "plan_graph": planned["plan"],
        "planning": Planning(planner=planner.name, rung=planned["rung"], entropy=planned["entropy"]),
        "models": {"planner": planner.name},
        "warnings": [f"plan: {w}" for w in planned["warnings"]],
    }
