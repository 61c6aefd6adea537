"""Before a request is read: its client may come in, its body is small enough, and goes on coming, fast enough."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graph.web.errors import answer
from graph.web.gate import Refused

Limit = Callable[[str], int | None]
"""Path -> most bytes of a body; None: not ours to say."""
SLOWEST = 10_000
"""Bytes a second at which a body must come: who lets it drip keeps a place that others wait for."""


class BodyLimit:
    """ASGI middleware.

    Args:
        app: what is behind it.
        limit: see there.
        admit: raises `Refused` for a client that may not come in.
        count: is told the sentence of an error.
        stalled: seconds that a client may send nothing.
    """

    def __init__(
        self,
        app: ASGIApp,
        limit: Limit,
        admit: Callable[[Scope], Any],
        count: Callable[[str], None],
        stalled: float,
    ) -> None:
        self._app, self._limit, self._admit, self._count, self._stalled = app, limit, admit, count, stalled

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
            await self._app(scope, _watched(receive, limit, self._stalled), send)


def _watched(receive: Receive, limit: int, stalled: float) -> Receive:
    """Refuses a body that is too large, silent for `stalled` seconds, or takes over `stalled` + bytes / SLOWEST.

    Only the time in which it is waited for counts, and none of what is done with it.
    """
    seen, waited, complete = 0, 0.0, False

    async def watched() -> Message:
        nonlocal seen, waited, complete
        left = stalled + seen / SLOWEST - waited
        started = time.monotonic()
        try:
            async with asyncio.timeout(None if complete else min(stalled, left)):
                message = await receive()
        except TimeoutError:
            raise HTTPException(
                408,
                f"request: its body did not come on ({seen:,} bytes in {waited + time.monotonic() - started:.1f} s), "
                f"and may be silent for {stalled:g} s (LOOKAHEAD_STALLED_SECONDS) and take these and a second for each "
                f"{SLOWEST:,} bytes: send it again, less at once or over a faster line",
                {"Connection": "close"},
            ) from None
        waited += time.monotonic() - started
        complete = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(
                413,
                f"request: its body has more than {limit:,} bytes, which is the most that is taken: send less at once",
            )
        return message

    return watched
