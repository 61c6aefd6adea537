"""Lets a person approve, edit or reject the plan. A node of its own, because resuming re-runs the interrupted node."""

import json
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

    An answer that cannot be used is asked for again: raising here would leave it on the thread, to fail for ever.

    Raises:
        InputError: there is no checkpointer to wait in.
    """
    begun = state.get("context", {})  # who goes on with a run need not say again that its plan is to be approved
    if not (runtime.context.approve_plan or begun.get("approve_plan")):
        return {}
    if get_config()["configurable"].get(CHECKPOINTER) is None:  # LangGraph would end the run without a word
        raise InputError(
            "approve: approve_plan=True needs a checkpointer to wait in: build(checkpointer=...) with a thread_id, "
            "or run it on the LangGraph server"
        )
    plan = PlanGraph.model_validate(state["plan_graph"])
    question = {"question": state["question"], "plan": plan.model_dump(), "summary": plan.summary(), "how": HOW}
    decided, problem = None, ""
    while decided is None:
        decided, problem = _decide(interrupt({**question, "problem": problem}), state, runtime.context)
    # The wait was the person's, not the run's: the clock goes on from where it stopped.
    return {**decided, "started_at": time.time() - state["timings_ms"].get("total", 0.0) / 1000}


def _decide(answer: Any, state: State, context: Context) -> tuple[dict[str, Any] | None, str]:
    """The update that an answer asks for; or None and what is wrong with it."""
    match _typed(answer):
        case True | "approve" | {"action": "approve"}:
            return {}, ""
        case {"action": "edit", "plan": edited}:
            try:
                plan, repairs = repair(edited, state["question"], context.max_nodes)
            except PlanError as error:
                return None, f"the edited plan cannot be run: {error}"
            return {"plan_graph": plan.model_dump(), "warnings": [f"plan: {r}" for r in repairs]}, ""
        case False | "reject" | {"action": "reject"}:
            return {"abstained": True, "explanation": "The plan was rejected, so it was not run."}, ""
    return None, f"{answer!r:.80} is no answer to the plan: {HOW}"


def _typed(answer: Any) -> Any:
    """What was meant: forms such as Studio's may send JSON as the text that a person typed."""
    try:
        return json.loads(answer) if isinstance(answer, str) and answer.lstrip().startswith("{") else answer
    except (ValueError, RecursionError):
        return answer


def after_approve(state: State) -> Literal["prune", "__end__"]:
    """A rejected plan ends the run."""
    return "__end__" if state["abstained"] else "prune"
