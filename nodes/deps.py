"""Live objects: store, models, search. Opened on first use, by the event loop that uses them; never in the state.

`bind` is the only way a node meets its deps: a node stays a plain function that tests call with fakes.
"""

import asyncio
import copy
import functools
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever
from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from pydantic import BaseModel

from models.chat_planner import ChatPlanner
from models.chat_synthesizer import ChatSynthesizer
from models.embedder import Embedder, load_embedder
from models.planner import EmbeddedPlanner, Planner
from models.reader import EmbeddedReader, Reader
from models.synthesizer import EmbeddedSynthesizer, Synthesizer
from nodes.settings import Settings
from stores.base import PassageStore
from stores.errors import ModelError, NamespaceNotFound
from stores.opening import open_store
from tools.retrieval import RetrieverSearch, Search, StoreSearch

ContextT = TypeVar("ContextT", bound=BaseModel)


class Deps:
    """What the nodes of a graph share.

    As an async context manager it closes what it opened; a graph exported for a server opens on first use and lives as
    long as the process. What is handed in is used as it is and never closed.

    Args:
        store: address (a folder), or a store that is open; None takes LOOKAHEAD_STORE or the user's data folder.
        retriever: a LangChain retriever that is searched in place of the store.
        model: a LangChain chat model that plans and answers where the context says "auto" or "model".
        planner: used for every plan, whatever the context names.
        synthesizer: used for every answer, whatever the context names.
        reader: in place of the embedded reader.
        embedder: in place of the one the namespace was made with.
        search: in place of searching the store.
    """

    def __init__(
        self,
        store: str | PassageStore | None = None,
        *,
        retriever: BaseRetriever | None = None,
        model: BaseChatModel | None = None,
        planner: Planner | None = None,
        synthesizer: Synthesizer | None = None,
        reader: Reader | None = None,
        embedder: Embedder | None = None,
        search: Search | None = None,
    ) -> None:
        self._store = store
        self._model = model
        self._planner = planner
        self._synthesizer = synthesizer
        self._embedder = embedder
        self._reader = reader
        self._search = search or (RetrieverSearch(retriever) if retriever is not None else None)
        self._embedders: dict[str, Embedder] = {}
        self._loading = threading.Lock()
        self._loops: dict[asyncio.AbstractEventLoop, _Opened] = {}

    def using(self, *, retriever: BaseRetriever | None = None, model: BaseChatModel | None = None) -> Self:
        """The same deps, which stay open and closed together, with this retriever and this model where given."""
        if retriever is None and model is None:
            return self
        changed = copy.copy(self)
        if retriever is not None:
            changed._search = RetrieverSearch(retriever)
        if model is not None:
            changed._model = model
        return changed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        opened = self._loops.pop(asyncio.get_running_loop(), None)
        if opened is not None and opened.store is not None:
            await opened.store.__aexit__(*exc)

    @functools.cached_property
    def settings(self) -> Settings:
        """Environment and `.env`, read on first use."""
        return Settings()

    async def store(self) -> PassageStore:
        """The store, opened for the running loop on first use."""
        if self._store is not None and not isinstance(self._store, str):
            return self._store
        await self._close_dead()
        opened = self._loops.setdefault(asyncio.get_running_loop(), _Opened())
        async with opened.lock:
            if opened.store is None:
                address = self._store or (await asyncio.to_thread(lambda: self.settings)).lookahead_store
                opened.store = await open_store(address).__aenter__()
        return opened.store

    async def _close_dead(self) -> None:
        """Close what loops that are closed by now had opened (`asyncio.run`, again and again)."""
        for loop in [loop for loop in self._loops if loop.is_closed()]:
            opened = self._loops.pop(loop, None)
            if opened is not None and opened.store is not None:
                await opened.store.__aexit__(None, None, None)

    async def embedder(self, name: str) -> Embedder:
        """The embedder of this name, loaded off the loop on first use."""
        if self._embedder is not None:
            return self._embedder
        if name in self._embedders:
            return self._embedders[name]
        return await asyncio.to_thread(self._load_embedder, name)

    def _load_embedder(self, name: str) -> Embedder:
        with self._loading:  # plan and probe ask at the same time: one of them loads
            if name not in self._embedders:
                self._embedders[name] = load_embedder(name)
        return self._embedders[name]

    async def search(self, namespace: str) -> Search:
        """How passages of this namespace are found.

        Raises:
            NamespaceNotFound: it holds no documents.
        """
        if self._search is not None:
            return self._search
        store = await self.store()
        info = await store.info(namespace)
        if info is None or info.passages == 0:
            raise NamespaceNotFound(
                f"retrieve: namespace {namespace!r} of the store at {store.address!r} holds no documents: "
                f"put some in with `lookahead ingest PATH --namespace {namespace}`"
            )
        return StoreSearch(store, await self.embedder(info.spec.embedder.name), namespace)

    async def reader(self) -> Reader:
        """Reads bindings, spans and support; always local."""
        if self._reader is None:
            self._reader = EmbeddedReader()
        return self._reader

    async def planner(self, name: str) -> Planner:
        """The planner of this name ("auto" is the model that was handed in, else the embedded one)."""
        if self._planner is not None:
            return self._planner
        model = self._chat_model("planner", name)
        return ChatPlanner(model) if model is not None else EmbeddedPlanner()

    async def synthesizer(self, name: str) -> Synthesizer:
        """The synthesizer of this name ("auto" is the model that was handed in, else the embedded one)."""
        if self._synthesizer is not None:
            return self._synthesizer
        model = self._chat_model("synthesizer", name)
        return ChatSynthesizer(model) if model is not None else EmbeddedSynthesizer(await self.reader())

    def _chat_model(self, role: str, name: str) -> BaseChatModel | None:
        """The chat model of this name; None for the embedded one."""
        match name:
            case "embedded":
                return None
            case "auto":
                return self._model
            case "model" if self._model is not None:
                return self._model
            case "model":
                raise ModelError(f"{role}: 'model' is the one handed to build(model=...), and none was")
        raise ModelError(f"{role}: {name!r} is not a model this version can use; take 'auto', 'embedded' or 'model'")


def _context_of(brought: Any, state: Mapping[str, Any], default: ContextT) -> ContextT:
    if isinstance(brought, type(default)):
        return brought
    begun = state.get("context")
    return type(default)(**begun) if begun else default


class _Opened:
    """What one event loop has opened."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.store: PassageStore | None = None


def bind(node: Callable[..., Awaitable[Mapping[str, Any]]], deps: object, default: ContextT) -> Any:
    """Close `node` over its deps, and measure it from outside.

    The wrapped signature stays visible (`functools.wraps`), or LangGraph would lose the node's input schema. The node
    gets `default` unless the run brought a context of the same type: in process an omitted context is None, and as a
    subgraph it is the parent's. A run resumed without one goes on with the settings that it began with. Wall time goes
    to `timings_ms` under the node's name, that of the run to "total".

    Args:
        node: `async (state, runtime, *, deps) -> partial update`.
        deps: what it works with; handed on as it is.
        default: context of a run that brings none.
    """

    @functools.wraps(node)
    async def bound(state: Any, runtime: Runtime[ContextT]) -> dict[str, Any]:
        context = _context_of(runtime.context, state, default)
        started = time.perf_counter()
        update = dict(await node(state, runtime.override(context=context), deps=deps))
        timings: dict[str, float] = {node.__name__: (time.perf_counter() - started) * 1000}
        run_started = update.get("started_at") or state.get("started_at")
        if run_started:
            timings["total"] = (time.time() - run_started) * 1000
        resets = isinstance(update.get("timings_ms"), Overwrite)
        return {**update, "timings_ms": Overwrite(timings) if resets else timings}

    return bound
