"""Planner, agent, rewriter and synthesizer whose calls take as long as a language model's (`graph.bench.simulation`).

The embedded model stands in for what the call says; its own work counts as part of the call, not on top of it.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from langchain_core.messages import BaseMessage, SystemMessage

from graph.bench.simulation import RUN, Preset, Run, simulate
from models.agent import Agent, AgentInput, Move
from models.answering import SynthesisInput
from models.limits import NO_LIMITS, Limits
from models.planner import DEFAULTS, Planned, Planner, PlanOptions
from models.rewriter import Rewriter, Rewritten
from models.synthesizer import Synthesizer
from prompts.agent import READ_TOOL, SEARCH_TOOL, SYSTEM, TOOLS
from prompts.answer import Synthesis, Usage
from prompts.multi_query import variant_messages
from prompts.plan import PlanNode
from prompts.planning import planning_messages
from prompts.synthesis import synthesis_messages

Sleep = Callable[[float], Awaitable[None]]
TOOLS_SHOWN = f"{SYSTEM}\n{json.dumps([TOOLS[SEARCH_TOOL], TOOLS[READ_TOOL]])}"
"""What an agent's model is told before the question: a server puts the tools into the prompt."""


class Calls:
    """Makes the calls of one preset last as long as they would.

    Args:
        preset: the server.
        sleep: waits, in seconds.
    """

    def __init__(self, preset: Preset, sleep: Sleep = asyncio.sleep) -> None:
        self.preset = preset
        self.sleep = sleep

    def name(self, role: str, stands_in: str) -> str:
        """Under which a simulated model stands in results."""
        return f"{stands_in}, timed as {self.preset.speeds[role].model} (simulated)"

    async def last(
        self,
        role: str,
        messages: Sequence[BaseMessage],
        started: float,
        told: Sequence[Callable[[], None]] = (),
    ) -> Usage:
        """Wait until the call would be over.

        Args:
            role: what the call is for.
            messages: the prompt as it would be rendered.
            started: `time.perf_counter()` when it began.
            told: what is told while the reply is written, at even distances, the last one at its end.
        """
        run = RUN.get(Run())
        call = simulate(self.preset, role, messages, run)
        for number, tell in enumerate(told, 1):
            await self._until(started + call.begins + (call.ends - call.begins) * number / len(told), run)
            tell()
        await self._until(started + call.ends, run)
        return call.usage

    async def _until(self, moment: float, run: Run) -> None:
        left = moment - time.perf_counter()
        if run.sleeps and left > 0:
            await self.sleep(left)


class SimulatedPlanner:
    """A planner whose plans take as long as a language model's."""

    def __init__(self, planner: Planner, calls: Calls) -> None:
        self._planner = planner
        self._calls = calls
        self.name = calls.name("plan", planner.name)

    async def plan(
        self, question: str, *, titles: Sequence[str], max_nodes: int, options: PlanOptions = DEFAULTS
    ) -> Planned:
        """Plan a question; see `models.planner.Planner`."""
        started, tell = time.perf_counter(), options.on_node
        silent = replace(options, on_node=None)
        planned = await self._planner.plan(question, titles=titles, max_nodes=max_nodes, options=silent)
        told = []
        if tell is not None and self._calls.preset.streams_plan:
            told = [_telling(tell, PlanNode.model_validate(node)) for node in planned["plan"]["nodes"]]
        messages = planning_messages(question, titles, max_nodes)
        return {**planned, "usage": await self._calls.last("plan", messages, started, told)}


def _telling(tell: Callable[[PlanNode], None], node: PlanNode) -> Callable[[], None]:
    return lambda: tell(node)


class SimulatedAgent:
    """An agent each of whose steps takes as long as a language model's."""

    def __init__(self, agent: Agent, calls: Calls) -> None:
        self._agent = agent
        self._calls = calls
        self.name = calls.name("agent", agent.name)

    async def act(self, given: AgentInput, *, limits: Limits = NO_LIMITS) -> Move:
        """Decide what to do next; see `models.agent.Agent`."""
        started = time.perf_counter()
        move = await self._agent.act(given, limits=limits)
        prompt = [SystemMessage(TOOLS_SHOWN), *given["messages"]]
        return Move(**{**move, "usage": await self._calls.last("agent", prompt, started)})


class SimulatedRewriter:
    """A rewriter whose queries take as long as a language model's."""

    def __init__(self, rewriter: Rewriter, calls: Calls) -> None:
        self._rewriter = rewriter
        self._calls = calls
        self.name = calls.name("rewrite", rewriter.name)

    async def rewrite(self, question: str, *, names: list[str], count: int, limits: Limits = NO_LIMITS) -> Rewritten:
        """Write other queries; see `models.rewriter.Rewriter`."""
        started = time.perf_counter()
        rewritten = await self._rewriter.rewrite(question, names=names, count=count, limits=limits)
        usage = await self._calls.last("rewrite", variant_messages(question, count), started)
        return Rewritten(queries=rewritten["queries"], usage=usage)


class SimulatedSynthesizer:
    """A synthesizer whose answers take as long as a language model's."""

    def __init__(self, synthesizer: Synthesizer, calls: Calls) -> None:
        self._synthesizer = synthesizer
        self._calls = calls
        self.name = calls.name("synthesize", synthesizer.name)

    async def synthesize(
        self,
        given: SynthesisInput,
        *,
        emit: Callable[[str], None],
        reset: Callable[[], None] = lambda: None,
        limits: Limits = NO_LIMITS,
    ) -> Synthesis:
        """Answer and explain; see `models.synthesizer.Synthesizer`."""
        started = time.perf_counter()
        synthesis = await self._synthesizer.synthesize(given, emit=emit, reset=reset, limits=limits)
        messages = synthesis_messages(given["question"], given["evidence"], given["bound_queries"])
        return Synthesis(**{**synthesis, "usage": await self._calls.last("synthesize", messages, started)})
