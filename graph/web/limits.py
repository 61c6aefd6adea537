"""Before a request is read: its client may come in, its body is small enough, and goes on coming."""

import asyncio
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.web.errors import answer
from graph.web.gate import Refused

Limit = Callable[[str], int | None]
"""Path -> most bytes of a body; None: not ours to say."""
STALLED_SECONDS = 30.0
"""How long the next piece of a body may take: who sends none keeps a place that others wait for."""


class BodyLimit:
    """ASGI middleware.

    Args:
        app: what is behind it.
        limit: see there.
        admit: raises `Refused` for a client that may not come in.
        count: is told the sentence of an error.
    """

    def __init__(self, app: ASGIApp, limit: Limit, admit: Callable[[Scope], Any], count: Callable[[str], None]) -> None:
        self._app, self._limit, self._admit, self._count = app, limit, admit, count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._limit(scope["path"]) if scope["type"] == "http" else None
        if limit is None:
            await self._app(scope, receive, send)
            return
        try:
            self._admit(scope)
        except Refused as error:
            self._count(str(error))
            await answer(error)(scope, receive, send)
        else:
            await self._app(scope, _watched(receive, limit), send)


def _watched(receive: Receive, limit: int) -> Receive:
    seen, complete = 0, False

    async def watched() -> Message:
        nonlocal seen, complete
        try:
            async with asyncio.timeout(None if complete else STALLED_SECONDS):
                message = await receive()
        except TimeoutError:
            raise HTTPException(
                408, f"request: no more of its body came for {STALLED_SECONDS:.0f} seconds: send it again"
            ) from None
        complete = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(
                413,
                f"request: its body has more than {limit:,} bytes, which is the most that is taken: send less at once",
            )
        return message

    return watched
