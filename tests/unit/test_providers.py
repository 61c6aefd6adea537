"""Chat models by name: what each is told to do, and what is said when there is none."""

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from langchain_core.load import dumpd
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import SecretStr

from models.addresses import groq_address, ollama_address
from models.health import Health
from models.model_names import Role
from models.prices import Price
from models.providers import Endpoints, Http, close_chat_model, make_chat_model, open_http
from models.scripted import ScriptedChatModel
from stores.errors import InputError, ModelError

ROOT = Path(__file__).parents[2]
KEY = "gsk_0123456789abcdef"
WITH_KEY = Endpoints(groq_api_key=SecretStr(KEY))
SCHEMA = {"title": "t", "type": "object", "properties": {"a": {"type": "string"}}}


class Groq:
    """A server in the place of Groq's: notes what it is asked, and answers everything the same."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.bodies: list[dict[str, Any]] = []
        transport = httpx.MockTransport(self.answer)
        self.http = Http(httpx.Client(transport=transport), httpx.AsyncClient(transport=transport))

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content))
        if self.bodies[-1]["stream"]:
            delta = {"index": 0, "delta": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}
            chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [delta]}
            headers = {"content-type": "text/event-stream"}
            return httpx.Response(self.status, text=f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", headers=headers)
        choice = {"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}
        answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        return httpx.Response(self.status, json=answer)

    def chat(self, role: Role, name: str = "groq") -> Any:
        return make_chat_model(name, role, WITH_KEY, health=Health(), http=self.http)


@pytest.mark.parametrize(("role", "model"), [("planner", "openai/gpt-oss-20b"), ("synthesizer", "openai/gpt-oss-120b")])
async def test_what_groq_is_asked(role: Role, model: str) -> None:
    server = Groq()
    chat = server.chat(role)
    assert (chat.name, chat.window, chat.streams_json) == (f"groq:{model}", 131_072, False)
    await chat.model.with_structured_output(SCHEMA, method="json_schema", **chat.schema_options).ainvoke("q")
    (asked,) = server.bodies
    assert (asked["model"], asked["reasoning_effort"], asked["max_tokens"]) == (model, "low", chat.reply_tokens)
    assert asked["temperature"] < 1e-6
    assert asked["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(("name", "effort"), [("groq:qwen/qwen3-32b", "none"), ("groq:llama-x", None)])
async def test_other_models_of_groq_are_not_asked_for_what_they_refuse(name: str, effort: str | None) -> None:
    server = Groq()
    chat = server.chat("planner", name)
    await chat.model.with_structured_output(SCHEMA, method="json_schema", **chat.schema_options).ainvoke("q")
    assert server.bodies[0].get("reasoning_effort") == effort
    assert "strict" not in server.bodies[0]["response_format"]["json_schema"]


@pytest.mark.parametrize(("role", "streamed"), [("planner", False), ("synthesizer", True)])
async def test_a_message_stream_around_the_graph_makes_no_stream_of_the_plan(role: Role, streamed: bool) -> None:
    server = Groq()
    chat = server.chat(role)

    async def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await chat.model.ainvoke("q")]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    async for _ in graph.compile().astream({"messages": []}, stream_mode="messages"):
        pass
    assert [body["stream"] for body in server.bodies] == [streamed]


async def test_the_client_does_not_retry_by_itself() -> None:
    server = Groq(status=503)
    with pytest.raises(Exception, match="503"):
        await server.chat("planner").model.ainvoke("q")
    assert len(server.bodies) == 1


async def test_connections_are_shared_and_closed() -> None:
    http = open_http(WITH_KEY.groq_api_base)
    chats = [make_chat_model("groq", role, WITH_KEY, health=Health(), http=http) for role in ("planner", "synthesizer")]  # type: ignore[arg-type]
    for chat in chats:
        await close_chat_model(chat)
    assert http.sync.is_closed
    assert http.asynchronous.is_closed


async def test_what_ollama_is_asked() -> None:
    chat = make_chat_model("ollama", "planner", Endpoints(ollama_num_ctx=1024), health=Health())
    model: Any = chat.model
    assert (chat.name, chat.window, chat.reply_tokens) == ("ollama:llama3.2:3b", 1024, 512)
    asked = (model.model, model.base_url, model.num_ctx, model.num_predict, model.temperature, model.reasoning)
    assert asked == ("llama3.2:3b", "http://127.0.0.1:11434", 1024, 512, 0, False)
    await close_chat_model(chat)
    assert model._async_client._client.is_closed


async def test_gpt_oss_on_ollama_thinks_little_since_it_cannot_be_told_not_to() -> None:
    chat = make_chat_model("ollama:gpt-oss:20b", "planner", Endpoints(), health=Health())
    model: Any = chat.model
    assert model.reasoning == "low"
    await close_chat_model(chat)


def test_the_price_is_the_users() -> None:
    prices = {"groq:openai/gpt-oss-20b": Price(1.0, 2.0)}
    chat = make_chat_model("groq", "planner", WITH_KEY, health=Health(), http=Groq().http, prices=prices)
    assert chat.price == Price(1.0, 2.0)


@pytest.mark.parametrize(
    ("written", "taken"),
    [
        ("", "http://127.0.0.1:11434"),
        ("gpu.lan", "http://gpu.lan:11434"),
        ("gpu.lan:80/", "http://gpu.lan:80"),
        ("http://gpu.lan:11434/", "http://gpu.lan:11434"),
        ("https://gpu.lan/ollama", "https://gpu.lan/ollama"),
        (":8000", "http://127.0.0.1:8000"),
        ("[::]:11434", "http://[::1]:11434"),
    ],
)
def test_any_spelling_of_an_address(written: str, taken: str) -> None:
    assert ollama_address(written) == (taken, "")
    assert ollama_address(taken) == (taken, "")


@pytest.mark.parametrize("written", ["ftp://x", "http://me:pw@x:port", "a b", "http://[::1"])
def test_what_is_no_address_is_said_without_the_password(written: str) -> None:
    with pytest.raises(InputError, match=r"OLLAMA_HOST=.* is no address of a server: write it as") as caught:
        ollama_address(written)
    assert "pw" not in str(caught.value)
    with pytest.raises(InputError, match="GROQ_API_BASE"):
        groq_address(written)


def test_endpoints_show_no_secret() -> None:
    endpoints = Endpoints(groq_api_key=SecretStr(KEY), ollama_host="https://me:hush@gpu.lan")
    assert endpoints.ollama_headers() == {"Authorization": "Basic bWU6aHVzaA=="}
    assert not any(secret in repr(endpoints) for secret in (KEY, "hush", "bWU6"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("groq", "planner: 'groq:openai/gpt-oss-20b' needs GROQ_API_KEY: set it in the environment or in .env"),
        ("grok:x", "did you mean 'groq'"),
        ("embeded", "did you mean 'embedded'"),
        ("llama3.2:3b", "a model of Ollama is written 'ollama:llama3.2:3b'"),
        ("", "planner: '' is not a model; take 'auto', 'embedded'"),
        ("openai", "planner: 'openai' names no model: write 'openai:MODEL'"),
        ("openai:gpt-5", r"pip install 'lookahead-rag\[providers\]' langchain-openai"),
        ("bedrock:x", r"pip install 'lookahead-rag\[providers\]' langchain-aws"),
        ("perplexity:sonar", r"pip install 'lookahead-rag\[providers\]' langchain-perplexity"),
    ],
)
def test_a_name_that_cannot_be_used(name: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)  # as if it were not installed
    with pytest.raises(ModelError, match=said):
        make_chat_model(name, "planner", Endpoints(), health=Health())


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ImportError("Install it with `pip install langchain-openai`"), "own package: pip install langchain-openai$"),
        (ValueError("Unsupported provider='x'.\n\nSupported are: many"), "planner: 'x:y' is not a model"),
        (RuntimeError(f"no credentials, but {KEY}"), r"cannot be set up \(RuntimeError: no credentials, but \*\*\*\)"),
    ],
)
def test_what_langchain_says_of_another_provider(raised: Exception, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def init_chat_model(model: str, **options: Any) -> Any:
        raise raised

    monkeypatch.setitem(sys.modules, "langchain.chat_models", langchain(init_chat_model))
    with pytest.raises(ModelError, match=said):
        make_chat_model("x:y", "planner", Endpoints(), health=Health())


def test_another_provider_does_not_retry_where_it_can_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Retrying(ScriptedChatModel):
        max_retries: int = 6

    def init_chat_model(model: str, **options: Any) -> Any:
        assert (model, options.pop("model_provider")) == ("y:z", "x")
        return Retrying(answers=[], **options)

    monkeypatch.setitem(sys.modules, "langchain.chat_models", langchain(init_chat_model))
    chat = make_chat_model("x:y:z", "planner", Endpoints(), health=Health())
    assert chat.name == "x:y:z"
    assert chat.model.max_retries == 0  # type: ignore[attr-defined]


def langchain(init_chat_model: Any) -> ModuleType:
    module = ModuleType("langchain.chat_models")
    module.init_chat_model = init_chat_model  # type: ignore[attr-defined]
    return module


ASK = """
import asyncio, sys
import models.providers
from graph.lookahead import build
from nodes.deps import Deps
from tests.fakes import FakeSearch, hit
found = build(Deps(search=FakeSearch({"Who made Big Ben?": [hit("Big Ben", "Big Ben was made by Edmund Denison.")]})))
state = asyncio.run(found.ainvoke({"question": "Who made Big Ben?"}))
assert state["planning"]["planner"] == state["models"]["synthesizer"] == "embedded", state["models"]
clients = {"groq", "ollama", "langchain_groq", "langchain_ollama", "langchain"}
clients.add("langchain_core.language_models.chat_models")
print(sorted(clients & sys.modules.keys()))
"""


def test_who_runs_embedded_imports_no_client() -> None:
    done = subprocess.run([sys.executable, "-c", ASK], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize("written", ["http://me:pa/ss@host", "me:pw@host", "me:p@ss@host"])
def test_a_login_in_an_address_that_is_none_is_not_shown(written: str) -> None:
    with pytest.raises(InputError) as raised:
        groq_address(written)
    assert "***@host" in str(raised.value)
    assert not any(part in str(raised.value) for part in ("me:", "pw", "ss@"))


def test_a_login_in_the_address_of_groq_is_refused_since_it_would_replace_the_key() -> None:
    with pytest.raises(InputError, match="login") as raised:
        groq_address("https://me:secret@gateway.lan/groq")
    assert "secret" not in str(raised.value)


def test_tracers_do_not_see_the_key_of_an_ollama_server() -> None:
    endpoints = Endpoints(ollama_authorization=SecretStr("Bearer sesame"))
    model = make_chat_model("ollama:m", "planner", endpoints, health=Health()).model
    assert "sesame" not in str(dumpd(model)) + repr(model)
    assert model._async_client._client.headers["authorization"] == "Bearer sesame"  # type: ignore[attr-defined]
