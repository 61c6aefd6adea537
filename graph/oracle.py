"""Oracle: the passages that hold the answer are given, so that nothing is left but reading. The ceiling of retrieval.

All given passages are shown whole, in their order, as far as `context_tokens` allow. Synthesizer and check are those of
every other method; there is no plan, so that a method whose plan helps the reader may come out above it.
"""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Options, begin, chain, finish, may_end
from graph.standard_rag import fixed
from nodes.assemble import assemble
from nodes.check import check
from nodes.deps import Deps
from nodes.given import given
from nodes.given_state import OracleInput, OracleState
from nodes.intake import intake
from nodes.synthesize import synthesize

STAGES = (intake, given, assemble, synthesize, check)


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes."""
    graph = begin(STAGES, deps, options, state=OracleState, given=OracleInput, fixed=fixed)
    chain(graph, START, *(stage.__name__ for stage in STAGES))
    may_end(graph, "check")
    return finish(graph, "oracle", checkpointer, options)


graph = build()
