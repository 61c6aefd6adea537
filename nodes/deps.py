"""Live objects: store, models, search. Opened on first use, by the event loop that uses them; never in the state."""

import asyncio
import copy
import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self, TypeVar

from models.agent import Agent, EmbeddedAgent
from models.auto import Choice
from models.chat import ChatModel, as_chat_model
from models.embedder import DEFAULT_EMBEDDER, Embedder, load_embedder
from models.model_names import Role
from models.planner import EmbeddedPlanner, Planner
from models.reader import Reader
from models.rewriter import EmbeddedRewriter, Rewriter
from models.synthesizer import EmbeddedSynthesizer, Synthesizer
from models.trained_reader import load_reader
from nodes.bound_node import bind
from nodes.chat_models import ChatModels
from nodes.context import DEFAULT_READER
from nodes.settings import Settings
from stores.base import PassageStore
from stores.errors import ModelError, NamespaceNotFound
from stores.records import Matrix
from tools.retrieval import PlainSearch, RetrieverSearch, Search, StoreSearch

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever

    AnyChatModel = BaseChatModel | ChatModel

__all__ = ["Deps", "bind"]

_T = TypeVar("_T")


class Deps:
    """What the nodes of a graph share.

    As an async context manager it closes what it opened; a graph exported for a server opens on first use and lives as
    long as the process. What is handed in is used as it is and never closed.

    Args:
        store: address (a folder, or `neo4j://HOST`), or a store that is open; None takes LOOKAHEAD_STORE, else
            NEO4J_URI, else the user's data folder.
        retriever: a LangChain retriever that is searched in place of the store.
        model: a LangChain chat model that plans and answers where the context says "auto" or "model".
        planner: used for every plan, whatever the context names.
        synthesizer: used for every answer, whatever the context names.
        agent, rewriter: used for every step and all query variants, whatever the context names as planner.
        reader: reads everything, whatever the context names.
        embedder: in place of the one the namespace was made with.
        search: in place of searching the store.
    """

    def __init__(
        self,
        store: str | PassageStore | None = None,
        *,
        retriever: "BaseRetriever | None" = None,
        model: "AnyChatModel | None" = None,
        planner: Planner | None = None,
        synthesizer: Synthesizer | None = None,
        agent: Agent | None = None,
        rewriter: Rewriter | None = None,
        reader: Reader | None = None,
        embedder: Embedder | None = None,
        search: Search | None = None,
    ) -> None:
        self._store = store
        self._model = None if model is None else as_chat_model(model)
        self._planner = planner
        self._synthesizer = synthesizer
        self._agent = agent
        self._rewriter = rewriter
        self._embedder = embedder
        self._reader = reader
        self._search = search or (RetrieverSearch(retriever) if retriever is not None else None)
        self._embedders: dict[str, Embedder] = {}
        self._readers: dict[str, Reader] = {}
        self._loading = threading.Lock()
        self._loops: dict[asyncio.AbstractEventLoop, _Opened] = {}
        self._chat_models = ChatModels(lambda: self.settings)
        self._plain = False

    def using(self, *, retriever: "BaseRetriever | None" = None, model: "AnyChatModel | None" = None) -> Self:
        """The same deps, which stay open and closed together, with this retriever and this model where given."""
        if retriever is None and model is None:
            return self
        changed = copy.copy(self)
        if retriever is not None:
            changed._search = RetrieverSearch(retriever)
        if model is not None:
            changed._model = as_chat_model(model)
        return changed

    def plain(self) -> Self:
        """The same deps, with a store that is searched as is commonly done: by RRF of BM25 and dense search alone."""
        changed = copy.copy(self)
        changed._plain = True
        return changed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        try:
            await self._chat_models.close()
        finally:
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
                settings = await asyncio.to_thread(lambda: self.settings)
                opened.store = await settings.open_store(self._store or None).__aenter__()
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
        return await self._once(self._embedders, name, load_embedder)

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
        kind = PlainSearch if self._plain else StoreSearch
        return kind(store, await self.embedder(info.spec.embedder.name), namespace)

    async def reader(self, name: str = DEFAULT_READER) -> Reader:
        """The reader of this name, which reads bindings, spans and support; always local.

        Raises:
            ModelError: the trained reader's files are missing or broken.
        """
        if self._reader is not None:
            return self._reader
        return await self._once(self._readers, name, load_reader)

    def forget(self) -> None:
        """Let the readers forget what they have read, so that the next run takes the time of a first one."""
        for reader in [*self._readers.values(), *([self._reader] if self._reader else [])]:
            reader.forget()

    async def _once(self, kept: dict[str, _T], name: str, load: Callable[[str], _T]) -> _T:
        """What is kept under a name, loaded off the loop by the first who asks; plan, probe and hops ask at once."""
        if name not in kept:
            await asyncio.to_thread(self._keep, kept, name, load)
        return kept[name]

    def _keep(self, kept: dict[str, _T], name: str, load: Callable[[str], _T]) -> None:
        with self._loading:
            if name not in kept:
                kept[name] = load(name)

    async def planner(self, name: str) -> Planner:
        """The planner of this name; see `chat_model`."""
        if self._planner is not None:
            return self._planner
        chat = await self.chat_model("planner", name)
        if chat is None:
            return EmbeddedPlanner()
        from models.chat_planner import ChatPlanner  # these import LangChain's chat models

        return ChatPlanner(chat, embed=self._embed)

    async def synthesizer(self, name: str, reader: str = DEFAULT_READER) -> Synthesizer:
        """The synthesizer of this name, the embedded one with this reader; see `chat_model`."""
        if self._synthesizer is not None:
            return self._synthesizer
        chat = await self.chat_model("synthesizer", name)
        if chat is None:
            return EmbeddedSynthesizer(await self.reader(reader))
        from models.chat_synthesizer import ChatSynthesizer

        return ChatSynthesizer(chat)

    async def agent(self, name: str, tools: Sequence[str], reader: str = DEFAULT_READER) -> Agent:
        """The agent of this name, in the planner's place, with these tools; the embedded one with this reader."""
        if self._agent is not None:
            return self._agent
        chat = await self.chat_model("planner", name)
        if chat is None:
            return EmbeddedAgent(await self.reader(reader))
        from models.chat_agent import ChatAgent

        return ChatAgent(chat, tools)

    async def rewriter(self, name: str) -> Rewriter:
        """The rewriter of this name, in the planner's place; see `chat_model`."""
        if self._rewriter is not None:
            return self._rewriter
        chat = await self.chat_model("planner", name)
        if chat is None:
            return EmbeddedRewriter()
        from models.chat_rewriter import ChatRewriter

        return ChatRewriter(chat)

    async def chat_model(self, role: Role, name: str) -> ChatModel | None:
        """The chat model of this name; None for the embedded one.

        "auto" is the model that was handed in, else what `models.auto` finds. A server that is down is no error here.

        Raises:
            ModelError: the name is unknown, a package or a key is missing.
            InputError: a variable of the environment cannot be used.
        """
        if self._model is not None and name in ("auto", "model"):
            return self._model
        if name == "model":
            raise ModelError(f"{role}: 'model' is the one handed to build(model=...), and none was; take 'auto'")
        return await self._chat_models.get(role, name)

    async def auto_choice(self, planner: str, synthesizer: str) -> Choice | None:
        """What `auto` stands for, where one of these names is it and it is a server that nobody named."""
        asked = (planner == "auto" and self._planner is None) or (synthesizer == "auto" and self._synthesizer is None)
        if not asked or self._model is not None:
            return None
        choice = await self._chat_models.choice()
        return choice if choice.server else None

    async def _embed(self, texts: Sequence[str]) -> Matrix:
        return await asyncio.to_thread((await self.embedder(DEFAULT_EMBEDDER)).embed_queries, texts)


class _Opened:
    """What one event loop has opened."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.store: PassageStore | None = None
