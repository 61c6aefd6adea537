"""Plans that wait for approval: how long, how many, and what is left of them."""

import asyncio
import contextlib
import sqlite3
import time
from pathlib import Path

import pytest
from langgraph.checkpoint.base.id import uuid6

from graph.checkpoint_file import first_id
from graph.web import expiring
from graph.web.expiring import forget_older, keep_clean
from tests.unit.test_web_ask import APPROVE
from tests.unit.web import QUESTION, client, error, events, fake_deps, service, until

DECIDE = {"action": "approve"}


@pytest.fixture
def runs(tmp_path: Path) -> str:
    return str(tmp_path / "runs.sqlite")


def stored(runs: str) -> int:
    with contextlib.closing(sqlite3.connect(runs)) as db:
        return int(
            db.execute("SELECT (SELECT count(*) FROM checkpoints) + (SELECT count(*) FROM writes)").fetchone()[0]
        )


async def test_a_plan_that_is_decided_too_late_is_gone_and_the_setting_is_named(runs: str) -> None:
    async with client(service(lookahead_runs=runs, lookahead_plan_hours=0.1 / 3600)) as http:
        path = f"/runs/{(await http.post('/ask', json=APPROVE)).json()['run_id']}/plan"
        await asyncio.sleep(0.15)
        assert "LOOKAHEAD_PLAN_HOURS" in error(await http.post(path, json=DECIDE), 410)
        assert forget_older(runs, time.time() - 0.1) == 1
        assert "LOOKAHEAD_PLAN_HOURS" in error(await http.post(path, json=DECIDE), 404)
    assert stored(runs) == 0


async def test_only_what_is_old_and_not_under_way_is_forgotten(runs: str) -> None:
    async with client(service(lookahead_runs=runs)) as http:
        old = [(await http.post("/ask", json=APPROVE)).json()["run_id"] for _ in range(2)]
        moment = time.time()
        young = (await http.post("/ask", json=APPROVE)).json()["run_id"]
        assert forget_older(runs, moment, going_on=old[:1]) == 1
        statuses = [(await http.post(f"/runs/{run}/plan", json=DECIDE)).status_code for run in (*old, young)]
        assert statuses == [200, 404, 200]


async def test_the_file_is_looked_through_again_and_again(runs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiring, "MOST_SECONDS", 0.01)
    async with client(service(lookahead_runs=runs)) as http:
        await http.post("/ask", json=APPROVE)
        assert stored(runs) > 0
        cleaning = asyncio.create_task(keep_clean(runs, 0.1 / 3600, list))
        await until(lambda: not stored(runs))
        cleaning.cancel()


async def test_a_file_that_is_not_there_or_no_database_stops_nothing(
    runs: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert forget_older(runs, time.time()) == 0
    sqlite3.connect(runs).close()
    assert forget_older(runs, time.time()) == 0
    await asyncio.to_thread(Path(runs).write_text, "no database" * 100)
    monkeypatch.setattr(expiring, "MOST_SECONDS", 0.01)
    cleaning = asyncio.create_task(keep_clean(runs, 1, list))
    await until(lambda: caplog.text.count("LOOKAHEAD_RUNS") > 1)
    cleaning.cancel()


def test_ids_of_checkpoints_sort_by_time() -> None:
    before, made, after = first_id(time.time() - 1), str(uuid6()), first_id(time.time() + 1)
    assert before < made < after


async def test_no_more_plans_wait_than_are_kept(runs: str) -> None:
    async with client(service(lookahead_runs=runs, lookahead_max_waiting=1)) as http:
        waiting = (await http.post("/ask", json=APPROVE)).json()["run_id"]
        refused = await http.post("/ask", json=APPROVE)
        assert "LOOKAHEAD_MAX_WAITING=1" in error(refused, 429)
        assert int(refused.headers["retry-after"]) > 1
        name, data = events(await http.post("/ask", json={**APPROVE, "stream": True}))[-1]
        assert (name, data["status"], data["error"]) == ("error", 429, error(refused, 429))
        assert str(data["retry_after"]) == refused.headers["retry-after"]
        assert (await http.post("/ask", json={"question": QUESTION})).status_code == 200
        assert (await http.post(f"/runs/{waiting}/plan", json=DECIDE)).status_code == 200
        assert (await http.post("/ask", json=APPROVE)).status_code == 202


async def test_one_of_several_clients_leaves_room_for_plans_of_others(runs: str) -> None:
    app = service(lookahead_runs=runs, lookahead_max_waiting=4, lookahead_tokens="a=one,b=two")
    two = {"Authorization": "Bearer b"}
    async with client(app, token="a") as http:
        waiting = [(await http.post("/ask", json=APPROVE)).json()["run_id"] for _ in range(3)]
        edit = {"action": "edit", "plan": {"nodes": "none"}}
        assert (await http.post(f"/runs/{waiting[0]}/plan", json=edit)).status_code == 422  # and it still waits
        refused = await http.post("/ask", json={**APPROVE, "namespace": "two"})
        assert "of your plans wait" in error(refused, 429)
        assert "(3, of LOOKAHEAD_MAX_WAITING=4)" in error(refused, 429)
        assert (await http.post("/ask", json=APPROVE, headers=two)).status_code == 202
        assert "are kept (LOOKAHEAD_MAX_WAITING=4)" in error(await http.post("/ask", json=APPROVE, headers=two), 429)
        assert (await http.post(f"/runs/{waiting[0]}/plan", json=DECIDE)).status_code == 200
        assert (await http.post("/ask", json=APPROVE)).status_code == 202


async def test_nothing_is_kept_of_a_run_that_failed_before_its_plan_was_ready(runs: str, tmp_path: Path) -> None:
    nowhere = fake_deps(str(tmp_path / "nothing"), search=None)
    async with client(service(nowhere, lookahead_runs=runs)) as http:
        error(await http.post("/ask", json=APPROVE), 404)
    assert stored(runs) == 0
