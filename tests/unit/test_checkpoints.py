"""The file of checkpoints: a run goes on from it, a run rolled back leaves nothing in it, and it can be cut down."""

import os
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from graph.checkpoints import FILE, FOLDER, open_checkpoints


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
