"""What a client of `langgraph dev` gets with no token, with its own, and with another namespace's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.dev_server import bearer, dev_server

ONE, TWO = "token-of-one-1c5f", "token-of-two-9a2e"
CONTEXT = {"planner": "embedded", "synthesizer": "embedded"}
QUESTION = {"question": "Where was the author of Ulysses born?"}
DOCUMENTS = [
    {"id": "u", "title": "Ulysses", "text": "Ulysses is a novel by James Joyce."},
    {"id": "j", "title": "James Joyce", "text": "James Joyce was an Irish writer, born in Dublin."},
]


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server with two tokens; "one" holds documents, "two" holds others."""
    folder = tmp_path_factory.mktemp("dev")
    (folder / "root").mkdir()
    (folder / "root" / "joyce.txt").write_text("James Joyce was born in Dublin.")
    environment = {
        "LOOKAHEAD_TOKENS": f"{ONE}=one,{TWO}=two",
        "INGEST_ROOT": str(folder / "root"),
        "LOOKAHEAD_STORE": str(folder / "store"),
        "LOOKAHEAD_RUNS": str(folder / "runs.sqlite"),
        "LOOKAHEAD_AUTO": "embedded",
    }
    with dev_server(folder, **environment) as (address, log):
        with bearer(address, ONE) as client:
            run: dict[str, Any] = {"assistant_id": "ingest", "input": {"documents": DOCUMENTS}}
            # Whatever the client asks for: the token's namespace is taken.
            state = ok(client.post("/runs/wait", json={**run, "context": {"namespace": "two"}}))
            assert state["counts"]["added"] == 2
        with bearer(address, TWO) as client:
            run["input"] = {"documents": [{"title": "Bern", "text": "Bern is a city."}]}
            assert ok(client.post("/runs/wait", json=run))["counts"]["added"] == 1
        yield address, log
    said = log.read_text()
    assert "BlockingError" not in said
    assert ONE not in said
    assert TWO not in said


def ok(response: httpx.Response) -> Any:
    assert response.is_success, response.text
    return response.json()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/threads", {}),
        ("POST", "/threads/search", {}),
        ("POST", "/runs/wait", {"assistant_id": "lookahead", "input": QUESTION}),
        ("POST", "/runs", {"assistant_id": "lookahead", "input": QUESTION}),
        ("POST", "/assistants/search", {}),
        ("POST", "/store/items/search", {"namespace_prefix": []}),
        ("POST", "/ask", QUESTION),
        ("GET", "/documents", None),
    ],
)
@pytest.mark.parametrize("token", ["", "wrong"])
def test_every_route_is_closed_without_a_token(
    closed: tuple[str, Path], method: str, path: str, body: Any, token: str
) -> None:
    with bearer(closed[0], token) as client:
        for headers in ({}, {"x-auth-scheme": "langsmith"}, {"x-api-key": "lsv2_x"}):
            assert client.request(method, path, json=body, headers=headers).status_code == 401


def test_watchers_need_no_token(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], "") as client:
        assert ok(client.get("/health")) == {"alive": True}
        assert ok(client.get("/ready")) == {"ready": True}
        assert ok(client.get("/ok"))


def test_a_token_is_held_to_its_namespace_by_every_way_of_asking(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], ONE) as one, bearer(closed[0], TWO) as two:
        foreign = {**CONTEXT, "namespace": "one"}
        run = {"assistant_id": "lookahead", "input": QUESTION}
        assert ok(one.post("/runs/wait", json={**run, "context": CONTEXT}))["answer"] == "Dublin"
        for settings in ({"context": foreign}, {"config": {"configurable": foreign}}):
            state = ok(two.post("/runs/wait", json={**run, **settings}))
            assert state["context"]["namespace"] == "two"
            assert "Dublin" not in str(state["hops"])
        assert ok(one.post("/ask", json=QUESTION))["answer"] == "Dublin"
        asked = ok(two.post("/ask", json={**QUESTION, "namespace": "one", "settings": {"namespace": "one"}}))
        assert "Dublin" not in str(asked)
        assert ok(two.get("/documents", params={"namespace": "one"}))["namespace"] == "two"


def test_threads_and_runs_of_another_token_are_not_there(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], ONE) as one, bearer(closed[0], TWO) as two:
        thread = ok(one.post("/threads", json={"metadata": {"owner": "two"}}))["thread_id"]
        run = {"assistant_id": "lookahead", "input": QUESTION, "context": CONTEXT}
        assert ok(one.post(f"/threads/{thread}/runs/wait", json=run))["answer"] == "Dublin"
        assert ok(one.get(f"/threads/{thread}/state"))["values"]["answer"] == "Dublin"
        assert [found["thread_id"] for found in ok(two.post("/threads/search", json={}))].count(thread) == 0
        for path in (f"/threads/{thread}", f"/threads/{thread}/state", f"/threads/{thread}/runs"):
            answer = two.get(path)
            assert answer.status_code in (403, 404) or answer.json() == [], path
        assert two.post(f"/threads/{thread}/runs/wait", json=run).status_code in (403, 404)
        assert two.delete(f"/threads/{thread}").status_code in (403, 404)


def test_a_plan_is_resumed_in_the_tokens_namespace_whatever_the_state_says(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], TWO) as two:
        thread = ok(two.post("/threads", json={}))["thread_id"]
        run: dict[str, Any] = {
            "assistant_id": "lookahead",
            "input": QUESTION,
            "context": {**CONTEXT, "approve_plan": True},
        }
        ok(two.post(f"/threads/{thread}/runs/wait", json=run))
        state = ok(two.get(f"/threads/{thread}/state"))
        changed = {**state["values"]["context"], "namespace": "one"}
        ok(two.post(f"/threads/{thread}/state", json={"values": {"context": changed}, "as_node": "plan"}))
        resumed = two.post(
            f"/threads/{thread}/runs/wait",
            json={"assistant_id": "lookahead", "command": {"resume": {"action": "approve"}}},
        )
        assert "Dublin" not in resumed.text


def test_a_token_runs_no_benchmark_and_opens_nothing_else(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], ONE) as one:
        run = {"assistant_id": "benchmark", "input": {"file": "/etc/passwd"}}
        answer = one.post("/runs/wait", json=run)
        assert (answer.status_code, answer.json()["error"]) == (403, answer.json()["detail"])
        assert "runs no other graph" in answer.json()["error"]
        made = one.post("/assistants", json={"graph_id": "lookahead", "context": {"namespace": "two"}})
        stored = one.put("/store/items", json={"namespace": ["a"], "key": "k", "value": {}})
        assert (made.status_code, stored.status_code) == (403, 403)
        for closed_path in ("/mcp", "/a2a/lookahead"):
            assert one.post(closed_path, json={}).status_code == 404


def test_a_token_names_no_model_that_is_not_offered_by_any_way_of_asking(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], ONE) as one:
        foreign = {**CONTEXT, "reranker": "cross-encoder:somebody/large"}
        run = {"assistant_id": "lookahead", "input": QUESTION}
        for settings in ({"context": foreign}, {"config": {"configurable": foreign}}):
            assert "is not offered by this server" in one.post("/runs/wait", json={**run, **settings}).text
        ingest = {"assistant_id": "ingest", "input": {"documents": DOCUMENTS}, "context": {"embedder": "/etc"}}
        assert "is not offered by this server" in one.post("/runs/wait", json=ingest).text
        web = {"assistant_id": "react", "input": QUESTION, "context": {**CONTEXT, "web_search": True}}
        assert "is not offered by this server" in one.post("/runs/wait", json=web).text
        thread = ok(one.post("/threads", json={}))["thread_id"]
        waits = {**run, "context": {**CONTEXT, "approve_plan": True}}
        ok(one.post(f"/threads/{thread}/runs/wait", json=waits))
        context = ok(one.get(f"/threads/{thread}/state"))["values"]["context"]
        changed = {"values": {"context": {**context, "reranker": foreign["reranker"]}}, "as_node": "plan"}
        ok(one.post(f"/threads/{thread}/state", json=changed))
        resumed = one.post(
            f"/threads/{thread}/runs/wait",
            json={"assistant_id": "lookahead", "command": {"resume": {"action": "approve"}}},
        )
        assert "is not offered by this server" in resumed.text
        asked = one.post("/ask", json={**QUESTION, "settings": {"reranker": foreign["reranker"]}})
        assert (asked.status_code, "is not offered" in asked.json()["error"]) == (422, True)


def test_a_question_that_was_refused_blocks_no_later_message(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], ONE) as one:
        thread = ok(one.post("/threads", json={}))["thread_id"]
        for refused in ({"question": "x" * 10_001}, {"messages": [{"role": "user", "content": "x" * 10_001}]}):
            run = {"assistant_id": "lookahead", "input": refused, "context": CONTEXT}
            assert "10,001 characters" in one.post(f"/threads/{thread}/runs/wait", json=run).text
        run["input"] = {"messages": [{"role": "user", "content": QUESTION["question"]}]}
        assert ok(one.post(f"/threads/{thread}/runs/wait", json=run))["answer"] == "Dublin"


def test_a_thread_that_the_server_forgot_is_still_its_owners(tmp_path: Path) -> None:
    """LangGraph writes down every ten seconds whose a thread is; checkpoints are in their file at once."""
    environment = {"LOOKAHEAD_TOKENS": f"{ONE}=one,{TWO}=two", "LOOKAHEAD_STORE": str(tmp_path / "store")}
    with dev_server(tmp_path, kill=True, **environment) as (address, _), bearer(address, ONE) as one:
        thread = ok(one.post("/threads", json={}))["thread_id"]
        run: dict[str, Any] = {
            "assistant_id": "ingest",
            "input": {"documents": DOCUMENTS},
            "metadata": {"owner": "two"},
            "config": {"metadata": {"owner": "two"}},
        }
        ok(one.post(f"/threads/{thread}/runs/wait", json=run))
    (tmp_path / ".langgraph_api" / ".langgraph_ops.pckl").unlink(missing_ok=True)
    again = {"thread_id": thread, "metadata": {"graph_id": "ingest"}}
    with dev_server(tmp_path, **environment) as (address, _), bearer(address, ONE) as one, bearer(address, TWO) as two:
        made = two.post("/threads", json=again)
        assert (made.status_code, made.json()["detail"]) == (409, f"access: thread {thread} is not this token's")
        run = {"assistant_id": "ingest", "input": None, "if_not_exists": "create"}
        assert two.post(f"/threads/{thread}/runs/wait", json=run).status_code == 404
        assert two.get(f"/threads/{thread}/state").status_code in (403, 404)
        ok(one.post("/threads", json=again))
        assert ok(one.get(f"/threads/{thread}/state"))["values"]["counts"]["added"] == len(DOCUMENTS)


@pytest.mark.parametrize("paths", [["/etc/passwd"], ["../store"], "/etc/passwd", ["joyce.txt", "/etc/passwd"]])
def test_no_client_reads_the_servers_files(closed: tuple[str, Path], paths: Any) -> None:
    with bearer(closed[0], TWO) as two:
        answer = two.post("/runs/wait", json={"assistant_id": "ingest", "input": {"paths": paths}})
        assert "lies outside INGEST_ROOT" in answer.text
        assert "root:" not in answer.text
        listed = ok(two.get("/documents"))["documents"]
        assert [document["title"] for document in listed] == ["Bern"]


def test_a_file_under_the_root_is_read(closed: tuple[str, Path]) -> None:
    with bearer(closed[0], ONE) as one:
        run = {"assistant_id": "ingest", "input": {"paths": ["joyce.txt"]}}
        assert ok(one.post("/runs/wait", json=run))["counts"]["failed"] == 0
        key = ok(one.get("/documents"))["documents"][0]["id"]
        assert key.endswith("root/joyce.txt")
        assert ok(one.delete(f"/documents/{key}"))["deleted"] == key


def test_without_tokens_this_machine_alone_is_answered(tmp_path: Path) -> None:
    with (
        dev_server(tmp_path, LOOKAHEAD_RUNS=str(tmp_path / "runs.sqlite")) as (address, log),
        bearer(address, "") as client,
    ):
        assert "only this machine is answered" in log.read_text()
        assert client.post("/threads", json={}).status_code == 200
        studio, elsewhere = {"Origin": "https://smith.langchain.com"}, {"Origin": "https://example.org"}
        assert client.post("/threads", json={}, headers=studio).status_code == 200
        assert client.post("/threads", json={}, headers=elsewhere).status_code == 403
        assert client.post("/threads", json={}, headers={"Host": "evil.example"}).status_code == 403
        assert client.post("/threads", json={}, headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 403
        answer = client.post("/runs/wait", json={"assistant_id": "ingest", "input": {"paths": ["/etc/passwd"]}})
        assert "INGEST_ROOT is not set" in answer.text
        assert "root:" not in answer.text
