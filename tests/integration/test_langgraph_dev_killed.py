"""A dev server that is killed in the middle of `retrieve` and started again: no search that had ended is made again."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.errors import NotFoundError

from tests.integration.dev_server import dev_server
from tests.integration.held_searches import LAST, PLAN, QUESTION, SETTINGS
from tests.integration.test_langgraph_dev import ROOT

KEPT_SECONDS = 12
"""LangGraph writes down which threads and runs there are every ten seconds; checkpoints are kept at once."""
INPUT = {"question": QUESTION, "plan": PLAN}
CONTEXT = {"max_nodes": 6}


@pytest.fixture
def server(own_folders: Path) -> dict[str, Any]:
    """How to start a server over searches that can be held."""
    exported = json.loads((ROOT / "langgraph.json").read_text())
    graphs = {"lookahead": "tests.integration.held_searches:graph"}
    config = own_folders / "langgraph.json"
    config.write_text(
        json.dumps({"dependencies": ["."], "graphs": graphs, "checkpointer": exported["checkpointer"], "env": {}})
    )
    return {"folder": own_folders, "config": config, "HELD": str(own_folders), "PYTHONPATH": str(ROOT)}


def asked(folder: Path) -> Counter[str]:
    """How often each search began."""
    lines = folder / "asked"
    return Counter(lines.read_text().splitlines() if lines.exists() else [])


def wait_until_asked(folder: Path, query: str) -> None:
    for _ in range(300):
        if asked(folder)[query]:
            return
        time.sleep(0.1)
    pytest.fail(f"{query!r} was not searched in 30 s: {asked(folder)}")


def kill_in_the_middle(server: dict[str, Any], seconds: float) -> tuple[str, str]:
    """Ask, and kill the server while the last hop is being searched, so long after it began; thread and run."""
    folder = server["folder"]
    (folder / LAST).touch()
    with dev_server(**server, kill=True) as (address, _), get_sync_client(url=address) as client:
        thread = client.threads.create()["thread_id"]
        run = client.runs.create(thread, "lookahead", input=INPUT, context=CONTEXT)["run_id"]
        wait_until_asked(folder, LAST)
        time.sleep(seconds)
    assert asked(folder) == {QUESTION: 1, "director": 1, "film": 1, LAST: 1}
    (folder / LAST).unlink()
    return thread, run


def check(state: dict[str, Any], folder: Path) -> None:
    assert asked(folder) == {QUESTION: 1, "director": 1, "film": 1, LAST: 2}
    found = {name: [passage["title"] for passage in hop["passages"]] for name, hop in state["hops"].items()}
    assert found == {"n0": ["Big Stone Gap"], "n1": ["Director"], "n2": ["Adriana Trigiani"], "n3": ["Film"]}
    assert state["answer"] == "Roseto"
    assert state["context"] == {**SETTINGS.model_dump(), **CONTEXT}
    assert "BlockingError" not in (folder / "log").read_text()


def test_a_run_that_the_server_knew_goes_on_by_itself(server: dict[str, Any]) -> None:
    thread, run = kill_in_the_middle(server, KEPT_SECONDS)
    with dev_server(**server) as (address, _), get_sync_client(url=address) as client:
        client.runs.join(thread, run)
        check(client.threads.get_state(thread)["values"], server["folder"])  # type: ignore[arg-type]


def test_a_run_killed_before_the_server_wrote_it_down_is_resumed_under_its_thread(server: dict[str, Any]) -> None:
    thread, _ = kill_in_the_middle(server, 0.5)
    with dev_server(**server) as (address, _), get_sync_client(url=address) as client:
        with pytest.raises(NotFoundError):  # LangGraph has forgotten the thread, and its checkpoints are there
            client.threads.get(thread)
        client.threads.create(thread_id=thread)
        check(client.runs.wait(thread, "lookahead", input=None), server["folder"])  # type: ignore[arg-type]
