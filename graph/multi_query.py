"""Multi-query RAG: the question and three variants of it are searched at the same time and fused by rank.

A language model writes the variants in one call (`planner` names it); without one the planner's patterns take the
question apart and rules reword it. Search, assembly, synthesizer and check are those of lookahead, so that what differs
is that no query waits for what another one found. There is no fallback: to search again is another strategy.
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
from nodes.retrieve import retrieve
from nodes.state import Question
from nodes.synthesize import synthesize
from nodes.variants import variants

STAGES = (intake, variants, probe, retrieve, rerank, assemble, synthesize, check)


def fused(context: Context) -> dict[str, Any]:
    """Reciprocal rank fusion over all queries."""
    return {"reranker": "rrf", "fallback": False}


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes."""
    graph = begin(STAGES, deps, options, given=Question, fixed=fused)
    graph.add_edge(START, "intake")
    graph.add_edge("intake", "variants")
    graph.add_edge("intake", "probe")
    graph.add_edge(["variants", "probe"], "retrieve")
    chain(graph, "retrieve", "rerank", "assemble", "synthesize", "check")
    may_end(graph, "check")
    return finish(graph, "multi_query", checkpointer, options)


graph = build()
