"""POST /ask and POST /runs/{id}/plan: answers, events, plans that wait, limits, and clients that go away."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from models.planner import Planned
from nodes.deps import Deps
from stores.errors import StoreError
from tests.fakes import FakePlanner, FakeReader
from tests.unit.web import PLAN, QUESTION, client, error, events, fake_deps, service, until

APPROVE = {"question": QUESTION, "settings": {"approve_plan": True}}


class Hanging(FakePlanner):
    """A model that never answers; knows whether its call was ended."""

    name = "hanging"
    running = stopped = 0

    async def plan(self, question: str, **_: Any) -> Planned:
        self.running += 1
        try:
            await asyncio.sleep(60)
        finally:
            self.running -= 1
            self.stopped += 1
        raise AssertionError


class Broken(Deps):
    """A store that cannot be searched."""

    def __init__(self, fails: Exception) -> None:
        super().__init__(planner=FakePlanner(PLAN), reader=FakeReader())
        self.fails = fails

    async def search(self, namespace: str) -> Any:
        raise self.fails


@pytest.fixture
def runs(tmp_path: Path) -> str:
    return str(tmp_path / "folder" / "runs.sqlite")


async def test_an_answer_as_json() -> None:
    async with client(service()) as http:
        response = await http.post("/ask", json={"question": QUESTION, "settings": {"top_k": 3}})
        result = response.json()
        assert (response.status_code, result["answer"], result["question"]) == (200, "Dublin", QUESTION)
        assert [hop["id"] for hop in result["hops"]] == ["n0", "n1", "n2"]


@pytest.mark.parametrize("asks", [{"json": {"stream": True}}, {"headers": {"Accept": "text/event-stream"}}])
async def test_an_answer_as_it_comes_to_be(asks: dict[str, Any]) -> None:
    async with client(service()) as http:
        body = {"question": QUESTION, **asks.get("json", {})}
        told = events(await http.post("/ask", json=body, headers=asks.get("headers", {})))
        names = [name for name, _ in told]
        first = [names.index(name) for name in ("start", "stage", "plan", "text", "done")]
        assert first == sorted(first)
        assert (names[0], names[-1], names.count("done")) == ("start", "done", 1)
        assert max(place for place, name in enumerate(names) if name == "hop") < names.index("text")
        bound = [data["query"] for name, data in told if name == "search" and data["hop"] == "n2"]
        assert bound == ["Where was James Joyce born?"]
        times = [data["at_ms"] for name, data in told if name != "done"]
        assert times == sorted(times)
        assert times[0] < 50
        assert told[-1][1] == (await http.post("/ask", json={"question": QUESTION})).json() | {
            "timings_ms": told[-1][1]["timings_ms"],
            "hops": told[-1][1]["hops"],
        }


async def test_a_ready_plan_is_run() -> None:
    async with client(service()) as http:
        given = {"nodes": [{"id": "n1", "query": "author of Ulysses"}]}
        body = {"question": QUESTION, "plan": given, "settings": {"fallback": False}}
        result = (await http.post("/ask", json=body)).json()
        assert (result["plan"]["planner"], len(result["plan"]["nodes"])) == ("given", 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "request: question"),
        ({"question": "  "}, "question: it is empty"),
        ({"question": "x" * 2001}, "it has 2,001 characters, at most 2,000"),
        ({"question": 7}, "request: question=7"),
        ({"question": "q", "colour": "red"}, "request: colour='red'"),
        ({"question": "q", "settings": {"top_q": 3}}, "did you mean 'top_k'"),
        ({"question": "q", "settings": {"top_k": 0}}, "settings: top_k=0 cannot be used"),
        ({"question": "q", "settings": {"namespace": 7}}, "settings: namespace=7"),
        ({"question": "q", "plan": {"nodes": []}}, "plan: the given plan cannot be run"),
        ({"question": "q", "namespace": ""}, "request: namespace=''"),
    ],
)
async def test_what_cannot_be_asked_is_refused_in_a_sentence(body: dict[str, Any], said: str) -> None:
    async with client(service()) as http:
        for stream in (False, True):
            assert said in error(await http.post("/ask", json={**body, "stream": stream}), 422)


async def test_a_body_that_is_no_json_or_too_large_is_refused() -> None:
    app = service(lookahead_max_body=1_000)
    async with client(app) as http:
        json_type = {"Content-Type": "application/json"}
        assert "JSON decode error" in error(await http.post("/ask", content=b"{nope", headers=json_type), 422)
        large = json.dumps({"question": "x" * 1_500}).encode()
        assert "more than 1,000 bytes" in error(await http.post("/ask", content=large, headers=json_type), 413)

        async def drip() -> Any:
            for _ in range(20):
                yield b" " * 100

        assert "more than 1,000 bytes" in error(await http.post("/ask", content=drip(), headers=json_type), 413)
        assert (await http.post("/ask", json={"question": QUESTION})).status_code == 200


async def test_an_error_in_the_middle_is_told_in_the_stream_and_as_a_status() -> None:
    cases: list[tuple[Exception, int, str]] = [
        (StoreError("store: the disk is gone: put it back"), 503, "store: the disk is gone: put it back"),
        (KeyError("internals that nobody should see"), 500, "a bug in lookahead"),
    ]
    for fails, status, said in cases:
        async with client(service(Broken(fails))) as http:
            answer = error(await http.post("/ask", json={"question": QUESTION}), status)
            assert said in answer
            assert "internals" not in answer
            name, data = events(await http.post("/ask", json={"question": QUESTION, "stream": True}))[-1]
            assert (name, data["error"]) == ("error", answer)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_goes_away_stops_its_run_and_its_model_calls(stream: bool) -> None:
    planner = Hanging()
    app = service(fake_deps(planner=planner))
    async with client(app) as http:
        asking = asyncio.create_task(http.post("/ask", json={"question": QUESTION, "stream": stream}))
        await until(lambda: planner.running)
        assert app.state.service.runs.taken == 1
        asking.cancel()
        await until(lambda: planner.stopped)
        await until(lambda: not app.state.service.runs.taken)


async def test_a_client_that_hangs_up_stops_its_run() -> None:
    """The server says so with a message; nothing is cancelled from outside."""
    planner = Hanging()
    app = service(fake_deps(planner=planner))
    body, sent, gone = json.dumps({"question": QUESTION, "stream": True}).encode(), [], asyncio.Event()
    messages = [{"type": "http.request", "body": body}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/ask", "raw_path": b"/ask", "query_string": b"",
             "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "scheme": "http",
             "asgi": {"version": "3.0"}, "http_version": "1.1", "root_path": ""}  # fmt: skip
    running = asyncio.create_task(app(scope, receive, send))
    await until(lambda: planner.running)
    gone.set()
    await asyncio.wait_for(running, 5)
    assert (planner.running, planner.stopped, app.state.service.runs.taken) == (0, 1, 0)
    assert b'lookahead_run_seconds_count{outcome="stopped"} 1.0' in app.state.service.metrics.page()
    assert sent[0]["status"] == 200


async def test_too_many_at_once_are_told_when_to_come_again() -> None:
    planner = Hanging()
    async with client(service(fake_deps(planner=planner), lookahead_max_runs=2)) as http:
        asking = [asyncio.create_task(http.post("/ask", json={"question": QUESTION})) for _ in range(2)]
        await until(lambda: planner.running == 2)
        refused = await http.post("/ask", json={"question": QUESTION, "stream": True})
        assert "LOOKAHEAD_MAX_RUNS=2" in error(refused, 429)
        assert int(refused.headers["retry-after"]) >= 1
        for task in asking:
            task.cancel()
        await until(lambda: planner.stopped == 2)
        again = asyncio.create_task(http.post("/ask", json={"question": QUESTION}))
        await until(lambda: planner.running == 1)
        again.cancel()


async def test_a_plan_waits_is_edited_and_run_by_a_service_started_anew(runs: str) -> None:
    async with client(service(lookahead_runs=runs)) as http:
        settings = {"approve_plan": True, "fallback": False}
        waiting = await http.post("/ask", json={**APPROVE, "settings": settings})
        shown = waiting.json()
        assert (waiting.status_code, shown["status"]) == (202, "waiting")
        assert [node["id"] for node in shown["plan"]["nodes"]] == ["n1", "n2"]
        path = f"/runs/{shown['run_id']}/plan"
        wrong = await http.post(path, json={"action": "edit", "plan": {"nodes": "none"}})
        assert "the plan still waits" in error(wrong, 422)
    planner = FakePlanner(PLAN)
    async with client(service(fake_deps(planner=planner), lookahead_runs=runs)) as http:
        edit = {"action": "edit", "plan": {"nodes": [PLAN[0]]}, "stream": True}
        told = events(await http.post(path, json=edit))
        assert (told[0][0], told[-1][0]) == ("start", "done")
        assert [node["id"] for node in told[-1][1]["plan"]["nodes"]] == ["n1"]
        assert planner.calls == 0
        assert "there is no run" in error(await http.post(path, json={"action": "approve"}), 404)


async def test_a_plan_that_waits_is_told_in_the_stream_and_may_be_rejected(runs: str) -> None:
    async with client(service(lookahead_runs=runs)) as http:
        told = events(await http.post("/ask", json={**APPROVE, "stream": True}))
        name, shown = told[-1]
        assert (name, shown["run_id"], "done" in dict(told)) == ("approval", told[0][1]["run_id"], False)
        result = (await http.post(f"/runs/{shown['run_id']}/plan", json={"action": "reject"})).json()
        assert (result["abstained"], result["answer"]) == (True, "")


@pytest.mark.parametrize(
    ("body", "said"),
    [({"action": "perhaps"}, "request: action='perhaps'"), ({"action": "edit"}, "'edit' takes a plan"),
     ({"action": "approve", "plan": {"nodes": PLAN}}, "takes no plan")],
)  # fmt: skip
async def test_a_decision_that_makes_no_sense_is_refused(runs: str, body: dict[str, Any], said: str) -> None:
    async with client(service(lookahead_runs=runs)) as http:
        assert said in error(await http.post("/runs/x/plan", json=body), 422)


async def test_a_plan_is_decided_once_and_by_its_owner(runs: str) -> None:
    app = service(lookahead_runs=runs, lookahead_tokens="a=one,b=two")
    async with client(app, token="a") as http:
        path = f"/runs/{(await http.post('/ask', json=APPROVE)).json()['run_id']}/plan"
        other = {"Authorization": "Bearer b"}
        assert "there is no run" in error(await http.post(path, json={"action": "approve"}, headers=other), 404)
        both = await asyncio.gather(*[http.post(path, json={"action": "approve"}) for _ in range(2)])
        assert sorted(response.status_code for response in both) == [200, 409]
        assert "there is no run" in error(await http.post("/runs/nope/plan", json={"action": "approve"}), 404)


async def test_a_file_that_cannot_keep_plans_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    async with client(service(lookahead_runs=str(tmp_path / "file" / "runs.sqlite"))) as http:
        assert "LOOKAHEAD_RUNS" in error(await http.post("/ask", json=APPROVE), 503)
