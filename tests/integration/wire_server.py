"""A scripted HTTP/1.1 server on a free loopback port: it notes every request, and a script decides each reply.

It knows HTTP with keep-alive, nothing of models; `wire_groq` and `wire_ollama` speak their dialects.

    async with WireServer(in_order(Reply.of(503, {"error": "busy"}), Reply.of(200, {"ok": True}))) as server:
        ...  # server.url, server.requests, server.connections
"""

import asyncio
import contextlib
import socket
import struct
import threading
import time
from http import HTTPStatus
from typing import Self

from tests.integration.wire_http import Fault, Reply, Request, Script

LOOPBACK = "127.0.0.1"


class WireServer:
    """Serves a script, within the running loop (`async with`) or in a thread with a loop of its own (`with`)."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []
        self.connections = 0
        """Accepted so far."""
        self.left = 0
        """Clients that went away before their reply was complete."""
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event, threading.Thread] | None = None

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{LOOPBACK}:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, LOOPBACK, self.port, limit=2**26, backlog=512)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def __enter__(self) -> Self:
        begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        listening = threading.Event()

        async def serve() -> None:
            async with self:
                begun.append((asyncio.get_running_loop(), asyncio.Event()))
                listening.set()
                await begun[0][1].wait()

        thread = threading.Thread(target=lambda: asyncio.run(serve()), name="wire server", daemon=True)
        thread.start()
        if not listening.wait(10):
            raise RuntimeError("the loopback server did not start")
        self._stop = (*begun[0], thread)
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._stop is not None
        loop, stop, thread = self._stop
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)

    async def hung_up(self) -> None:
        """Wait until no connection is left."""
        await asyncio.gather(*self._tasks)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (request := await _read(reader, number)) is not None:
                self.requests.append(request)
                if not await self._send(self.script(request), reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left += 1
        except asyncio.CancelledError:  # the server stops; asyncio would report a cancelled handler as an error
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _send(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send it; False when the connection has ended with it."""
        head: bytes = _head(reply)
        for piece in reply.pieces:
            if isinstance(piece, float | int):
                if await _leaves(reader, piece):
                    self.left += 1
                    return False
            elif isinstance(piece, bytes):
                writer.write(head + (_chunk(piece) if reply.chunked else piece))
                head = b""
                await writer.drain()
            else:
                if piece is Fault.HANG and await _leaves(reader, None):
                    self.left += 1
                if piece is Fault.RESET:
                    _reset(writer)
                return False
        writer.write(head + (b"0\r\n\r\n" if reply.chunked else b""))
        await writer.drain()
        return True


def _head(reply: Reply) -> bytes:
    if not reply.status:
        return b""
    length = sum(len(piece) for piece in reply.pieces if isinstance(piece, bytes))
    try:
        reason = HTTPStatus(reply.status).phrase
    except ValueError:  # 498 and 499, which no standard names
        reason = "Error"
    lines = [f"HTTP/1.1 {reply.status} {reason}", f"content-type: {reply.content_type}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    if reply.status not in (204, 304):  # which have no body
        lines.append("transfer-encoding: chunked" if reply.chunked else f"content-length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""


async def _read(reader: asyncio.StreamReader, connection: int) -> Request | None:
    """The next request; None when the client has closed the connection between two of them."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body, time.monotonic(), connection)


async def _leaves(reader: asyncio.StreamReader, seconds: float | None) -> bool:
    """Wait; True when the client goes away meanwhile. (No client here sends a request before it has its reply.)"""
    try:
        async with asyncio.timeout(seconds):
            return not await reader.read(1)
    except TimeoutError:
        return False


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close without the usual goodbye: what is unsent is thrown away, and the client gets ECONNRESET."""
    sock: socket.socket = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def refusing_url() -> str:
    """An address on which nothing listens: connections to it are refused at once."""
    with socket.socket() as free:
        free.bind((LOOPBACK, 0))
        return f"http://{LOOPBACK}:{free.getsockname()[1]}"
