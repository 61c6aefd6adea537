"""Runs that compute on this machine take turns: the processors are given to few at a time, who comes first first.

Were all of them worked on at once, each would get a small share, and everybody's answer would come as late as the last
one's. Runs that ask a language model wait for others most of the time, and need no turn.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from models.model_names import Role
from nodes.context import Context
from nodes.deps import Deps
from stores.errors import LookaheadError


class Turns:
    """Working places.

    Args:
        deps: knows which names stand for a language model.
        limit: how many are worked on at the same time.
    """

    def __init__(self, deps: Deps, limit: int) -> None:
        self._deps = deps
        self._places = asyncio.Semaphore(limit)  # first come, first served
        self.waiting = 0

    @asynccontextmanager
    async def turn(self, context: Context | None) -> AsyncIterator[None]:
        """Wait for a place, and have it as long as the block lasts.

        Args:
            context: settings of the run; None where they are not known.
        """
        if context is not None and await self._asks_a_model(context):
            yield
            return
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._places.release()

    async def _asks_a_model(self, context: Context) -> bool:
        named: list[tuple[Role, str]] = [("planner", context.planner), ("synthesizer", context.synthesizer)]
        try:
            models = [await self._deps.chat_model(role, name) for role, name in named if name != "none"]
        except LookaheadError:  # which the run itself will tell
            return False
        return any(model is not None for model in models)
