"""Store, models and graph kept open from one question to the next."""

import asyncio
from typing import Any, Self

from graph.api import astream
from graph.cli.live import LiveRun
from graph.cli.output import warn
from graph.lookahead import build
from models.model_names import Role
from nodes.context import Context
from nodes.deps import Deps

ROLES: tuple[Role, ...] = ("planner", "synthesizer")


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
        self._told = False
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
        await self._tell_auto()
        with LiveRun() as live:
            async for event in astream(question, plan=self._plan, graph=self._graph, context=self._context):
                live.handle(event)
                result = dict(event.get("result", result))
        return result

    async def _tell_auto(self) -> None:
        """Say once, before anything is sent, which server nobody named gets the question and the passages."""
        if self._told:
            return
        named = {"planner": "given" if self._plan else self._context.planner, "synthesizer": self._context.synthesizer}
        choice = await self._deps.auto_choice(**named)
        self._told = True
        if choice is None:
            return
        chats = [await self._deps.chat_model(role, "auto") for role in ROLES if named[role] == "auto"]
        models = " and ".join(dict.fromkeys(chat.name for chat in chats if chat is not None))
        warn(
            f"{choice.reason}: the question and the passages found are sent to {choice.server} ({models}); "
            "LOOKAHEAD_AUTO=embedded keeps them here"
        )
