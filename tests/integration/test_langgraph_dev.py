"""LangGraph Studio's server: starts with no `.env` and no --allow-blocking, draws the graphs, ingests and answers.

Without --allow-blocking the server turns a synchronous socket, sleep or SQLite call inside an async node into an error.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluation.sample import passages_path

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}
START_SECONDS = 60

OTHERS = ("multi_query", "react", "standard_rag")
"""They answer, and need not be right: for them the reader is torn between Oak Park and the Chicago that it is near."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_up(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(START_SECONDS * 10):
        if server.poll() is not None:
            break
        try:
            if httpx.get(f"{address}/ok").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail(f"langgraph dev did not come up:\n{log.read_text()}")


@pytest.fixture
def studio(own_folders: Path) -> Iterator[httpx.Client]:
    """A client of a running server whose store is empty."""
    environment = {**os.environ, **QUIET, "INGEST_ROOT": str(passages_path().parent)}
    port, log = free_port(), own_folders / "log"
    address = f"http://127.0.0.1:{port}"
    command = [SCRIPTS / "langgraph", "dev", "--config", ROOT / "langgraph.json", "--port", str(port)]
    flags = ["--no-reload", "--no-browser", "--n-jobs-per-worker", "10"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [*command, *flags], cwd=own_folders, env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            wait_until_up(server, address, log)
            with httpx.Client(base_url=address, timeout=60) as client:
                yield client
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)
    assert "BlockingError" not in log.read_text()


def body(response: httpx.Response) -> Any:
    assert response.is_success, response.text
    return response.json()


def test_studio_draws_the_graphs_ingests_and_answers_a_question(studio: httpx.Client) -> None:
    found = body(studio.post("/assistants/search", json={}))
    assistants = {assistant["graph_id"]: assistant["assistant_id"] for assistant in found}
    assert set(assistants) == set(json.loads((ROOT / "langgraph.json").read_text())["graphs"])

    drawn = {node["id"] for node in body(studio.get(f"/assistants/{assistants['lookahead']}/graph"))["nodes"]}
    assert {"plan", "probe", "prune", "retrieve", "rerank", "assemble", "synthesize", "check", "fallback"} <= drawn

    for graph, given, knob in [("lookahead", "question", "top_k"), ("ingest", "paths", "chunk_size")]:
        schemas = body(studio.get(f"/assistants/{assistants[graph]}/schemas"))
        assert given in schemas["input_schema"]["properties"]
        form = schemas["context_schema"]["properties"]
        assert form[knob]["description"]
        assert form[knob]["type"] == "integer"

    run: dict[str, Any] = {"assistant_id": "ingest", "input": {"paths": [str(passages_path())]}}
    counts = body(studio.post("/runs/wait", json=run))["counts"]
    assert counts["added"] > 100
    assert counts["failed"] == 0

    question = {"question": "Where was the author of The Old Man and the Sea born?"}
    context = {"planner": "embedded", "synthesizer": "embedded"}
    for graph in ("lookahead", "ranked_rag", "multi_query", "sequential_plan", "react", "standard_rag"):
        run = {"assistant_id": graph, "input": question, "context": context}
        state = body(studio.post("/runs/wait", json=run))
        assert state["citations"], graph
        assert state["answer"].startswith("Oak Park") or (graph in OTHERS and state["answer"])
