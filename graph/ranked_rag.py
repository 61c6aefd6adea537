"""Ranked RAG: the question is searched once, with our ranking of names and links. Lookahead minus the plan.

Search, reranker, assembly, synthesizer and check are those of lookahead, so that the difference between the two is what
planning brings; as many passages may reach the answer as with several hops (`rerank_top_k`). There is no fallback: to
search again is another strategy.
"""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Options, begin, chain, finish, may_end
from nodes.assemble import assemble
from nodes.check import check
from nodes.context import Context
from nodes.deps import Deps
from nodes.intake import intake
from nodes.probe import probe
from nodes.rerank import rerank
from nodes.state import Question
from nodes.synthesize import synthesize

STAGES = (intake, probe, rerank, assemble, synthesize, check)


def one_search(context: Context) -> dict[str, Any]:
    """The question alone is searched, and only once."""
    return {"planner": "none", "fallback": False, "top_k": context.rerank_top_k}


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes."""
    graph = begin(STAGES, deps, options, given=Question, fixed=one_search)
    chain(graph, START, *(stage.__name__ for stage in STAGES))
    may_end(graph, "check")
    return finish(graph, "ranked_rag", checkpointer, options)


graph = build()
