"""Store, models and graph kept open from one question to the next."""

import asyncio
from typing import Any, Self

from graph.api import astream
from graph.cli.live import LiveRun
from graph.lookahead import build
from nodes.context import Context
from nodes.deps import Deps


class Session:
    """Asks one question after the other under the same settings.

    Args:
        store: address; None takes that of the environment.
        context: settings of every question.
        plan: a ready plan, used for every question.
    """

    def __init__(self, store: str | None, context: Context, plan: dict[str, Any] | None = None) -> None:
        self._context = context
        self._plan = plan
        self._deps = Deps(store)
        self._graph = build(self._deps)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._runner.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._runner.run(self._deps.__aexit__(*exc))
        finally:
            self._runner.close()

    def ask(self, question: str) -> dict[str, Any]:
        """Answer a question, showing the run while it lasts.

        Returns:
            A `graph.api.Result`.
        """
        return self._runner.run(self._ask(question))

    async def _ask(self, question: str) -> dict[str, Any]:
        result: dict[str, Any] = {}
        with LiveRun() as live:
            async for event in astream(question, plan=self._plan, graph=self._graph, context=self._context):
                live.handle(event)
                result = dict(event.get("result", result))
        return result
