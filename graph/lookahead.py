"""The lookahead graph: plan once, run the plan as a dataflow, answer once, check, search again if it does not hold."""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Builder, Options, begin, finish, may_end
from nodes.approve import after_approve, approve
from nodes.assemble import assemble
from nodes.check import check
from nodes.deps import Deps
from nodes.fallback import after_assemble, after_check, after_fallback, fallback
from nodes.intake import intake
from nodes.plan import plan
from nodes.probe import probe
from nodes.prune import prune
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.synthesize import synthesize

STAGES = (intake, plan, probe, approve, prune, retrieve, rerank, assemble, synthesize, check, fallback)


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph.

    Args:
        deps: store and models; by default those that the environment names.
        checkpointer: needed for `approve_plan` and for conversations on a thread; a server brings its own.
        **options: `model` (a LangChain chat model that plans once and answers once, where the context says "auto" or
            "model"), `retriever` (a LangChain retriever that is searched in place of the store), `context` (settings of
            a run that brings none, as when this graph is a subgraph of an agent with another context).
    """
    graph = begin(STAGES, deps, options)
    graph.add_edge(START, "intake")
    graph.add_edge("intake", "plan")
    graph.add_edge("intake", "probe")
    graph.add_edge(["plan", "probe"], "approve")
    run_the_plan(graph)
    return finish(graph, "lookahead", checkpointer, options)


def run_the_plan(graph: Builder) -> None:
    """Edges from the plan, and the search of the question itself, to the answer."""
    may_end(graph, "approve", after_approve)
    graph.add_edge("prune", "retrieve")
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", "assemble")
    graph.add_conditional_edges("assemble", after_assemble)
    graph.add_edge("synthesize", "check")
    may_end(graph, "check", after_check)
    may_end(graph, "fallback", after_fallback)


graph = build()
