"""Sequential plan: the same plan as lookahead, but everything waits for what came before it.

The question is searched, then the plan is written, then its hops are searched one by one; early searches while a
language model still writes are off. All else is lookahead, fallback included: what is compared is the schedule alone.
"""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Options, begin, chain, finish
from graph.lookahead import STAGES, run_the_plan
from nodes.context import Context
from nodes.deps import Deps


def one_by_one(context: Context) -> dict[str, Any]:
    """Nothing is searched beside anything else."""
    return {"schedule": "sequential", "stream_plan": False}


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes."""
    graph = begin(STAGES, deps, options, fixed=one_by_one)
    chain(graph, START, "intake", "probe", "plan", "approve")
    run_the_plan(graph)
    return finish(graph, "sequential_plan", checkpointer, options)


graph = build()
