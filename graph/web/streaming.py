"""A response that is written while the work goes on, and ends the work when the client goes away.

As server-sent events, each with the milliseconds since the request, or as one JSON object at the end.
"""

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, NamedTuple

from fastapi.responses import JSONResponse, Response
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from graph.web.errors import TookTooLong, answer, status_of, told
from graph.web.slots import Busy

KEEP_ALIVE_SECONDS = 15.0
"""Silence after which a comment is sent, so that nobody between takes the connection for dead."""

log = logging.getLogger("lookahead.web")


class Told(NamedTuple):
    """Something to tell the client."""

    event: str
    data: Mapping[str, Any]
    status: int = 0
    """Not 0: with this the work has come to its end, and this is the status of a JSON answer."""


Work = AsyncGenerator[Told, None]


def wants_events(request: Request, asked: bool) -> bool:
    """Whether the client takes server-sent events: it says so, or accepts nothing else."""
    return asked or "text/event-stream" in request.headers.get("accept", "")


class Unread(Exception):
    """The client takes nothing of what is written."""


class Answering(Response):
    """Does the work while it answers.

    Args:
        work: what is told, the end last.
        stream: as events; else JSON.
        release: called when the work has ended, however it did.
        count: is told the sentence of an error.
        stalled: seconds that a client may take nothing of what is written; then the work ends.
        seconds: longest time for it; None: any.
    """

    def __init__(
        self,
        work: Work,
        stream: bool,
        release: Callable[[], None],
        count: Callable[[str], None],
        stalled: float,
        seconds: float | None = None,
    ) -> None:
        super().__init__()
        self._work, self._stream, self._release, self._count = work, stream, release, count
        self._stalled, self._seconds = stalled, seconds
        self._started = time.perf_counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        send = self._while_read(send)
        writing = asyncio.create_task(self._events(send) if self._stream else self._json(scope, receive, send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait({writing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            if not writing.done():
                writing.cancel()  # closes the work, model calls included
            try:
                await asyncio.gather(leaving, return_exceptions=True)
                with suppress(asyncio.CancelledError, Unread):
                    await writing
            finally:
                self._release()

    def _while_read(self, send: Send) -> Send:
        """`send` that raises Unread when a message does not go out: the client has let what is between fill up."""

        async def sent(message: Message) -> None:
            try:
                async with asyncio.timeout(self._stalled):
                    await send(message)
            except TimeoutError:
                said = f"request: its client took nothing for {self._stalled:g} seconds (LOOKAHEAD_STALLED_SECONDS)"
                self._count(said)
                log.warning("%s, and it was stopped", said)
                raise Unread from None

        return sent

    async def _events(self, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        turn, writing = asyncio.Lock(), asyncio.current_task()
        assert writing is not None
        breathing = asyncio.create_task(_breathe(send, turn, writing.cancel))
        try:
            async with self._in_time(), aclosing(self._work) as work:
                async for told_ in work:
                    await self._event(send, turn, told_)
        except Unread:
            raise
        except Exception as error:
            said = told(error)
            self._count(said)
            again = {"retry_after": error.seconds} if isinstance(error, Busy) else {}
            await self._event(send, turn, Told("error", {"error": said, "status": status_of(error), **again}))
        finally:
            breathing.cancel()
        async with turn:
            await send({"type": "http.response.body", "body": b""})

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._seconds) as clock:
                yield
        except TimeoutError:
            if not clock.expired():
                raise
            raise TookTooLong(
                f"run: it took longer than {self._seconds:g} seconds and was stopped (LOOKAHEAD_MAX_SECONDS): ask for "
                "less, or with an earlier deadline_ms"
            ) from None

    async def _event(self, send: Send, turn: asyncio.Lock, told_: Told) -> None:
        data = dict(told_.data)
        if told_.event != "done":  # which is the result as it is everywhere
            data["at_ms"] = round((time.perf_counter() - self._started) * 1000, 1)
        body = f"event: {told_.event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode("utf-8", "replace")
        async with turn:
            await send({"type": "http.response.body", "body": body, "more_body": True})

    async def _json(self, scope: Scope, receive: Receive, send: Send) -> None:
        last: Told | None = None
        try:
            async with self._in_time(), aclosing(self._work) as work:
                async for told_ in work:
                    last = told_
        except Exception as error:
            response = answer(error)
            self._count(json.loads(bytes(response.body))["error"])
        else:
            assert last is not None  # work that does not raise comes to its end
            response = JSONResponse(dict(last.data), last.status)
        await response(scope, receive, send)


async def _breathe(send: Send, turn: asyncio.Lock, stop: Callable[[], Any]) -> None:
    try:
        while True:
            await asyncio.sleep(KEEP_ALIVE_SECONDS)
            async with turn:
                await send({"type": "http.response.body", "body": b": still here\n\n", "more_body": True})
    except Unread:  # the work may be silent for long, and is ended without another try
        stop()


async def _left(receive: Receive) -> None:
    """Returns when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
