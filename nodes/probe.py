"""Searches the raw question while the plan is being written: hop n0. A bad plan then costs latency, not recall."""

import time
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.deps import Deps
from nodes.state import Hop, State

PROBE = "n0"
"""Id of the hop that searches the question itself."""


async def probe(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Search the question as it stands."""
    context, question = runtime.context, state["question"]
    search = await deps.search(context.namespace)
    started = time.perf_counter()
    hits = await search.search(question, mode=context.retrieval, limit=context.top_k)
    hop = Hop(
        id=PROBE,
        op="lookup",
        query=question,
        bound_query=question,
        bindings=[],
        passages=hits,
        ms=(time.perf_counter() - started) * 1000,
        error=None,
    )
    return {"hops": {PROBE: hop}}
