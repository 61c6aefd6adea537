"""Questions as messages, answers as messages, and what the message stream shows: the answer and nothing else."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from graph import methods
from graph.lookahead import build
from graph.react import build as build_react
from models.scripted import ScriptedChatModel
from nodes.context import Context
from nodes.deps import Deps
from nodes.intake import MAX_QUESTION
from stores.errors import InputError
from tests.fakes import FakeReader, FakeSearch, FakeSynthesizer, hit

BORN, WROTE = "Where was the director of Big Stone Gap born?", "Who wrote Jaws?"
FOUND = {
    BORN: [hit("Big Stone Gap", "It was directed by Adriana Trigiani."), hit("Birth", "Trigiani was born in Roseto.")],
    WROTE: [hit("Jaws", "Jaws is a novel by Peter Benchley."), hit("Benchley", "Peter Benchley wrote Jaws.")],
}
EMBEDDED = Context(planner="embedded", synthesizer="embedded", fallback=False)
PLAN = json.dumps({"nodes": [{"id": "n1", "op": "lookup", "query": WROTE, "depends_on": [], "confidence": 0.9}]})
THREAD: Any = {"configurable": {"thread_id": "1"}}


def deps(**given: Any) -> Deps:
    return Deps(search=FakeSearch(FOUND), reader=FakeReader({BORN: "Roseto", WROTE: "Peter Benchley"}), **given)


def chat(*said: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in said]}


async def streamed(graph: Any, given: Any, **options: Any) -> list[tuple[Any, dict[str, Any]]]:
    """(message or piece of one, metadata) of everything that the message stream holds."""
    return [part async for part in graph.astream(given, stream_mode="messages", **options)]


def texts(parts: list[tuple[Any, dict[str, Any]]]) -> dict[str, str]:
    """Message id → its text, pieces joined."""
    joined: dict[str, str] = {}
    for message, _ in parts:
        joined[message.id] = joined.get(message.id, "") + str(message.text)
    return joined


async def test_the_last_human_message_is_the_question_and_the_answer_is_an_ai_message() -> None:
    graph = build(deps(), InMemorySaver())
    state = await graph.ainvoke(chat("Hello!", BORN), THREAD, context=EMBEDDED)
    assert (state["question"], state["answer"]) == (BORN, "Roseto")
    assert [type(message) for message in state["messages"]] == [HumanMessage, HumanMessage, AIMessage]
    answer = state["messages"][-1]
    assert str(answer.text) == f"{state['explanation']}\n\nAnswer: Roseto"
    assert answer.additional_kwargs["citations"] == state["citations"]


async def test_a_conversation_goes_on_and_a_question_of_its_own_stays_out_of_it() -> None:
    graph = build(deps(), InMemorySaver())
    await graph.ainvoke(chat(BORN), THREAD, context=EMBEDDED)
    state = await graph.ainvoke(chat(WROTE), THREAD, context=EMBEDDED)
    assert (state["question"], len(state["messages"])) == (WROTE, 4)
    for question in (BORN, BORN):  # also when it is asked again
        state = await graph.ainvoke({"question": question}, THREAD, context=EMBEDDED)
        assert (state["question"], state["answer"], len(state["messages"])) == (BORN, "Roseto", 4)
    state = await graph.ainvoke(chat(BORN), THREAD, context=EMBEDDED)
    assert (state["answer"], len(state["messages"])) == ("Roseto", 6)


async def test_a_question_goes_before_the_messages_beside_it() -> None:
    state = await build(deps()).ainvoke({**chat("What about it?"), "question": WROTE}, context=EMBEDDED)
    assert (state["question"], len(state["messages"])) == (WROTE, 1)


LONG = "x" * (MAX_QUESTION + 1)
REFUSED: list[dict[str, Any]] = [
    {"question": LONG},
    {"question": " "},
    {"question": 5},
    {"question": BORN, "plan": {"nodes": 5}},
    chat(LONG),
    chat(" "),
    {**chat(BORN), "plan": {"nodes": 5}},
]


@pytest.mark.parametrize("begun", [None, {"question": BORN}, chat(BORN)])
@pytest.mark.parametrize("refused", REFUSED)
async def test_what_was_refused_is_not_asked_again_and_blocks_nothing(refused: Any, begun: Any) -> None:
    saver = InMemorySaver()
    for then, by_message in [(chat(WROTE), True), ({"question": WROTE}, False), ({"question": BORN}, False)]:
        saver.delete_thread("1")
        if begun:
            await build(deps(), saver).ainvoke(begun, THREAD, context=EMBEDDED)
        replies = 1 if begun == chat(BORN) else 0
        for _ in range(2):
            with pytest.raises(InputError):
                await build(deps(), saver).ainvoke(refused, THREAD, context=EMBEDDED)
        state = await build(deps(), saver).ainvoke(then, THREAD, context=EMBEDDED)
        assert state["question"] == (then.get("question") or WROTE)
        assert sum(isinstance(message, AIMessage) for message in state["messages"]) == replies + by_message
        with pytest.raises(InputError):
            await build(deps(), saver).ainvoke({"question": ""}, THREAD, context=EMBEDDED)


async def test_a_run_that_is_resumed_is_asked_what_it_was_asked() -> None:
    saver = InMemorySaver()
    await build(deps(), saver).ainvoke(chat(BORN), THREAD, context=EMBEDDED)
    both: Any = {**chat("What about it?"), "question": LONG}
    with pytest.raises(InputError, match="10,001 characters"):
        await build(deps(), saver).ainvoke(both, THREAD, context=EMBEDDED)
    with pytest.raises(InputError, match="10,001 characters"):  # in another process, from the checkpoint
        await build(deps(), saver).ainvoke(None, THREAD, context=EMBEDDED)


@pytest.mark.parametrize("messages", [[{"role": "assistant", "content": "Hello"}], [{"role": "user", "content": " "}]])
async def test_messages_without_a_question_are_refused_in_a_sentence(messages: list[Any]) -> None:
    with pytest.raises(InputError, match=r"none of the 1 is a human's|question: it is empty"):
        await build(deps()).ainvoke({"messages": messages}, context=EMBEDDED)


@pytest.mark.parametrize("method", sorted(set(methods.METHODS) - {"closed_book", "oracle"}))
async def test_every_method_replies_and_streams_the_reply_alone(method: str) -> None:
    graph = methods.METHODS[method](deps(), context=EMBEDDED)
    parts = await streamed(graph, chat(WROTE))
    state = await graph.ainvoke(chat(WROTE))
    assert state["answer"] == "Peter Benchley"
    assert list(texts(parts).values()) == [str(state["messages"][-1].text)]
    assert {metadata["langgraph_node"] for _, metadata in parts} == {"synthesize", "reply"}
    assert {type(message).__name__ for message, _ in parts} == {"AIMessageChunk"}


async def test_with_a_model_neither_plan_nor_its_way_of_writing_is_streamed() -> None:
    model = ScriptedChatModel(answers=[PLAN, "Answer: Peter Benchley\nPeter Benchley wrote it [n1.1]."])
    graph = build(deps(), model=model, context=Context(fallback=False))
    said = texts(await streamed(graph, chat(WROTE)))
    assert list(said.values()) == ["Peter Benchley wrote it [n1.1].\n\nAnswer: Peter Benchley"]


async def test_what_an_agent_says_to_its_tools_is_not_streamed() -> None:
    call = {"name": "read_document", "args": {"name": "Jaws"}, "id": "1"}
    steps = [AIMessage("I read it.", tool_calls=[call]), "I know it.", "Answer: Peter Benchley\nHe wrote it [n1.1]."]

    class ToolModel(ScriptedChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    graph = build_react(deps(), model=ToolModel(answers=steps))
    assert list(texts(await streamed(graph, chat(WROTE))).values()) == ["He wrote it [n1.1].\n\nAnswer: Peter Benchley"]


async def test_an_answer_that_was_taken_back_is_another_message() -> None:
    cut = ["Answer: Rome\n", "She was", ConnectionError("gone")]
    model = ScriptedChatModel(answers=[PLAN, cut])
    graph = build(deps(), model=model, context=Context(fallback=False))
    said = list(texts(await streamed(graph, chat(WROTE))).values())
    state = await build(deps(), model=ScriptedChatModel(answers=[PLAN, cut])).ainvoke(chat(WROTE))
    assert len(said) == 2
    assert said[0].startswith("She")
    assert said[1] == str(state["messages"][-1].text)


async def test_a_rejected_plan_is_told_in_a_message() -> None:
    graph = build(deps(), InMemorySaver())
    context = EMBEDDED.model_copy(update={"approve_plan": True})
    await graph.ainvoke(chat(WROTE), THREAD, context=context)
    parts = await streamed(graph, Command(resume={"action": "reject"}), config=THREAD, context=context)
    assert list(texts(parts).values()) == ["The plan was rejected, so it was not run."]


async def test_as_a_node_of_a_chat_it_answers_in_the_chat() -> None:
    agent = StateGraph(MessagesState)
    agent.add_node("research", build(deps(), context=EMBEDDED))
    agent.add_edge(START, "research")
    agent.add_edge("research", END)
    state = await agent.compile().ainvoke(chat(WROTE))  # type: ignore[arg-type]
    assert [type(message) for message in state["messages"]] == [HumanMessage, AIMessage]
    assert "Peter Benchley" in str(state["messages"][-1].text)


async def test_a_plain_question_brings_no_message() -> None:
    state = await build(deps(synthesizer=FakeSynthesizer("Peter Benchley"))).ainvoke(
        {"question": WROTE}, context=EMBEDDED
    )
    assert (state["answer"], state["messages"]) == ("Peter Benchley", [])
    assert "reply" not in state["timings_ms"]


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol:langchain_core._api.LangChainBetaWarning")
async def test_the_newer_stream_of_messages_has_the_reply_as_a_whole() -> None:
    graph = build(deps(), context=EMBEDDED)
    run = await graph.astream_events(chat(WROTE), version="v3")
    said = [(stream.node, str(await stream.text)) async for stream in run.messages]
    state = await graph.ainvoke(chat(WROTE))
    assert said == [("reply", str(state["messages"][-1].text))]
