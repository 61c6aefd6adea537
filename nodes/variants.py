"""Question → query variants, as plan nodes that all can be searched at once; none of them is answered by itself."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from models.chat import ChatError
from models.rewriter import EmbeddedRewriter, Rewriter, Rewritten
from models.usage import call_usage
from nodes.context import Context
from nodes.deadline import PLAN_SHARE, limits, seconds_left
from nodes.deps import Deps
from nodes.probe import PROBE
from nodes.state import Planning, State
from prompts.plan import PlanGraph, PlanNode
from stores.errors import LookaheadError

VARIANTS = 3
"""Queries beside the question itself."""
CONFIDENCE = 0.8
"""As that of the question's own search: fusion by rank counts all alike."""


async def variants(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Write other queries for the question; rules stand in for a model that fails, with a warning."""
    context, question = runtime.context, state["question"]
    rewriter = await deps.rewriter(context.planner)
    names = await (await deps.search(context.namespace)).titles_in(question)
    rewritten, name, warnings = await _rewrite(rewriter, names, state, context)
    nodes = [
        PlanNode(id=f"n{number}", query=query, confidence=CONFIDENCE, budget_cost=1)
        for number, query in enumerate(rewritten["queries"], start=int(PROBE[1:]) + 1)
    ]
    return {
        "plan_graph": PlanGraph(question=question, nodes=nodes).model_dump(),
        "planning": Planning(planner=name, rung="variants", entropy=None),
        "pruning": {"kept": [node.id for node in nodes], "dropped": []},
        "unasked": [node.id for node in nodes],
        "models": {"rewriter": name},
        "usage": rewritten.get("usage", {}),
        "warnings": warnings,
    }


async def _rewrite(
    rewriter: Rewriter, names: list[str], state: State, context: Context
) -> tuple[Rewritten, str, list[str]]:
    left = seconds_left(state, context)
    limit = None if left is None else PLAN_SHARE * left
    question, usage = state["question"], call_usage("rewrite")
    try:
        async with asyncio.timeout(limit) as clock:
            written = await rewriter.rewrite(question, names=names, count=VARIANTS, limits=limits(limit, context))
            return written, rewriter.name, []
    except LookaheadError as error:
        problem, usage = str(error), error.usage if isinstance(error, ChatError) else usage
    except TimeoutError:
        if not clock.expired():
            raise
        problem = f"{rewriter.name!r} took longer than {limit:.1f} s"
    embedded = EmbeddedRewriter()
    written = await embedded.rewrite(question, names=names, count=VARIANTS)
    written["usage"] = usage
    return written, embedded.name, [f"variants: the embedded queries stand in: {problem}"]
