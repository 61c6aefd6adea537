"""LangGraph's dev server driven with its SDK, as Studio drives it: forms, chats, and plans that wait to be approved."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import NotFoundError

from tests.integration.dev_server import dev_server

DOCUMENTS = [
    {"id": "u", "title": "Ulysses (novel)", "text": "Ulysses is a novel by James Joyce."},
    {"id": "j", "title": "James Joyce", "text": "James Joyce was an Irish writer, born in Dublin."},
    {"id": "e", "title": "Emma (novel)", "text": "Emma is a novel by Jane Austen."},
    {"id": "a", "title": "Jane Austen", "text": "Jane Austen was an English writer, born in Steventon."},
]
QUESTION = "Where was the author of Ulysses (novel) born?"
OTHER = "Where was the author of Emma (novel) born?"
EMBEDDED = {"planner": "embedded", "synthesizer": "embedded"}
METHODS = ("lookahead", "react", "standard_rag", "ranked_rag", "multi_query", "sequential_plan")
APPROVING = {**EMBEDDED, "approve_plan": True}
EDITED = {
    "nodes": [
        {"id": "n1", "query": "Emma (novel) author"},
        {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"]},
    ]
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncLangGraphClient]:
    folder = tmp_path_factory.mktemp("dev")
    environment = {
        "LOOKAHEAD_STORE": str(folder / "store"),
        "LOOKAHEAD_RUNS": str(folder / "runs.sqlite"),
        "LOOKAHEAD_AUTO": "embedded",
    }
    with dev_server(folder, **environment) as (address, log), get_sync_client(url=address) as made:
        state: Any = made.runs.wait(None, "ingest", input={"documents": DOCUMENTS})
        assert state["counts"]["added"] == len(DOCUMENTS)
        yield made
    assert "BlockingError" not in log.read_text()
    assert "Traceback" not in log.read_text()


def chat(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def thread_of(client: SyncLangGraphClient) -> str:
    return client.threads.create()["thread_id"]


def test_studio_is_told_what_each_graph_does_and_asks_for_a_question(client: SyncLangGraphClient) -> None:
    described = {one["graph_id"]: one for one in client.assistants.search(limit=20)}
    assert set(described) == {*METHODS, "ingest", "benchmark"}
    for name, assistant in described.items():
        assert str(assistant["description"]).endswith("."), name
        schemas: Any = client.assistants.get_schemas(assistant["assistant_id"])
        settings = schemas["context_schema"]["properties"]
        assert all(field["title"] and field["description"] for field in settings.values()), name
        if name in METHODS:
            assert list(schemas["input_schema"]["properties"]) == ["question", "messages"]
            assert settings["schedule"]["enum"] == ["dataflow", "waves", "sequential"]
            assert (settings["top_k"]["minimum"], settings["top_k"]["maximum"]) == (1, 50)
            assert "messages" in schemas["state_schema"]["properties"]


@pytest.mark.parametrize("method", METHODS)
def test_a_chat_streams_the_answer_and_nothing_else(client: SyncLangGraphClient, method: str) -> None:
    thread = thread_of(client)
    parts = list(
        client.runs.stream(thread, method, input=chat(QUESTION), context=EMBEDDED, stream_mode=["messages-tuple"])  # type: ignore[arg-type]
    )
    pieces = [part.data for part in parts if part.event == "messages"]
    assert {metadata["langgraph_node"] for _, metadata in pieces} == {"synthesize", "reply"}
    assert {piece["type"] for piece, _ in pieces} == {"AIMessageChunk"}
    state: Any = client.threads.get_state(thread)["values"]
    assert state["question"] == QUESTION
    assert [message["type"] for message in state["messages"]] == ["human", "ai"]
    assert "".join(piece["content"] for piece, _ in pieces) == state["messages"][1]["content"]
    assert state["messages"][1]["content"].endswith(f"Answer: {state['answer']}")
    assert state["messages"][1]["additional_kwargs"]["citations"] == state["citations"]


def test_a_chat_in_studios_own_mode_ends_with_one_whole_message(client: SyncLangGraphClient) -> None:
    thread = thread_of(client)
    parts = list(
        client.runs.stream(thread, "lookahead", input=chat(QUESTION), context=EMBEDDED, stream_mode=["messages"])  # type: ignore[arg-type]
    )
    shown = {
        message["id"]: message["content"] for part in parts if part.event == "messages/partial" for message in part.data
    }
    state: Any = client.threads.get_state(thread)["values"]
    assert list(shown.values()) == [state["messages"][1]["content"]]
    assert not [part for part in parts if part.event in ("messages/complete", "error")]


def test_a_chat_goes_on_in_its_thread(client: SyncLangGraphClient) -> None:
    thread = thread_of(client)
    first: Any = client.runs.wait(thread, "lookahead", input=chat(QUESTION), context=EMBEDDED)  # type: ignore[arg-type]
    then: Any = client.runs.wait(thread, "lookahead", input=chat(OTHER), context=EMBEDDED)  # type: ignore[arg-type]
    assert (first["answer"], then["answer"]) == ("Dublin", "Steventon")
    assert [message["type"] for message in then["messages"]] == ["human", "ai", "human", "ai"]
    assert then["hops"].keys() == first["hops"].keys()


def waiting(client: SyncLangGraphClient, thread: str) -> dict[str, Any]:
    """What the plan that waits on a thread is shown as; the thread says that it waits."""
    assert client.threads.get(thread)["status"] == "interrupted"
    state = client.threads.get_state(thread)
    assert state["next"] == ["approve"]
    (interrupt,) = [interrupt for task in state["tasks"] for interrupt in task["interrupts"]]
    return dict(interrupt["value"])


def resumed(client: SyncLangGraphClient, thread: str, answer: Any) -> dict[str, Any]:
    return dict(client.runs.wait(thread, "lookahead", command={"resume": answer}))  # type: ignore[arg-type]


def planned(client: SyncLangGraphClient) -> str:
    """A thread on which the plan for the question waits."""
    thread = thread_of(client)
    stopped: Any = client.runs.wait(thread, "lookahead", input={"question": QUESTION}, context=APPROVING)  # type: ignore[arg-type]
    assert stopped["__interrupt__"][0]["value"]["question"] == QUESTION
    return thread


@pytest.mark.parametrize("answer", [{"action": "approve"}, True, "approve", '{"action": "approve"}'])
def test_a_plan_is_shown_and_runs_once_approved(client: SyncLangGraphClient, answer: Any) -> None:
    thread = planned(client)
    shown = waiting(client, thread)
    assert [node["id"] for node in shown["plan"]["nodes"]] == ["n1", "n2"]
    assert (shown["problem"], "approve" in shown["how"]) == ("", True)
    state = resumed(client, thread, answer)
    assert (state["answer"], set(state["hops"])) == ("Dublin", {"n0", "n1", "n2"})
    assert client.threads.get(thread)["status"] == "idle"


def test_an_edited_plan_runs_as_it_was_edited(client: SyncLangGraphClient) -> None:
    thread = planned(client)
    state = resumed(client, thread, {"action": "edit", "plan": EDITED})
    assert [hop["query"] for hop in state["hops"].values() if hop["id"] != "n0"] == [
        "Emma (novel) author",
        "Where was {n1} born?",
    ]
    assert state["hops"]["n2"]["bound_query"] == "Where was Jane Austen born?"


def test_a_rejected_plan_is_not_run(client: SyncLangGraphClient) -> None:
    thread = planned(client)
    state = resumed(client, thread, {"action": "reject"})
    assert (state["answer"], state["abstained"], set(state["hops"])) == ("", True, {"n0"})
    assert state["explanation"] == "The plan was rejected, so it was not run."


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"action": "edit", "plan": {"nodes": []}}, "the edited plan cannot be run"),
        ({"action": "edit", "plan": {"nodes": [{"id": "n1"}]}}, "the edited plan cannot be run"),
        ({"action": "edit"}, "no answer to the plan"),
        ({"action": "aprove"}, "no answer to the plan"),
        ("{not JSON", "no answer to the plan"),
    ],
)
def test_a_bad_answer_is_refused_in_one_sentence_and_the_plan_still_waits(
    client: SyncLangGraphClient, bad: Any, said: str
) -> None:
    thread = planned(client)
    resumed(client, thread, bad)
    shown = waiting(client, thread)
    assert said in shown["problem"]
    assert "\n" not in shown["problem"]
    assert [node["id"] for node in shown["plan"]["nodes"]] == ["n1", "n2"]
    assert resumed(client, thread, {"action": "approve"})["answer"] == "Dublin"


def test_a_plan_waits_in_a_chat_too(client: SyncLangGraphClient) -> None:
    thread = thread_of(client)
    client.runs.wait(thread, "lookahead", input=chat(QUESTION), context=APPROVING)  # type: ignore[arg-type]
    assert waiting(client, thread)["question"] == QUESTION
    state = resumed(client, thread, {"action": "approve"})
    assert [message["type"] for message in state["messages"]] == ["human", "ai"]


def test_a_thread_is_copied_and_deleted_with_its_checkpoints(client: SyncLangGraphClient, tmp_path: Path) -> None:
    thread = planned(client)
    copy: Any = client.threads.copy(thread)
    assert resumed(client, copy["thread_id"], {"action": "reject"})["abstained"]
    assert waiting(client, thread)["question"] == QUESTION
    client.threads.delete(thread)
    with pytest.raises(NotFoundError):
        client.threads.get_state(thread)
