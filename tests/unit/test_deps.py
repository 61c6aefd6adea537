"""Who opens what, when, and who closes it."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel

from models.chat_planner import ChatPlanner
from models.scripted import ScriptedChatModel
from nodes import deps as module
from nodes.context import Context
from nodes.deps import Deps, bind
from nodes.state import State
from stores.errors import ModelError, NamespaceNotFound
from stores.opening import open_store
from stores.records import EmbedderSpec, IngestSpec
from tests.fakes import FakePlanner, FakeReader, FakeSearch


async def test_the_store_is_opened_once_and_closed_with_the_deps(tmp_path: Path) -> None:
    async with Deps(str(tmp_path / "s")) as deps:
        first, second = await asyncio.gather(deps.store(), deps.store())
        assert first is second
    async with deps:
        assert await deps.store() is not first


async def test_a_store_that_was_handed_in_stays_open(tmp_path: Path) -> None:
    async with open_store(str(tmp_path / "s")) as store:
        async with Deps(store) as deps:
            assert await deps.store() is store
        assert await store.namespaces() == []


def test_each_event_loop_opens_its_own(tmp_path: Path) -> None:
    deps = Deps(str(tmp_path / "s"))
    assert asyncio.run(deps.store()) is not asyncio.run(deps.store())


async def test_an_embedder_is_loaded_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def load(name: str) -> Any:
        loaded.append(name)
        return object()

    monkeypatch.setattr(module, "load_embedder", load)
    deps = Deps()
    first, second = await asyncio.gather(deps.embedder("x"), deps.embedder("x"))
    assert first is second
    assert loaded == ["x"]


async def test_readers_are_loaded_once_each_and_go_to_who_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def load(name: str) -> Any:
        loaded.append(name)
        return FakeReader()

    monkeypatch.setattr(module, "load_reader", load)
    deps = Deps()
    first, second = await asyncio.gather(deps.reader("trained"), deps.reader("trained"))
    assert first is second
    assert await deps.reader("rules") is not first
    synthesizer, agent = await deps.synthesizer("embedded", "trained"), await deps.agent("embedded", [], "trained")
    assert synthesizer.reader is agent.reader is first  # type: ignore[attr-defined]
    assert loaded == ["trained", "rules"]


async def test_a_reader_that_was_handed_in_reads_whatever_is_named() -> None:
    own = FakeReader()
    assert await Deps(reader=own).reader("trained") is await Deps(reader=own).reader("rules") is own


async def test_the_store_of_the_environment_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOOKAHEAD_STORE", str(tmp_path / "mine"))
    async with Deps() as deps:
        assert (await deps.store()).address == str(tmp_path / "mine")


async def test_an_empty_namespace_is_named_with_the_remedy(tmp_path: Path) -> None:
    async with Deps(str(tmp_path / "s")) as deps:
        with pytest.raises(NamespaceNotFound, match="lookahead ingest PATH --namespace papers"):
            await deps.search("papers")


@pytest.mark.parametrize(
    ("name", "said"),
    [("groq:x", "planner: 'groq:x' needs GROQ_API_KEY"), ("grok", "'grok' is not a model, did you mean 'groq'")],
)
async def test_a_model_that_is_not_there_is_named(name: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        await Deps().planner(name)


async def test_sampled_plans_are_compared_with_the_shipped_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lengths:
        def embed_queries(self, texts: list[str]) -> list[int]:
            return [len(text) for text in texts]

    monkeypatch.setattr(module, "load_embedder", lambda name: {"all-MiniLM-L6-v2": Lengths()}[name])
    planner = await Deps(model=ScriptedChatModel(answers=[])).planner("auto")
    assert isinstance(planner, ChatPlanner)
    assert planner.embed is not None
    assert await planner.embed(["a", "bc"]) == [1, 2]


class OtherContext(BaseModel):
    """Of the graph around."""


@pytest.mark.parametrize("brought", [None, OtherContext(), Context(top_k=7)])
async def test_a_node_gets_its_own_kind_of_context(brought: Any) -> None:
    seen: list[Context] = []

    async def look(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
        seen.append(runtime.context)
        return {}

    graph = StateGraph(State)
    graph.add_node("look", bind(look, Deps(), Context(top_k=3)))
    graph.add_edge(START, "look")
    await graph.compile().ainvoke({"question": "q"}, context=brought)
    assert seen[0].top_k == (7 if isinstance(brought, Context) else 3)


async def test_the_stream_of_tasks_shows_no_deps() -> None:
    from graph.lookahead import build

    graph = build(Deps(search=FakeSearch({}), planner=FakePlanner([{"id": "n1", "query": "x"}])))
    stream = graph.astream({"question": "q"}, context=Context(fallback=False), stream_mode="tasks")
    inputs = {event["name"]: event["input"] async for event in stream if "input" in event}
    assert inputs["retrieve n1"] == ((), {})


def test_loops_that_are_closed_leave_nothing_open(tmp_path: Path) -> None:
    deps = Deps(str(tmp_path / "s"))

    async def use() -> None:
        store = await deps.store()
        await store.create("x", IngestSpec(EmbedderSpec("toy", 4)))
        await store.info("x")

    def opened() -> int:
        asyncio.run(use())
        return len(os.listdir("/dev/fd"))

    async def close() -> None:
        async with deps:
            await deps.store()

    opened()
    assert len({opened() for _ in range(4)}) == 1
    asyncio.run(close())
