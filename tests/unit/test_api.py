"""Asking from Python, over fakes."""

import asyncio
import json
import threading
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from graph.api import Result, aask, as_tool, ask, astream, make_context
from graph.lookahead import build
from models.scripted import ScriptedChatModel
from nodes.context import Context
from nodes.deps import Deps
from stores.errors import InputError, NamespaceNotFound
from tests.fakes import FakePlanner, FakeReader, FakeSearch, FakeSynthesizer, hit

PLAN = [
    {"id": "n1", "query": "director"},
    {"id": "n2", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"]},
]
FOUND = {
    "q": [hit("Q"), hit("R")],
    "director": [hit("Film")],
    "birthplace of Ann": [hit("Ann", "Ann was born in Rome.")],
}


def deps() -> Deps:
    return Deps(
        search=FakeSearch(FOUND),
        reader=FakeReader({"director": "Ann"}),
        planner=FakePlanner(PLAN),
        synthesizer=FakeSynthesizer("Rome"),
    )


async def test_the_result_holds_what_the_command_line_prints() -> None:
    result = await aask("q", deps=deps())
    assert set(result) == set(Result.__annotations__)
    assert result["answer"] == "Rome"
    assert [h["id"] for h in result["hops"]] == ["n0", "n1", "n2"]
    assert set(result["hops"][2]["passages"][0]) == {"id", "title", "score"}
    assert result["citations"][0]["title"]
    assert result["models"]["planner"] == "fake"
    assert result["steps"] == [], "there is no agent"


async def test_events_come_in_the_order_of_the_run() -> None:
    events = [event async for event in astream("q", deps=deps())]
    stages = [(e["stage"], e["status"]) for e in events if e["type"] == "stage"]
    assert stages.index(("plan", "start")) < stages.index(("plan", "end")) < stages.index(("retrieve", "start"))
    assert [e["hop"]["id"] for e in events if e["type"] == "hop"] == ["n0", "n1", "n2"]
    kinds = [e["type"] for e in events]
    assert kinds.index("plan") < kinds.index("text") < kinds.index("result") == len(events) - 1


async def test_each_search_is_told_when_it_starts_with_what_it_searches() -> None:
    events = [event async for event in astream("q", deps=deps())]
    searches = [(e["hop"], e["query"]) for e in events if e["type"] == "search"]
    assert searches == [("n0", "q"), ("n1", "director"), ("n2", "birthplace of Ann")]
    told = [e["hop"] if e["type"] == "search" else e["hop"]["id"] for e in events if e["type"] in ("search", "hop")]
    assert all(told.index(i) < len(told) - 1 - told[::-1].index(i) for i in ("n0", "n1", "n2"))


async def test_a_plan_is_told_node_by_node_while_it_is_written() -> None:
    model = ScriptedChatModel(answers=[json.dumps({"nodes": PLAN}), "Answer: Rome\nIn Rome [n2.1]."])
    own = Deps(search=FakeSearch(FOUND), reader=FakeReader({"director": "Ann"}), model=model)
    events = [event async for event in astream("q", deps=own)]
    kinds = [e["type"] for e in events]
    assert [e["node"]["id"] for e in events if e["type"] == "plan_node"] == ["n1", "n2"]
    assert kinds.index("plan_node") < kinds.index("plan")
    hops = [e["hop"] for e in events if e["type"] == "hop"]
    assert sorted(hop["id"] for hop in hops) == ["n0", "n1", "n2"]  # each once, also the one searched early
    early = next(hop for hop in hops if hop["id"] == "n1")
    assert early == next(hop for hop in events[-1]["result"]["hops"] if hop["id"] == "n1")


async def test_who_stops_listening_stops_the_model() -> None:
    class Endless(ScriptedChatModel):
        async def _astream(self, *args: Any, **kwargs: Any) -> Any:
            try:
                async for chunk in super()._astream(*args, **kwargs):
                    yield chunk
            finally:
                ended.append(True)

    ended: list[bool] = []
    model = Endless(answers=["Answer: Rome\n" + "In Rome [n1.1]. " * 1000], seconds_per_piece=0.001)
    own = Deps(search=FakeSearch(FOUND), reader=FakeReader({}), planner=FakePlanner(PLAN), model=model)
    async with aclosing(astream("q", deps=own)) as events:
        async for event in events:
            if event["type"] == "text":
                break
    assert ended


def test_an_interrupted_ask_does_not_go_on_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    started, cancelled = threading.Event(), threading.Event()

    class Hanging(FakeSearch):
        async def search(self, *args: Any, **kwargs: Any) -> Any:
            started.set()
            try:
                await asyncio.sleep(60)
            finally:
                cancelled.set()

    def interrupted(future: Any) -> Any:
        assert started.wait(5)
        raise KeyboardInterrupt

    graph = build(
        Deps(search=Hanging({}), reader=FakeReader({}), planner=FakePlanner(PLAN), synthesizer=FakeSynthesizer(""))
    )
    monkeypatch.setattr("concurrent.futures.Future.result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask("q", graph=graph)
    assert cancelled.wait(5)


def test_ask_works_without_a_loop_and_again() -> None:
    graph = build(deps())
    assert ask("q", graph=graph)["answer"] == ask("q", graph=graph)["answer"] == "Rome"


async def test_single_settings_are_settings_of_the_context() -> None:
    result = await aask("q", deps=deps(), planner="none", fallback=False)
    assert [h["id"] for h in result["hops"]] == ["n0"]


def test_settings_over_a_context() -> None:
    assert make_context(Context(top_k=3), {"namespace": "x"}) == Context(top_k=3, namespace="x")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"topk": 3}, "there is no 'topk'"),
        ({"top_k": 0}, "top_k=0 cannot be used"),
        ({"prune_weights": [1, 2]}, "prune_weights"),
        ({"schedule": "later"}, "schedule='later'"),
        ({"reranker": "magic"}, "reranker='magic'"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_context(None, settings)


async def test_an_empty_store_says_what_to_do() -> None:
    with pytest.raises(NamespaceNotFound, match="lookahead ingest PATH --namespace nowhere"):
        await aask("q", planner="embedded", namespace="nowhere")


def test_the_tool_answers_with_its_sources() -> None:
    tool = as_tool(deps=deps())
    message = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {"question": "q"}})
    assert message.content.startswith("Answer: Rome")
    assert message.artifact["answer"] == "Rome"


class OwnRetriever(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        text = "Ann was born in Rome." if "Ann" in query else "The film was directed by Ann."
        return [Document(text, metadata={"title": query, "source": "own"}), Document("Something else.")]


async def test_any_langchain_retriever_can_be_searched() -> None:
    graph = build(retriever=OwnRetriever())
    result = await aask("q", graph=graph, planner="none", synthesizer="embedded", check=False, fallback=False)
    assert result["hops"][0]["passages"][0]["title"] == "q"
    assert result["hops"][0]["passages"][0]["id"] != result["hops"][0]["passages"][1]["id"]


@dataclass
class AgentContext:
    """Not ours."""

    mood: str = "calm"


class AgentState(TypedDict, total=False):
    question: str
    answer: str
    mood: str


async def test_as_a_subgraph_it_runs_with_its_own_settings() -> None:
    async def feel(state: AgentState, runtime: Runtime[AgentContext]) -> dict[str, str]:
        return {"mood": runtime.context.mood}

    search = FakeSearch(FOUND)
    own = Deps(search=search, reader=FakeReader(), planner=FakePlanner(PLAN), synthesizer=FakeSynthesizer("Rome"))
    agent = StateGraph(AgentState, context_schema=AgentContext)
    agent.add_node("feel", feel)
    agent.add_node("research", build(own, context=Context(planner="none", fallback=False)))
    agent.add_edge(START, "feel")
    agent.add_edge("feel", "research")
    state = await agent.compile().ainvoke({"question": "q"}, context=AgentContext("curious"))
    assert (state["mood"], state["answer"]) == ("curious", "Rome")
    assert search.asked == ["q"]


async def test_the_graphs_own_settings_stand_when_none_are_given() -> None:
    graph = build(deps(), context=Context(planner="none", fallback=False))
    assert [h["id"] for h in (await aask("q", graph=graph))["hops"]] == ["n0"]
    assert len((await aask("q", graph=graph, planner="auto"))["hops"]) == 3
    assert [h["id"] for h in (await aask("q", graph=graph, top_k=3))["hops"]] == ["n0"]


async def test_a_plan_that_waits_for_approval_says_how_to_go_on() -> None:
    graph = build(deps(), InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    with pytest.raises(InputError, match=r"waits to be approved.*\n.*n1 lookup: director"):
        await aask("q", graph=graph, config=config, approve_plan=True)
    with pytest.raises(InputError, match="The last answer was refused: 'perhaps' is no answer"):
        await aask("q", graph=graph, config=config, resume="perhaps")
    assert (await aask("q", graph=graph, config=config, resume={"action": "approve"}))["answer"] == "Rome"


async def test_an_approved_run_keeps_its_settings_but_for_those_that_come_with_the_answer() -> None:
    graph = build(deps(), InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    with pytest.raises(InputError, match="waits to be approved"):
        await aask("q", graph=graph, config=config, approve_plan=True, bind=False, fallback=False)
    result = await aask("q", graph=graph, config=config, resume={"action": "approve"}, top_k=1)
    assert [len(hop["passages"]) for hop in result["hops"]] == [2, 1, 0], "nothing was bound"


async def test_who_brings_a_plan_needs_no_planner() -> None:
    given = {"nodes": [{"id": "n1", "query": "director"}]}
    open_deps = Deps(search=FakeSearch(FOUND), reader=FakeReader(), synthesizer=FakeSynthesizer("Rome"))
    result = await aask("q", deps=open_deps, plan=given, planner="groq")  # there is no key
    assert (result["plan"]["planner"], result["answer"]) == ("given", "Rome")
