"""The file of checkpoints: a run goes on from it, a run rolled back leaves nothing in it, and it can be cut down."""

import os
import random
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from graph.checkpoints import FILE, FOLDER, cut_down, open_checkpoints, owners
from stores.errors import InputError

LARGE = random.Random(1).randbytes(150_000).hex()
"""Text that nothing makes smaller."""
AT_ONCE = 1e-9
"""Days."""


class Counted(TypedDict):
    number: int


def counting(checkpointer: Any) -> Any:
    """A graph that adds one, and fails at 13."""

    def add(state: Counted) -> Counted:
        if state["number"] == 13:
            raise ValueError("thirteen")
        return {"number": state["number"] + 1}

    builder = StateGraph(Counted)
    builder.add_node("add", add)
    builder.add_edge(START, "add")
    return builder.compile(checkpointer=checkpointer)


class Carried(TypedDict, total=False):
    text: str
    steps: int
    answer: str


def carrying(checkpointer: Any) -> Any:
    """A graph that carries a text through ten steps, and waits before the last."""

    def step(state: Carried) -> Carried:
        return {"steps": state.get("steps", 0) + 1}

    def wait(state: Carried) -> Carried:
        return {"answer": interrupt("?")}

    builder = StateGraph(Carried)
    for number in range(10):
        builder.add_node(str(number), step)
        builder.add_edge(START if number == 0 else str(number - 1), str(number))
    builder.add_node("wait", wait)
    builder.add_edge("9", "wait")
    return builder.compile(checkpointer=checkpointer)


async def rows(saver: Any, table: str) -> int:
    ((number,),) = await saver.conn.execute_fetchall(f"SELECT COUNT(*) FROM {table}")
    return int(number)


def size() -> int:
    return sum(path.stat().st_size for path in Path(FOLDER).iterdir())


def on(thread: str, run: str = "r") -> Any:
    return {"configurable": {"thread_id": thread}, "metadata": {"run_id": run}}


async def history(graph: Any, thread: str) -> list[int | None]:
    return [state.values.get("number") async for state in graph.aget_state_history(on(thread))]


async def test_a_thread_is_there_when_the_file_is_opened_again() -> None:
    async with open_checkpoints() as saver:
        graph = counting(saver)
        with pytest.raises(ValueError, match="thirteen"):
            await graph.ainvoke({"number": 13}, on("1"))
    assert FILE in os.listdir(FOLDER)
    async with open_checkpoints() as saver:
        graph = counting(saver)
        assert (await graph.aget_state(on("1"))).next == ("add",)
        await graph.aupdate_state(on("1"), {"number": 1}, as_node="__start__")
        assert await graph.ainvoke(None, on("1")) == {"number": 2}


async def test_a_run_that_is_rolled_back_leaves_the_one_before() -> None:
    async with open_checkpoints() as saver:
        graph = counting(saver)
        await graph.ainvoke({"number": 1}, on("1", "first"))
        before = await history(graph, "1")
        await graph.ainvoke({"number": 5}, on("1", "second"))
        await saver.adelete_for_runs(["second"])
        assert await history(graph, "1") == before
        async with saver.conn.execute(
            "SELECT COUNT(*) FROM writes WHERE checkpoint_id NOT IN (SELECT checkpoint_id FROM checkpoints)"
        ) as left:
            assert await left.fetchone() == (0,)


async def test_pruned_threads_keep_their_latest_checkpoint_and_others_keep_all() -> None:
    async with open_checkpoints() as saver:
        graph = counting(saver)
        for thread in ("1", "2", "3"):
            await graph.ainvoke({"number": 1}, on(thread))
        await saver.aprune(["1"])
        await saver.aprune(["2"], strategy="delete_all")
        assert [await history(graph, thread) for thread in ("1", "2")] == [[2], []]
        assert len(await history(graph, "3")) == 3
        assert await graph.ainvoke({"number": 7}, on("1", "later")) == {"number": 8}


async def test_a_large_value_stands_once_and_is_there_whenever_it_is_asked_for() -> None:
    async with open_checkpoints() as saver:
        graph = carrying(saver)
        await graph.ainvoke({"text": LARGE}, on("1"))
        await cut_down(saver, 1)
        assert len(LARGE) < size() < 2 * len(LARGE)
        states = [state async for state in graph.aget_state_history(on("1"))]
        assert [state.values.get("text") for state in states] == [LARGE] * 11 + [None]
        first = await saver.aget_tuple(states[-1].config)
        assert first is not None
        assert ("text", LARGE) in [write[1:] for write in first.pending_writes or []]
    async with open_checkpoints() as saver:
        state = await carrying(saver).ainvoke(None, on("1"))
        assert (state["text"], state["steps"]) == (LARGE, 10)


async def test_a_value_goes_with_the_last_checkpoint_that_names_it() -> None:
    async with open_checkpoints() as saver:
        graph = carrying(saver)
        await graph.ainvoke({"text": LARGE}, on("1", "first"))
        await graph.ainvoke({"text": LARGE[1:]}, on("1", "second"))
        assert await rows(saver, "kept") == 2
        await saver.adelete_for_runs(["second"])
        assert await rows(saver, "kept") == 1
        assert (await graph.aget_state(on("1"))).values["text"] == LARGE
        await graph.aupdate_state(on("1"), {"text": ""})
        await saver.aprune(["1"])
        assert await rows(saver, "kept") == 0
        await graph.ainvoke({"text": LARGE}, on("2"))
        await saver.adelete_thread("2")
        assert await rows(saver, "kept") == 0


async def test_no_thread_reads_what_another_holds_by_its_name() -> None:
    async with open_checkpoints() as saver:
        graph = carrying(saver)
        await graph.ainvoke({"text": LARGE}, on("1"))
        ((digest,),) = await saver.conn.execute_fetchall("SELECT digest FROM kept")
        forged = {"lookahead: kept apart": digest}
        await graph.ainvoke({"text": forged}, on("2"))
        assert (await graph.aget_state(on("2"))).values["text"] == forged


async def test_a_thread_that_rests_keeps_its_latest_state_and_what_waits_can_be_resumed() -> None:
    async with open_checkpoints() as saver:
        graph = carrying(saver)
        await graph.ainvoke({"text": LARGE}, on("1"))
        await cut_down(saver, 1)
        assert await rows(saver, "checkpoints") == 12
        await cut_down(saver, AT_ONCE)
        assert (await rows(saver, "checkpoints"), await rows(saver, "kept")) == (1, 1)
    async with open_checkpoints() as saver:
        graph = carrying(saver)
        state = await graph.aget_state(on("1"))
        assert (state.next, state.values["text"]) == (("wait",), LARGE)
        assert (await graph.ainvoke(None, on("1")))["__interrupt__"][0].value == "?"


async def test_a_thread_that_rests_and_that_langgraph_has_forgotten_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_checkpoints() as saver:
        for thread in ("known", "forgotten"):
            await counting(saver).ainvoke({"number": 1}, on(thread))
        server = SimpleNamespace(GLOBAL_STORE={"threads": [{"thread_id": "known"}]})
        monkeypatch.setitem(sys.modules, "langgraph_runtime_inmem.database", server)
        await cut_down(saver, 1)
        assert [await history(counting(saver), thread) for thread in ("known", "forgotten")] == [[2, 1, None]] * 2
        await cut_down(saver, AT_ONCE)
        assert [await history(counting(saver), thread) for thread in ("known", "forgotten")] == [[2], []]


async def test_the_file_gives_back_what_was_deleted() -> None:
    async with open_checkpoints() as saver:
        await carrying(saver).ainvoke({"text": LARGE}, on("1"))
        await saver.adelete_thread("1")
        await cut_down(saver, 1)
        assert size() < len(LARGE) / 2


async def test_a_file_of_the_plain_saver_is_read_and_shrinks_when_it_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkdir(FOLDER)
    async with AsyncSqliteSaver.from_conn_string(str(Path(FOLDER, FILE))) as plain:
        await carrying(plain).ainvoke({"text": LARGE}, on("1"))
    assert size() > 10 * len(LARGE)
    monkeypatch.setenv("LOOKAHEAD_CHECKPOINT_DAYS", str(AT_ONCE))
    async with open_checkpoints() as saver:
        assert size() < 2 * len(LARGE)
        assert (await carrying(saver).aget_state(on("1"))).values["text"] == LARGE


async def test_checkpoints_say_whose_they_are() -> None:
    assert await owners("1") == set()
    async with open_checkpoints() as saver:
        config = on("1")
        await counting(saver).ainvoke({"number": 1}, {**config, "metadata": {"run_id": "r", "owner": "one"}})
        await counting(saver).ainvoke({"number": 1}, on("2"))
        assert (await owners("1"), await owners("2"), await owners("3")) == ({"one"}, {None}, set())
        await counting(saver).ainvoke({"number": 1}, config)  # what follows is the same owner's
        assert await owners("1") == {"one"}


async def test_days_that_cannot_be_used_are_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKAHEAD_CHECKPOINT_DAYS", "never")
    with pytest.raises(InputError, match="LOOKAHEAD_CHECKPOINT_DAYS='never' cannot be used"):
        async with open_checkpoints():
            pass
