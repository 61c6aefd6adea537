"""Lets a person approve, edit or reject the plan. A node of its own, because resuming re-runs the interrupted node."""

import time
from typing import Any, Literal

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from nodes.context import Context
from nodes.deps import Deps
from nodes.state import State
from prompts.plan import PlanError, PlanGraph, repair
from stores.errors import InputError

HOW = 'answer {"action": "approve"}, {"action": "edit", "plan": {"nodes": [...]}} or {"action": "reject"}'

CHECKPOINTER = "__pregel_checkpointer"
"""Where LangGraph keeps it in the config of a running node."""


async def approve(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Pass through, or with `approve_plan` interrupt with the plan and go on as told.

    Raises:
        InputError: there is no checkpointer to wait in, or the answer is none of the three.
    """
    if not runtime.context.approve_plan:
        return {}
    decision = _ask(state)
    # The wait was the person's, not the run's: the clock goes on from where it stopped.
    resumed = {"started_at": time.time() - state["timings_ms"].get("total", 0.0) / 1000}
    match decision:
        case True | "approve" | {"action": "approve"}:
            return resumed
        case {"action": "edit", "plan": edited}:
            return {**resumed, **_edited(edited, state["question"], runtime.context.max_nodes)}
        case False | "reject" | {"action": "reject"}:
            return {**resumed, "abstained": True, "explanation": "The plan was rejected, so nothing was searched."}
    raise InputError(f"approve: {decision!r} is no answer to the plan: {HOW}")


def after_approve(state: State) -> Literal["prune", "__end__"]:
    """A rejected plan ends the run."""
    return "__end__" if state["abstained"] else "prune"


def _ask(state: State) -> Any:
    if get_config()["configurable"].get(CHECKPOINTER) is None:  # LangGraph would end the run without a word
        raise InputError(
            "approve: approve_plan=True needs a checkpointer to wait in: build(checkpointer=...) with a thread_id, "
            "or run it on the LangGraph server"
        )
    plan = PlanGraph.model_validate(state["plan_graph"])
    return interrupt({"question": state["question"], "plan": plan.model_dump(), "summary": plan.summary(), "how": HOW})


def _edited(plan: Any, question: str, max_nodes: int) -> dict[str, Any]:
    try:
        graph, repairs = repair(plan, question, max_nodes)
    except PlanError as error:
        raise InputError(f"approve: the edited plan cannot be run: {error}") from error
    return {"plan_graph": graph.model_dump(), "warnings": [f"plan: {r}" for r in repairs]}
