"""ReAct: an agent decides step by step what to search, from what it found so far; then the answer is written.

START ─ intake ─ brief ─ agent ─┬─ tools ─ retrieve ─ rerank ─┐
↑  └─ retrieve ───────────────┘   and back to agent
└─ finished: assemble ─ synthesize ─ check ─ END

Each search of the agent is a plan node for the same `retrieve` and `rerank` as lookahead's, several in one step run at
the same time; assembly, synthesizer and check are lookahead's too. With a language model (`planner` names it) a step is
one call with tools, counted in `usage` as "agent". Without one the embedded agent decides (`models.agent`): it takes
the question apart as the embedded planner does, binds and reads with the same reader, and adds what a plan cannot have:
it looks on while it is not sure. There is no fallback: to look again is the agent's own business.
"""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Options, begin, chain, finish, may_end
from nodes.agent import after_agent, agent
from nodes.agent_state import ReactState
from nodes.assemble import assemble
from nodes.brief import brief
from nodes.check import check
from nodes.context import Context
from nodes.deps import Deps
from nodes.intake import intake
from nodes.react_context import ReactContext
from nodes.rerank import rerank
from nodes.retrieve import retrieve
from nodes.state import Question
from nodes.synthesize import synthesize
from nodes.tools import tools

STAGES = (intake, brief, agent, tools, retrieve, rerank, assemble, synthesize, check)
RECURSION_LIMIT = 220
"""Supersteps; the longest run, 50 steps with tools, takes 206."""


def no_fallback(context: Context) -> dict[str, Any]:
    """The agent itself searches again."""
    return {"fallback": False}


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes. Its settings are `ReactContext`."""
    graph = begin(STAGES, deps, options, kind=ReactContext, state=ReactState, given=Question, fixed=no_fallback)
    chain(graph, START, "intake", "brief", "agent")
    graph.add_conditional_edges("agent", after_agent)
    chain(graph, "tools", "retrieve", "rerank", "agent")
    chain(graph, "assemble", "synthesize", "check")
    may_end(graph, "check")
    return finish(graph, "react", checkpointer, options, limit=RECURSION_LIMIT)


graph = build()
