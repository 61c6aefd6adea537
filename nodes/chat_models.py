"""Chat models by name, opened once for each event loop and closed with it. Knows what the environment names.

Clients belong to the loop that uses them and take 0.2 s to import and build; what is known of the servers (health, what
`auto` stands for, how much a model can read) is kept for all loops.
"""

import asyncio
import dataclasses
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack
from typing import NamedTuple

from models.auto import Auto, Choice, choose
from models.chat import ChatModel
from models.health import shared_health
from models.model_names import Role, full_name
from models.prices import Prices, load_prices
from models.providers import Endpoints, Http, close_chat_model, make_chat_model, open_http
from models.servers import Fetch, NotReached, context_length, fetch_json
from nodes.settings import Settings

SHOW_SECONDS = 1.0
"""How long Ollama may take to say how much a model can read."""
ASK_AGAIN_SECONDS = 10.0
"""After so long a server that did not say is asked again."""


class ChatModels:
    """The chat models of one `Deps`.

    Args:
        settings: gives keys and addresses; called on first use, not on an event loop's thread.
        fetch: asks a server what it has.
    """

    def __init__(self, settings: Callable[[], Settings], fetch: Fetch = fetch_json) -> None:
        self._settings = settings
        self._fetch = fetch
        self._loops: dict[asyncio.AbstractEventLoop, _Opened] = {}
        self._environment: _Environment | None = None
        self._choice: Choice | None = None
        self._lengths: dict[tuple[str, str], int | None] = {}
        self._ask_again: dict[tuple[str, str], float] = {}

    async def choice(self) -> Choice:
        """What `auto` stands for; found out once."""
        async with self._opened().lock:
            if self._choice is None:
                known = await self._known()
                self._choice = await choose(known.endpoints, known.auto, fetch=self._fetch)
        return self._choice

    async def get(self, role: Role, name: str) -> ChatModel | None:
        """The chat model of this name; None for the embedded one.

        Raises:
            ModelError: the name is unknown, a package or a key is missing.
            InputError: a variable of the environment cannot be used.
        """
        if name == "auto":
            name = (await self.choice()).provider
        if name == "embedded":
            return None
        known, opened = await self._known(), self._opened()
        endpoints = known.endpoints
        name = full_name(name, role, endpoints.ollama_model)
        async with opened.lock:
            if name.startswith("ollama:"):
                endpoints = await self._fitted(endpoints, name.partition(":")[2])
            key = (role, name, endpoints.ollama_num_ctx)
            if key not in opened.chats:
                await opened.start()
                opened.chats[key] = await asyncio.to_thread(opened.make, name, role, endpoints, known.prices)
        return opened.chats[key]

    async def close(self) -> None:
        """Close what the running loop had opened."""
        opened = self._loops.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.end()

    async def _known(self) -> "_Environment":
        if self._environment is None:
            settings = await asyncio.to_thread(self._settings)
            prices = await asyncio.to_thread(load_prices, settings.lookahead_prices)
            self._environment = _Environment(settings.endpoints(), settings.lookahead_auto, prices)
        return self._environment

    def _opened(self) -> "_Opened":
        for loop in [loop for loop in list(self._loops) if loop.is_closed()]:
            self._loops.pop(loop, None)  # closed with its loop, see `_Opened`
        return self._loops.setdefault(asyncio.get_running_loop(), _Opened())

    async def _fitted(self, endpoints: Endpoints, model: str) -> Endpoints:
        """The endpoints with no larger a window than the model has: Ollama would cut it without a word."""
        key = (endpoints.ollama_host, model)
        if key not in self._lengths and time.monotonic() >= self._ask_again.get(key, 0.0):
            headers = endpoints.ollama_headers()
            try:
                self._lengths[key] = await context_length(
                    endpoints.ollama_host, headers, model, SHOW_SECONDS, self._fetch
                )
            except NotReached:  # down, or the model is not there: the call will say so
                self._ask_again[key] = time.monotonic() + ASK_AGAIN_SECONDS
        length = self._lengths.get(key) or endpoints.ollama_num_ctx
        return dataclasses.replace(endpoints, ollama_num_ctx=min(length, endpoints.ollama_num_ctx))


class _Environment(NamedTuple):
    """What the environment says, read once."""

    endpoints: Endpoints
    auto: Auto
    prices: Prices


class _Opened:
    """What one event loop has opened.

    A generator that waits in its `finally` closes it: `asyncio.run` finishes open generators before it closes the
    loop, so that connections are closed where they can be, also by programs that never close their `Deps`.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.chats: dict[tuple[Role, str, int], ChatModel] = {}
        self.http: Http | None = None
        self._closing: AsyncGenerator[None, None] | None = None

    async def start(self) -> None:
        if self._closing is None:
            self._closing = self._until_closed()
            await anext(self._closing)

    async def end(self) -> None:
        if self._closing is not None:
            await self._closing.aclose()

    def make(self, name: str, role: Role, endpoints: Endpoints, prices: Prices) -> ChatModel:
        """Make the model; those of Groq share their connections."""
        http, address = None, ""
        if name.startswith("groq:"):
            address = endpoints.groq_api_base
            http = self.http = self.http or open_http(address)
        elif name.startswith("ollama:"):
            address = endpoints.ollama_host
        health = shared_health(name, address)
        return make_chat_model(name, role, endpoints, health=health, http=http, prices=prices)

    async def _until_closed(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            async with AsyncExitStack() as closing:  # one that cannot be closed keeps no other open
                for chat in self.chats.values():
                    closing.push_async_callback(close_chat_model, chat)
                self.chats.clear()
                self.http = None
