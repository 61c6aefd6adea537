"""Clients that let their request drip, or do not read what is streamed to them, over real sockets of this machine."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from graph.web.streaming import Told, Work
from tests.unit.test_web_service import stored
from tests.unit.web import until

STALLED = 0.5
HEAD = "POST /documents{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
FORM = "multipart/form-data; boundary=b"
BERN = {"documents": [{"id": "bern", "title": "Bern", "text": "Bern is a city."}]}


@asynccontextmanager
async def listening(app: FastAPI) -> AsyncIterator[int]:
    """Port of a server whose sockets hold little that is not read."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8_192)
        server = uvicorn.Server(uvicorn.Config(app, timeout_graceful_shutdown=1, log_level="critical"))
        serving = asyncio.create_task(server.serve([opened]))
        await until(lambda: server.started, 30)
        try:
            yield int(opened.getsockname()[1])
        finally:
            server.should_exit = True
            await serving


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection that takes little in advance of being read."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    made.connect(("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=made, limit=1_024)
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def everything(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side closes, which is a reset where it had not taken all that was sent to it."""
    came = b""
    with contextlib.suppress(ConnectionResetError):
        while more := await reader.read(1_024):
            came += more
    return came


@pytest.mark.parametrize("kind", [FORM, "application/json"])
@pytest.mark.parametrize("drop", [b" ", b""])
async def test_documents_that_drip_are_refused_and_leave_their_place_to_others(kind: str, drop: bytes) -> None:
    app = stored(lookahead_max_ingests=1, lookahead_stalled_seconds=STALLED)
    async with listening(app) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as others:
        assert (await others.post("/documents", json=BERN)).json()["added"] == 1
        async with connected(port) as (reader, writer):
            begun = (
                '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n' if kind == FORM else "{"
            )
            writer.write((HEAD.format(query="", kind=kind, length=100_000) + begun).encode())
            await until(lambda: app.state.service.ingests.taken)
            assert (await others.post("/documents", json=BERN)).status_code == 429
            answered = asyncio.create_task(everything(reader))
            for _ in range(1_000):
                if answered.done():
                    break
                with contextlib.suppress(OSError):
                    writer.write(drop)
                await asyncio.sleep(0.02)
            head, _, body = (await asyncio.wait_for(answered, 10)).decode().partition("\r\n\r\n")
            assert head.startswith("HTTP/1.1 408 ")
            assert "LOOKAHEAD_STALLED_SECONDS" in json.loads(body)["error"]
            assert app.state.service.ingests.taken == 0
        assert (await others.post("/documents", json=BERN)).json()["unchanged"] == 1
        assert (await others.get("/documents")).json()["total"] == 1


async def test_a_stream_that_nobody_reads_ends_its_work_and_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    app = stored(lookahead_max_ingests=1, lookahead_stalled_seconds=STALLED)
    told = ended = 0

    async def endless(*_: Any) -> Work:
        nonlocal told, ended
        try:
            while True:
                told += 1
                yield Told("progress", {"said": "x" * 10_000})
        finally:
            ended += 1

    async with listening(app) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as others:
        with monkeypatch.context() as patched:
            patched.setattr(app.state.service.bringing, "documents", endless)
            async with connected(port) as (reader, writer):
                body = json.dumps(BERN)
                head = HEAD.format(query="?stream=true", kind="application/json", length=len(body))
                writer.write((head + body).encode())
                assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")  # and no more of it
                await until(lambda: ended, 30)
                await until(lambda: not app.state.service.ingests.taken)
                assert told > 1
        assert (await others.post("/documents", json=BERN)).json()["added"] == 1
        assert 'lookahead_errors_total{stage="request"} 1.0' in (await others.get("/metrics")).text
