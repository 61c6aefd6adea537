"""The product on loopback servers: planner and synthesizer as the environment names them, with a hurried clock.

A run is kept with all that could be read of it: result, events, the graph's state. `readings` looks for secrets there.
"""

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from graph.api import Event, astream
from graph.lookahead import build
from graph.results import Result
from models.chat import ChatModel
from models.chat_planner import ChatPlanner
from models.chat_synthesizer import ChatSynthesizer
from models.health import Health
from models.model_names import Role
from models.providers import Endpoints, close_chat_model, make_chat_model
from models.retrying import Retry
from nodes.deps import Deps
from tests.integration.wire_http import Script
from tests.integration.wire_server import WireServer
from tests.integration.wire_talk import QUESTION


class Hurry:
    """A clock that waits set forward instead of waiting for: no test sleeps before it asks again."""

    def __init__(self) -> None:
        self.waited = 0.0
        """Seconds that were not waited."""

    def clock(self) -> float:
        return time.monotonic() + self.waited

    async def sleep(self, seconds: float) -> None:
        self.waited += max(seconds, 0.0)
        await asyncio.sleep(0)


@dataclass
class Run:
    """One question, and all that was said of it."""

    result: Result
    events: list[Event]
    state: dict[str, Any]

    @property
    def warnings(self) -> list[str]:
        return self.result["warnings"]

    def stands_in(self, stage: str) -> str:
        """Why the embedded model stands in at this stage; fails when it does not, or says so twice."""
        [warning] = [text for text in self.warnings if text.startswith(f"{stage}: the embedded")]
        return warning

    def shown(self) -> str:
        """The text that is shown in the end: what was taken back is gone."""
        text = ""
        for event in self.events:
            text = "" if event["type"] == "answer_reset" else text + event.get("text", "")
        return text


@dataclass
class Product:
    """Deps on a loopback server, and that server."""

    deps: Deps
    server: WireServer
    hurry: Hurry
    name: str
    runs: list[Run] = field(default_factory=list)

    async def ask(self, **settings: Any) -> Run:
        """Ask the question of `wire_talk`."""
        config: Any = {"configurable": {"thread_id": str(len(self.runs))}}
        graph = build(self.deps, checkpointer=InMemorySaver())
        events = [event async for event in astream(QUESTION, graph=graph, config=config, **settings)]
        state = (await graph.aget_state(config)).values
        self.runs.append(Run(events[-1]["result"], events, state))
        return self.runs[-1]

    @property
    def asked(self) -> int:
        """Requests that reached the server."""
        return len(self.server.requests)


@asynccontextmanager
async def product(wire: Any, script: Script, store: str, *, address: str = "") -> AsyncIterator[Product]:
    """Both roles on one model of this wire; `address` in place of the server's for one where nobody listens."""
    hurry = Hurry()
    health = Health(clock=hurry.clock)
    retry = Retry(sleep=hurry.sleep, clock=hurry.clock)
    async with asyncio.timeout(60), wire.serve(script) as server:
        url = address or server.url
        key = SecretStr(wire.KEY)
        endpoints = Endpoints(
            groq_api_key=key, groq_api_base=url, ollama_host=wire.environment(url).get("OLLAMA_HOST", url)
        )

        def chat(role: Role) -> ChatModel:
            made = make_chat_model(f"{wire.NAME}:{wire.MODEL}", role, endpoints, health=health)
            return replace(made, retry=retry)

        planner, synthesizer = chat("planner"), chat("synthesizer")
        roles = {"planner": ChatPlanner(planner), "synthesizer": ChatSynthesizer(synthesizer)}
        async with Deps(store, **roles) as deps:  # type: ignore[arg-type]
            yield Product(deps, server, hurry, planner.name)
        await close_chat_model(planner)
        await close_chat_model(synthesizer)


def secrets_in(text: str, wire: Any) -> list[str]:
    """Secrets of the loopback servers that stand in a text, also as an Authorization header has them."""
    basic = base64.b64encode(f"someone:{wire.KEY}".encode()).decode()
    return [secret for secret in (wire.KEY, basic, wire.KEY[4:20]) if secret in text]


def readings(run: Run) -> str:
    """Everything of a run that people may come to read."""
    return "\n".join([json.dumps(run.result), json.dumps(run.events, default=repr), repr(run.state), *run.warnings])
