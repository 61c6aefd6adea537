"""`lookahead serve` as a process: events and their times, clients that leave, a kill while a plan waits, crowds."""

import asyncio
import contextlib
import gzip
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.integration.test_langgraph_dev import free_port

QUESTION = "Where was the author of The Old Man and the Sea born?"
LOOKAHEAD = [sys.executable, "-c", "from graph.cli import main; main()"]
ROOT = Path(__file__).parents[2]


@contextmanager
def serving(folder: Path, store: str, *, kill: bool = False, **environment: str) -> Iterator[str]:
    """Address of a service that runs in a folder; at the end it is stopped, or killed."""
    port = free_port()
    command = [*LOOKAHEAD, "serve", "--port", str(port), "--store", store]
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "LOOKAHEAD_RUNS": str(folder / "runs.sqlite"), **environment}
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, cwd=folder, env=settings, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_ready(process, address, folder / "log")
            yield address
        finally:
            process.send_signal(signal.SIGKILL if kill else signal.SIGINT)
            assert process.wait(timeout=30) in ((-signal.SIGKILL,) if kill else (0, -signal.SIGINT))


def wait_until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{address}/ready", timeout=30).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail(f"the service did not come up:\n{log.read_text()}")


def stream(client: httpx.Client, path: str, body: dict[str, Any]) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """(seconds since the request, event, data) of each event, as it arrives."""
    started, name = time.perf_counter(), ""
    with client.stream("POST", path, json={**body, "stream": True}) as response:
        assert response.status_code == 200, response.read()
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield time.perf_counter() - started, name, json.loads(line.removeprefix("data: "))


def metric(client: httpx.Client, name: str) -> float:
    found = re.search(rf"^{re.escape(name)} (\S+)$", client.get("/metrics").text, re.MULTILINE)
    return float(found[1]) if found else 0.0


@pytest.fixture
def address(own_folders: Path, sample_store: str) -> Iterator[str]:
    with serving(own_folders, sample_store) as found:
        yield found


def test_the_first_event_is_there_at_once_and_the_evidence_before_the_answer(address: str) -> None:
    with httpx.Client(base_url=address, timeout=120) as client:
        list(stream(client, "/ask", {"question": QUESTION}))  # warms the models
        fastest = min(next(iter(stream(client, "/ask", {"question": QUESTION})))[0] for _ in range(5))
        assert fastest < 0.05
        told = list(stream(client, "/ask", {"question": QUESTION}))
        names = [name for _, name, _ in told]
        assert (names[0], names[-1]) == ("start", "done")
        assert names.index("plan") < names.index("hop") or names.index("hop") < names.index("text")
        assert max(place for place, name in enumerate(names) if name == "hop") < names.index("text")
        assert told[0][2]["at_ms"] < 50
        assert told[-1][2]["answer"].startswith("Oak Park")
        assert "only this machine is answered" in Path("log").read_text()


def test_a_client_that_goes_away_stops_its_run(address: str) -> None:
    with httpx.Client(base_url=address, timeout=120) as client:
        for _ in stream(client, "/ask", {"question": QUESTION}):
            break  # closes the connection
        for _ in range(100):
            if metric(client, 'lookahead_run_seconds_count{outcome="stopped"}'):
                break
            time.sleep(0.1)
        assert metric(client, 'lookahead_run_seconds_count{outcome="answered"}') == 0
        assert metric(client, "lookahead_runs_in_flight") == 0


def test_a_plan_waits_through_a_kill(own_folders: Path, sample_store: str) -> None:
    body = {"question": QUESTION, "settings": {"approve_plan": True}}
    with (
        serving(own_folders, sample_store, kill=True) as address,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        waiting = client.post("/ask", json=body)
        assert waiting.status_code == 202
        run = waiting.json()["run_id"]
    with serving(own_folders, sample_store) as address, httpx.Client(base_url=address, timeout=120) as client:
        told = list(stream(client, f"/runs/{run}/plan", {"action": "approve"}))
        assert [name for _, name, _ in told][-1] == "done"
        assert told[-1][2]["answer"].startswith("Oak Park")
        # 409 for the moment in which the service still lets go of the run.
        assert client.post(f"/runs/{run}/plan", json={"action": "approve"}).status_code in (404, 409)


def test_many_at_once_are_all_answered_and_too_many_are_told_so(own_folders: Path, sample_store: str) -> None:
    async def ask_all(address: str, number: int) -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=number)
        async with httpx.AsyncClient(base_url=address, timeout=300, limits=limits) as client:
            return await asyncio.gather(*[client.post("/ask", json={"question": QUESTION}) for _ in range(number)])

    with serving(own_folders, sample_store, LOOKAHEAD_MAX_RUNS="50") as address:
        answers = asyncio.run(ask_all(address, 50))
        assert [answer.status_code for answer in answers] == [200] * 50
        assert {answer.json()["answer"] for answer in answers} == {answers[0].json()["answer"]}
        answers = asyncio.run(ask_all(address, 60))
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(refused) == 10
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)


def test_a_token_is_in_no_log_and_opens_its_namespace_alone(own_folders: Path, sample_store: str) -> None:
    token = "token-that-stays-out-of-logs"
    tokens = f"{token}=other"
    with (
        serving(own_folders, sample_store, LOOKAHEAD_TOKENS=tokens) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        assert client.post("/ask", json={"question": QUESTION}).status_code == 401
        client.headers["Authorization"] = f"Bearer {token}"
        asked = client.post("/ask", json={"question": QUESTION, "namespace": "default"})
        assert (asked.status_code, "'other'" in asked.json()["error"]) == (404, True)
    log = (own_folders / "log").read_text()
    assert token not in log
    assert "only this machine" not in log


@pytest.mark.parametrize(
    ("arguments", "said"), [(["--host", "0.0.0.0"], "no token is set"), (["--host", "203.0.113.1"], "no token is set")]
)
def test_other_machines_are_answered_only_with_a_token(own_folders: Path, arguments: list[str], said: str) -> None:
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*LOOKAHEAD, "serve", *arguments], env=settings, capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stderr, done.stderr.count("\n")) == (1, True, 1)


def checkpoints(file: Path) -> int:
    with contextlib.closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM checkpoints").fetchone()[0])


def test_a_plan_that_nobody_decides_is_forgotten_by_the_running_service(own_folders: Path, sample_store: str) -> None:
    body = {"question": QUESTION, "settings": {"approve_plan": True}}
    with (
        serving(own_folders, sample_store, LOOKAHEAD_PLAN_HOURS=str(2 / 3600)) as address,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        run = client.post("/ask", json=body).json()["run_id"]
        for _ in range(600):
            if not checkpoints(own_folders / "runs.sqlite"):
                break
            time.sleep(0.1)
        late = client.post(f"/runs/{run}/plan", json={"action": "approve"})
        assert (late.status_code, "LOOKAHEAD_PLAN_HOURS" in late.json()["error"]) == (404, True)
    assert "1 plans that nobody decided" in (own_folders / "log").read_text()


def test_a_json_client_that_goes_away_frees_its_place(own_folders: Path, sample_store: str) -> None:
    with (
        serving(own_folders, sample_store, LOOKAHEAD_MAX_RUNS="1") as address,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        with pytest.raises(httpx.TimeoutException), httpx.Client(base_url=address, timeout=0.05) as impatient:
            impatient.post("/ask", json={"question": QUESTION})
        for _ in range(100):
            if metric(client, 'lookahead_run_seconds_count{outcome="stopped"}'):
                break
            time.sleep(0.1)
        assert metric(client, "lookahead_runs_in_flight") == 0
        assert client.post("/ask", json={"question": QUESTION}).status_code == 200


def test_a_bomb_is_not_unpacked(own_folders: Path, sample_store: str) -> None:
    line = b'{"title": "T", "text": "' + b"x" * 1_000_000 + b'"}\n'
    bomb = gzip.compress(line * 40)
    with (
        serving(own_folders, str(own_folders / "store"), LOOKAHEAD_MAX_UNPACKED="10000000") as address,
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        answer = client.post("/documents", files={"files": ("bomb.jsonl.gz", bomb)})
        assert (answer.status_code, "10,000,000 bytes" in answer.json()["error"]) == (413, True)
        assert client.get("/documents").json()["total"] == 0
