"""Questions: what a run tells, as it happens, and a plan that waits in the middle of it."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from graph.api import Event, PlanWaits, astream
from graph.assembling import SETTINGS, AnsweringGraph
from graph.methods import METHODS
from graph.web.metrics import Metrics
from graph.web.streaming import Told, Work
from graph.web.turns import Turns
from graph.web.waiting import WaitingRuns, config_of
from nodes.context import Context
from nodes.deps import Deps


class Asking:
    """Answers questions.

    Args:
        deps: store and models.
        waiting: plans that wait.
        metrics: what is counted.
        turns: given to runs that compute here.
    """

    def __init__(self, deps: Deps, waiting: WaitingRuns, metrics: Metrics, turns: Turns) -> None:
        self._deps, self._waiting, self._metrics, self._turns = deps, waiting, metrics, turns
        self._graphs: dict[str, AnsweringGraph] = {}

    def settings(self, method: str) -> type[Context]:
        """The settings that a method takes."""
        return type(SETTINGS[self._graph(method)])

    async def ask(self, question: str, method: str, plan: dict[str, Any] | None, context: Context) -> Work:
        """Answer a question; "start" comes at once, the result with "done", or with "approval" a plan that waits."""
        run_id = uuid.uuid4().hex
        yield Told("start", {"run_id": run_id, "namespace": context.namespace})
        waits = context.approve_plan
        events = astream(
            question,
            plan=plan,
            context=context,
            graph=await self._waiting.graph_for_another(context.namespace) if waits else self._graph(method),
            config=config_of(run_id, context.namespace) if waits else None,
        )
        try:
            async with self._turns.turn(context), aclosing(self._watched(events, run_id)) as work:
                async for told in work:
                    yield told
        finally:
            if waits:
                await asyncio.shield(self._waiting.forget_unless_waiting(run_id))

    async def go_on(self, run_id: str, answer: dict[str, Any]) -> Work:
        """Go on with a run that was claimed."""
        yield Told("start", {"run_id": run_id})
        events = astream("", resume=answer, graph=await self._waiting.graph(), config=config_of(run_id))
        try:
            async with self._turns.turn(None), aclosing(self._watched(events, run_id)) as work:
                async for told in work:
                    yield told
        finally:
            await asyncio.shield(self._waiting.forget_unless_waiting(run_id))

    def _graph(self, method: str) -> AnsweringGraph:
        if method not in self._graphs:
            self._graphs[method] = METHODS[method](self._deps)
        return self._graphs[method]

    async def _watched(self, events: AsyncGenerator[Event, None], run_id: str) -> Work:
        """What the run tells, counted."""
        started, outcome = time.perf_counter(), "failed"
        self._metrics.running.inc()
        try:
            async with aclosing(events):
                async for event in events:
                    if event["type"] == "stage" and event["status"] == "end":
                        self._metrics.stage_seconds.labels(event["stage"]).observe(event["ms"] / 1000)
                    if event["type"] == "result":
                        outcome = "abstained" if event["result"]["abstained"] else "answered"
                        self._metrics.result(event["result"])
                        yield Told("done", event["result"], 200)
                    else:
                        yield Told(event["type"], {name: value for name, value in event.items() if name != "type"})
        except PlanWaits as waits:
            outcome = "waiting"
            shown = {"run_id": run_id, "status": "waiting", **waits.shown}
            if waits.shown["problem"]:
                shown["error"] = f"approve: {waits.shown['problem']}; the plan still waits"
            yield Told("approval", shown, 422 if waits.shown["problem"] else 202)
        except (GeneratorExit, asyncio.CancelledError):  # the client has gone, or the time is over
            outcome = "stopped" if outcome == "failed" else outcome
            raise
        finally:
            self._metrics.running.dec()
            self._metrics.run_seconds.labels(outcome).observe(time.perf_counter() - started)
