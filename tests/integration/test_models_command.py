"""Finding model servers over sockets: `lookahead models`, what `auto` takes, and clients that close what they open."""

import asyncio
import gc
import json
import time
from typing import Any

import pytest
from typer.testing import CliRunner

from graph.cli import app
from graph.lookahead import build
from models.servers import NotReached, fetch_json
from nodes.context import Context
from nodes.deps import Deps
from tests.integration import wire_groq, wire_ollama
from tests.integration.wire_http import Fault, Reply
from tests.integration.wire_server import WireServer, refusing_url
from tests.integration.wire_talk import QUESTION, talk


def shown(*options: str) -> str:
    result = CliRunner().invoke(app, ["models", *options])
    assert result.exit_code == 0, result.output
    return str(result.stdout)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(200, (Fault.HANG,)), "no answer within 0.3 s"),
        (Reply(200, (b"Ollama is running",), content_type="text/plain"), "JSONDecodeError"),
        (Reply.of(404, {}), "it answers with status 404"),
        (Reply.of(307, {}, location="/elsewhere"), "it answers with status 307"),
        (Reply(200, (Fault.RESET,)), "ReadError"),
        (Reply.of(200, {"models": 1}), None),
    ],
    ids=["hangs", "no JSON", "404", "redirect", "reset", "fine"],
)
async def test_a_server_is_asked(reply: Reply, said: str | None) -> None:
    async with WireServer(lambda request: reply) as server:
        if said is None:
            assert await fetch_json(server.url, seconds=5, headers={"x": "y"}, body={"a": 1}) == {"models": 1}
            assert (server.requests[0].method, server.requests[0].headers["x"]) == ("POST", "y")
            return
        with pytest.raises(NotReached, match=said):
            await fetch_json(server.url, seconds=0.3)


@pytest.mark.parametrize("proxy", [False, True])
async def test_nobody_there(proxy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if proxy:  # of no use on the way to this machine
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with pytest.raises(NotReached, match="nobody listens there"):
        await fetch_json(refusing_url(), seconds=5)


async def test_a_name_that_cannot_be_looked_up() -> None:
    with pytest.raises(NotReached, match=r"'nowhere.invalid' cannot be looked up|no connection within"):
        await fetch_json("http://nowhere.invalid:11434", seconds=5)


def test_both_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOKAHEAD_AUTO")
    with wire_groq.serve(talk(wire_groq)) as groq, wire_ollama.serve(talk(wire_ollama)) as ollama:
        for name, value in (wire_groq.environment(groq.url) | wire_ollama.environment(ollama.url)).items():
            monkeypatch.setenv(name, value)
        text = shown()
        found = json.loads(shown("--json"))
    assert "openai/gpt-oss-20b, openai/gpt-oss-120b, 3 models in all" in text
    assert "llama3.2:3b, qwen3:4b, nomic-embed-text:latest" in text
    assert found["auto"]["reason"] == "Groq, because GROQ_API_KEY is set"
    assert (found["ollama"]["address"], found["ollama"]["version"]) == (ollama.url, "0.17.4")
    assert wire_groq.KEY not in text + json.dumps(found)
    assert wire_ollama.KEY not in text + json.dumps(found)


def test_a_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with wire_groq.serve(talk(wire_groq)) as groq:
        monkeypatch.setenv("GROQ_API_BASE", groq.url)
        monkeypatch.setenv("GROQ_API_KEY", "gsk_wrong")
        text = shown()
    assert f"refused at {groq.url}: it answers with status 401" in text
    assert "check GROQ_API_KEY" in text


def test_without_any_server_it_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOOKAHEAD_AUTO")
    monkeypatch.setenv("OLLAMA_HOST", refusing_url())
    shown()  # imports
    started = time.perf_counter()
    assert "auto is embedded" in shown()
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize("wire", [wire_groq, wire_ollama], ids=["groq", "ollama"])
def test_auto_is_used_and_closes_its_connections_with_each_loop(
    wire: Any, sample_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOKAHEAD_AUTO")
    with wire.serve(talk(wire)) as server:
        for name, value in wire.environment(server.url).items():
            monkeypatch.setenv(name, value)
        graph = build(Deps(sample_store))
        for _ in range(2):
            state = asyncio.run(graph.ainvoke({"question": QUESTION}, context=Context(fallback=False)))
            gc.collect()  # an open connection would warn, which is an error here
            assert state["answer"] == "Oak Park"
            assert wire.NAME in state["models"]["auto"].lower()
            assert state["models"]["planner"].startswith(wire.NAME)
            assert state["planning"]["rung"] == "json_schema"
    asked = [request for request in server.requests if request.path.endswith(("/chat", "/completions"))]
    assert len(asked) == 4
    if wire is wire_groq:  # plan and answer share a connection; Ollama's two clients have one each
        assert len({request.connection for request in asked}) == 2
