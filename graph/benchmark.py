"""The benchmark graph: methods against each other on the same questions, store and models.

START → load → index → answer → latency → score → aggregate → report → END

Its steps are in `graph.bench`; what is measured, and how, in `evaluation`. Run it with `lookahead bench` or in Studio.
"""

from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from graph.assembling import chain
from graph.bench.aggregate import aggregate
from graph.bench.answer import answer
from graph.bench.index import index
from graph.bench.latency import latency
from graph.bench.load import load
from graph.bench.locking import holding
from graph.bench.opening import Bench
from graph.bench.report import report
from graph.bench.score import score
from graph.bench.state import BenchContext, BenchInput, BenchState
from nodes.deps import bind

STEPS = (load, index, answer, latency, score, aggregate, report)

BenchmarkGraph = CompiledStateGraph[BenchState, BenchContext, BenchInput, BenchState]


def build(deps: Bench | None = None, checkpointer: Any = None) -> BenchmarkGraph:
    """The benchmark graph.

    Args:
        deps: opens store and models.
        checkpointer: keeps counts and paths; a killed run goes on without one too, from its folder.
    """
    bench, default = deps or Bench(), BenchContext()
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(
        BenchState, context_schema=BenchContext, input_schema=BenchInput
    )
    for step in (load, *map(holding, STEPS[1:])):
        builder.add_node(step.__name__, bind(step, bench, default))
    chain(builder, START, *(step.__name__ for step in STEPS))
    compiled: BenchmarkGraph = builder.compile(checkpointer=checkpointer, name="benchmark")
    return compiled


graph = build()
