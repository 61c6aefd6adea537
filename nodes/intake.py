"""Takes the question in: validates it and a ready plan, and resets every per-run key.

Without the reset a second question on the same thread would inherit the first one's hops, warnings and fallback count.
"""

import time
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from models.usage import no_usage
from nodes.context import Context
from nodes.deps import Deps
from nodes.question_channel import Came
from nodes.state import Arriving, Asked, Planning
from prompts.plan import PlanError, PlanGraph, clean_text, repair
from stores.errors import InputError

MAX_QUESTION = 10_000
"""Characters; longer input is a document, not a question."""


async def intake(state: Arriving, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Validate the input and start from a clean state.

    Raises:
        InputError: the question is empty or too long, or the ready plan cannot be repaired.
        ModelError: the planner or the synthesizer is not there.
    """
    started_at, context = time.time(), runtime.context
    asked = asked_by(state)
    question = asked["question"]
    given = state.get("plan")
    planner = "none" if given else context.planner  # who brings a plan needs no planner
    if planner != "none":
        await deps.planner(planner)  # a model that is not there is refused before anything is searched
    await deps.synthesizer(context.synthesizer)
    auto = await deps.auto_choice(planner, context.synthesizer)
    warnings: list[str] = []
    plan, planning = PlanGraph(question=question, nodes=[]), Planning(planner="", rung="", entropy=None)
    if given:
        planning = Planning(planner="given", rung="given", entropy=None)
        plan, warnings = _given_plan(given, question, context.max_nodes)
    return {
        "question": Overwrite(question),
        "asked": asked,
        "context": context.model_dump(),
        "plan_graph": plan.model_dump(),
        "planning": planning,
        "pruning": {"kept": [], "dropped": []},
        "early": {},
        "hops": Overwrite({}),
        "ranked": [],
        "evidence": [],
        "answer": "",
        "explanation": "",
        "message_id": "",
        "sufficient": False,
        "citations": [],
        "plan_coverage": 0.0,
        "check": {"supported": False, "unsupported": [], "problems": []},
        "confidence": 0.0,
        "abstained": False,
        "rejected": None,
        "triggers": [],
        "fallbacks": [],
        "started_at": started_at,
        "timings_ms": Overwrite({}),
        "usage": Overwrite(no_usage()),
        "models": Overwrite({"auto": auto.reason} if auto else {}),
        "warnings": Overwrite([f"plan: {w}" for w in warnings]),
    }


def asked_by(state: Arriving) -> Asked:
    """The question, and whether a message holds it.

    A question that came with this input counts; else the last human message, if no run was asked anything since, and
    else what was asked last. A question or a message that was refused is never asked again in place of what came.

    Raises:
        InputError: there is none, it is empty or too long.
    """
    given, messages = state.get("question"), state.get("messages") or []
    before = state.get("asked") or Asked(question="", message="", by_message=False)
    last = next((message for message in reversed(messages) if isinstance(message, HumanMessage)), None)
    came = isinstance(given, Came) or not isinstance(given, str | None)
    seen = last is None or last.id == before["message"]
    by_message = last is not None and not (came and given) and (not seen or (before["by_message"] and not came))
    if messages and last is None and not given:
        raise InputError(
            f"messages: none of the {len(messages)} is a human's, and the last of those is the question: "
            'send {"messages": [{"role": "user", "content": "Who designed the Eiffel Tower?"}]}'
        )
    question = _question(str(last.text) if by_message and last else given)
    return Asked(question=question, message=str(last.id) if last else "", by_message=by_message)


def _question(value: object) -> str:
    question = clean_text(value) if isinstance(value, str) else ""
    if not isinstance(value, str) or not question:
        raise InputError(
            f"question: it is empty ({value!r}): ask something, for example 'Who designed the Eiffel Tower?'"
        )
    if len(value) > MAX_QUESTION:
        raise InputError(
            f"question: it has {len(value):,} characters, at most {MAX_QUESTION:,} are taken ({value[:40]!r}…): "
            "ask a shorter question, and put long material in with `lookahead ingest`"
        )
    return question


def _given_plan(given: Any, question: str, max_nodes: int) -> tuple[PlanGraph, list[str]]:
    try:
        return repair(given, question, max_nodes)
    except PlanError as error:
        raise InputError(f"plan: the given plan cannot be run: {error}") from error
