"""Keeps requests small: reading a body stops at the limit of its route, whatever length the client claims."""

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Limit = Callable[[str], int | None]
"""Path -> most bytes of a body; None: not ours to say."""


class BodyLimit:
    """ASGI middleware.

    Args:
        app: what is behind it.
        limit: see there.
    """

    def __init__(self, app: ASGIApp, limit: Limit) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limit = self._limit(scope["path"]) if scope["type"] == "http" else None
        await self._app(scope, receive if limit is None else _counting(receive, limit), send)


def _counting(receive: Receive, limit: int) -> Receive:
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(
                413,
                f"request: its body has more than {limit:,} bytes, which is the most that is taken: send less at once",
            )
        return message

    return counted
