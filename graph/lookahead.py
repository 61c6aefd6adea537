"""The lookahead graph: plan once, run the plan as a dataflow, answer once, check, search again if it does not hold."""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes.approve import after_approve, approve
from nodes.assemble import assemble
from nodes.check import check
from nodes.context import Context
from nodes.deps import Deps, bind
from nodes.fallback import after_assemble, after_check, after_fallback, fallback
from nodes.intake import intake
from nodes.plan import plan
from nodes.probe import probe
from nodes.prune import prune
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.state import InputState, State
from nodes.synthesize import synthesize

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever

STAGES = (intake, plan, probe, approve, prune, retrieve, rerank, assemble, synthesize, check, fallback)
RECURSION_LIMIT = 50
"""Supersteps; the longest run, with five fallback rounds, takes 38."""
SETTINGS: WeakKeyDictionary[Any, Context] = WeakKeyDictionary()
"""The settings that each graph was built with: they stand where a run says nothing."""


def build(
    deps: Deps | None = None,
    checkpointer: Any = None,
    *,
    model: "BaseChatModel | None" = None,
    retriever: "BaseRetriever | None" = None,
    context: Context | None = None,
) -> CompiledStateGraph[State, Context, InputState, State]:
    """Assemble the graph.

    Args:
        deps: store and models; by default those that the environment names.
        checkpointer: needed for `approve_plan` and for conversations on a thread; a server brings its own.
        model: a LangChain chat model that plans once and answers once, where the context says "auto" or "model".
        retriever: a LangChain retriever that is searched in place of the store.
        context: settings of a run that brings none, as when this graph is a subgraph of an agent with another context.
    """
    deps = (deps or Deps()).using(model=model, retriever=retriever)
    graph = StateGraph(State, context_schema=Context, input_schema=InputState)
    for stage in STAGES:
        graph.add_node(stage.__name__, bind(stage, deps, context or Context()))

    graph.add_edge(START, "intake")
    graph.add_edge("intake", "plan")
    graph.add_edge("intake", "probe")
    graph.add_edge(["plan", "probe"], "approve")
    graph.add_conditional_edges("approve", after_approve)
    graph.add_edge("prune", "retrieve")
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", "assemble")
    graph.add_conditional_edges("assemble", after_assemble)
    graph.add_edge("synthesize", "check")
    graph.add_conditional_edges("check", after_check)
    graph.add_conditional_edges("fallback", after_fallback)

    compiled = graph.compile(checkpointer=checkpointer, name="lookahead")
    compiled = compiled.with_config(recursion_limit=RECURSION_LIMIT)
    SETTINGS[compiled] = context or Context()
    return compiled


graph = build()
