"""`lookahead models` as a user reads it, with servers that answer from a table."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from graph.cli import app
from models.servers import NotReached

KEY = "gsk_0123456789abcdef"
GROQ = {"data": [{"id": "openai/gpt-oss-20b"}, {"id": "openai/gpt-oss-120b"}, {"id": "whisper"}]}
OLLAMA = {
    "/api/tags": {"models": [{"name": "llama3.2:3b"}, {"name": "qwen3:4b"}]},
    "/api/version": {"version": "0.17.4"},
}
DOWN = NotReached("nobody listens there")


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the servers answer, by the path; the rest is down."""
    said: dict[str, Any] = {}

    async def fetch(url: str, **_: Any) -> Any:
        answer = next((answer for path, answer in said.items() if url.endswith(path)), DOWN)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("models.servers.fetch_json", fetch)
    monkeypatch.delenv("LOOKAHEAD_AUTO")
    return said


def shown(*options: str) -> str:
    result = CliRunner().invoke(app, ["models", *options])
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def test_nothing_can_be_reached(servers: dict[str, Any]) -> None:
    text = shown()
    for said in (
        "set GROQ_API_KEY in the environment or in .env",
        "not reached at http://127.0.0.1:11434: nobody listens there",
        "`ollama serve`",
        "ready, on this machine",
        "auto is embedded: no GROQ_API_KEY, and no Ollama at http://127.0.0.1:11434 (nobody listens there)",
    ):
        assert said in text


def test_groq_with_a_key(servers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    servers["/openai/v1/models"] = GROQ
    text = shown() + shown("--json")
    assert "the key is taken" in text
    assert "openai/gpt-oss-20b, openai/gpt-oss-120b, 3 models in all" in text
    assert "auto is Groq, because GROQ_API_KEY is set\n  planner      groq:openai/gpt-oss-20b\n" in text
    assert KEY not in text


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NotReached("it answers with status 401"), "check GROQ_API_KEY"),
        (DOWN, "check the network"),
        ({"data": [{"id": "openai/gpt-oss-20b"}]}, "openai/gpt-oss-120b is missing, 1 model in all"),
    ],
)
def test_groq_that_is_of_no_use(
    answer: Any, said: str, servers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    servers["/openai/v1/models"] = answer
    assert said in shown()


def test_ollama_that_has_the_model(servers: dict[str, Any]) -> None:
    servers |= OLLAMA
    text = shown()
    assert "version 0.17.4" in text
    assert "llama3.2:3b, qwen3:4b" in text
    assert "auto is Ollama, because there is no GROQ_API_KEY and http://127.0.0.1:11434 has llama3.2:3b" in text
    assert "synthesizer  ollama:llama3.2:3b" in text


def test_ollama_without_it(servers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    servers |= OLLAMA
    monkeypatch.setenv("OLLAMA_MODEL", "gemma3")
    text = shown()
    assert "llama3.2:3b, qwen3:4b; get gemma3 with `ollama pull gemma3`" in text
    assert "auto is embedded" in text


def test_as_json(servers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    servers |= OLLAMA
    monkeypatch.setenv("LOOKAHEAD_AUTO", "embedded")
    found = json.loads(shown("--json"))
    assert found["auto"] == {
        "provider": "embedded",
        "planner": "embedded",
        "synthesizer": "embedded",
        "reason": "embedded, because LOOKAHEAD_AUTO=embedded",
    }
    assert (found["groq"]["key_set"], found["groq"]["reached"]) == (False, None)
    assert found["ollama"]["models"] == ["llama3.2:3b", "qwen3:4b"]
    assert found["ollama"]["wanted"] == {"model": "llama3.2:3b", "there": True}
