"""Closed book: a language model answers from what it knows. The floor: what of a score is memory, not retrieval.

It needs a language model and says so where there is none. Nothing is searched, cited or checked; its confidence is that
of any answer of a model before the check.
"""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Options, begin, chain, finish, may_end
from nodes.closed_book import closed_book
from nodes.context import Context
from nodes.deps import Deps
from nodes.intake import intake
from nodes.state import Question

STAGES = (intake, closed_book)


def no_plan(context: Context) -> dict[str, Any]:
    """Nothing is planned."""
    return {"planner": "none", "fallback": False}


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes."""
    graph = begin(STAGES, deps, options, given=Question, fixed=no_plan)
    chain(graph, START, *(stage.__name__ for stage in STAGES))
    may_end(graph, "closed_book")
    return finish(graph, "closed_book", checkpointer, options)


graph = build()
