"""A client of the HTTP service that opens no socket, and a service whose models are fakes."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from fastapi import FastAPI

from graph.web.app import create_app
from graph.web.settings import WebSettings
from nodes.deps import Deps
from tests.fakes import FakePlanner, FakeReader, FakeSearch, FakeSynthesizer, hit

QUESTION = "Where was the author of Ulysses born?"
PLAN = [
    {"id": "n1", "query": "author of Ulysses"},
    {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"]},
]


def fake_deps(store: str | None = None, **changes: Any) -> Deps:
    """Two hops over a dictionary; `changes` are arguments of Deps in place of the fakes."""
    found = {
        QUESTION: [hit("Ulysses", "Ulysses is by James Joyce.")],
        "author of Ulysses": [hit("Ulysses", "Ulysses is by James Joyce.")],
        "Where was James Joyce born?": [hit("James Joyce", "James Joyce was born in Dublin.")],
    }
    fakes: dict[str, Any] = {
        "search": FakeSearch(found),
        "planner": FakePlanner(PLAN),
        "reader": FakeReader({"author of Ulysses": "James Joyce"}),
        "synthesizer": FakeSynthesizer("Dublin"),
    }
    return Deps(store, **{**fakes, **changes})


def service(deps: Deps | None = None, **settings: Any) -> FastAPI:
    return create_app(deps or fake_deps(), WebSettings(_env_file=None, **settings))  # type: ignore[call-arg]


@asynccontextmanager
async def client(
    app: FastAPI, token: str = "", address: str = "127.0.0.1", host: str = "127.0.0.1"
) -> AsyncIterator[httpx.AsyncClient]:
    """A client that comes from an address; the app is closed with it."""
    transport = httpx.ASGITransport(app, client=(address, 5000), raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(transport=transport, base_url=f"http://{host}:8765", headers=headers) as opened:
        yield opened
    await app.state.service.close()


def events(response: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """The server-sent events of a response."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    blocks = [block for block in response.text.split("\n\n") if block.startswith("event: ")]
    pairs = [block.split("\n", 1) for block in blocks]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in pairs]


def error(response: httpx.Response, status: int) -> str:
    """The one sentence of an error."""
    assert response.status_code == status, response.text
    said = response.json()["error"]
    assert isinstance(said, str)
    assert "\n" not in said
    return said


async def until(true: Any, seconds: float = 5.0) -> None:
    """Wait until a function says so."""
    for _ in range(int(seconds * 100)):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come to be")
