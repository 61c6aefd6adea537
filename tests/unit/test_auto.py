"""What `auto` stands for and why; who is asked, who is told."""

import asyncio
from typing import Any

import pytest
from pydantic import SecretStr

from graph.cli.session import Session
from graph.lookahead import build
from models.auto import Auto, Choice, choose
from models.chat import ChatModel
from models.providers import Endpoints
from models.scripted import ScriptedChatModel
from models.servers import NotReached
from nodes.chat_models import ChatModels
from nodes.context import Context
from nodes.deps import Deps
from nodes.settings import Settings
from stores.errors import InputError, ModelError

HOST = "http://127.0.0.1:11434"


class FakeServers:
    """Answers `said[path]`, and notes what was asked; what is an exception is raised."""

    def __init__(self, **said: Any) -> None:
        self.said = {f"/api/{path}": answer for path, answer in said.items()}
        self.asked: list[str] = []

    async def __call__(self, url: str, **_: Any) -> Any:
        await asyncio.sleep(0)
        self.asked.append(url.removeprefix(HOST))
        answer = self.said.get(self.asked[-1], NotReached("nobody listens there"))
        if isinstance(answer, Exception):
            raise answer
        return answer


def pulled(*names: str) -> dict[str, Any]:
    return {"models": [{"name": name} for name in names]}


@pytest.mark.parametrize(
    ("tags", "model", "provider", "reason"),
    [
        (pulled("llama3.2:3b"), "llama3.2:3b", "ollama", f"Ollama, because there is no GROQ_API_KEY and {HOST} has"),
        (pulled("mine:latest"), "mine", "ollama", "Ollama, because"),
        (pulled("mine"), "mine:latest", "embedded", "`ollama pull mine:latest`"),
        (pulled("llama3.2:1b"), "llama3.2", "embedded", "does not have llama3.2: `ollama pull llama3.2`"),
        (NotReached("nobody listens there"), "x", "embedded", f"no Ollama at {HOST} (nobody listens there)"),
        ({"models": None}, "x", "embedded", "something else than a list of models"),
        (["surprise"], "x", "embedded", "something else than a list of models"),
    ],
)
async def test_without_a_key(tags: Any, model: str, provider: str, reason: str) -> None:
    choice = await choose(Endpoints(ollama_model=model), fetch=FakeServers(tags=tags))
    assert choice.provider == provider
    assert reason in choice.reason
    assert choice.server == (HOST if provider == "ollama" else "")


@pytest.mark.parametrize(
    ("key", "setting", "choice"),
    [
        (True, "auto", Choice("groq", "Groq, because GROQ_API_KEY is set", "https://api.groq.com")),
        (True, "embedded", Choice("embedded", "embedded, because LOOKAHEAD_AUTO=embedded")),
        (True, "ollama", Choice("ollama", "Ollama, because LOOKAHEAD_AUTO=ollama", HOST)),
        (False, "groq", Choice("groq", "Groq, because LOOKAHEAD_AUTO=groq", "https://api.groq.com")),
    ],
)
async def test_no_server_is_asked_where_there_is_nothing_to_find_out(key: bool, setting: Auto, choice: Choice) -> None:
    servers = FakeServers(tags=pulled("llama3.2:3b"))
    assert await choose(Endpoints(groq_api_key=SecretStr("k") if key else None), setting, fetch=servers) == choice
    assert servers.asked == []


async def test_it_is_asked_once_however_many_want_to_know() -> None:
    servers = FakeServers(tags=pulled("x"))
    models = ChatModels(lambda: Settings(lookahead_auto="auto"), servers)
    assert await asyncio.gather(*(models.get("planner", "auto") for _ in range(20))) == [None] * 20
    assert servers.asked == ["/api/tags"]


@pytest.mark.parametrize(("length", "window"), [(4096, 4096), (131_072, 8192), (None, 8192)])
async def test_the_window_is_no_larger_than_the_model_of_ollama_has(length: int | None, window: int) -> None:
    servers = FakeServers(show={"model_info": {"general.architecture": "llama", "llama.context_length": length}})
    models = ChatModels(Settings, servers)
    chats = await asyncio.gather(*(models.get("planner", "ollama") for _ in range(3)))
    assert {chat.window for chat in chats if chat} == {window}
    assert servers.asked == ["/api/show"]
    await models.close()


async def test_an_ollama_that_is_down_is_no_error_before_it_is_needed() -> None:
    servers = FakeServers()
    models = ChatModels(Settings, servers)
    first = await models.get("planner", "ollama:x")
    second = await models.get("planner", "ollama:x")
    assert first is second
    assert first is not None
    assert (first.name, first.window, servers.asked) == ("ollama:x", 8192, ["/api/show"])
    servers.said["/api/show"] = {"model_info": {"llama.context_length": 2048}}
    models._ask_again.clear()  # the time has passed
    later = await models.get("planner", "ollama:x")
    assert later is not None
    assert (later.window, later.health) == (2048, first.health)
    await models.close()


def test_each_loop_has_clients_of_its_own_which_are_closed_with_it() -> None:
    models = ChatModels(lambda: Settings(groq_api_key=SecretStr("k")))

    async def use() -> Any:
        planner, synthesizer = await models.get("planner", "groq"), await models.get("synthesizer", "groq")
        assert planner is not None
        assert synthesizer is not None
        assert planner.model.http_async_client is synthesizer.model.http_async_client  # type: ignore[attr-defined]
        return planner

    first, second = asyncio.run(use()), asyncio.run(use())
    assert first.model is not second.model
    assert first.health is second.health
    assert first.model.http_async_client.is_closed


async def test_a_model_that_was_handed_in_is_auto_and_has_one_health() -> None:
    deps = Deps(model=ScriptedChatModel(answers=[]))
    planner, again = await deps.chat_model("planner", "auto"), await deps.chat_model("synthesizer", "model")
    assert planner is not None
    assert planner is again
    assert await deps.auto_choice("auto", "auto") is None


@pytest.fixture
def groq_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` is Groq, but a scripted model answers in its place."""

    def scripted(name: str, role: str, endpoints: Endpoints, **_: Any) -> ChatModel:
        return ChatModel(name, ScriptedChatModel(answers=["no plan"]))

    async def nothing(chat: Any) -> None:
        pass

    monkeypatch.setenv("LOOKAHEAD_AUTO", "auto")
    monkeypatch.setenv("GROQ_API_KEY", "gsk_0123456789abcdef")
    monkeypatch.setattr("nodes.chat_models.make_chat_model", scripted)
    monkeypatch.setattr("nodes.chat_models.close_chat_model", nothing)


@pytest.mark.usefixtures("groq_chosen")
@pytest.mark.parametrize(("planner", "told"), [("auto", True), ("embedded", False)])
def test_the_command_says_once_who_gets_the_question(
    planner: str, told: bool, sample_store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Session(sample_store, Context(planner=planner, synthesizer="embedded")) as session:
        results = [session.ask("Where was the author of The Old Man and the Sea born?") for _ in range(2)]
    note = "Groq, because GROQ_API_KEY is set: the question and the passages found are sent to https://api.groq.com"
    assert capsys.readouterr().err.count(note) == told
    assert [r["models"].get("auto") for r in results] == ["Groq, because GROQ_API_KEY is set" if told else None] * 2


async def test_a_missing_key_is_refused_before_anything_is_searched() -> None:
    with pytest.raises(ModelError, match=r"^planner: 'groq:x' needs GROQ_API_KEY"):
        await build(Deps("nowhere")).ainvoke({"question": "q"}, context=Context(planner="groq:x"))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("LOOKAHEAD_AUTO", "gorq", "LOOKAHEAD_AUTO='gorq' cannot be used: Input should be 'auto', 'embedded', "),
        ("OLLAMA_NUM_CTX", "abc", "OLLAMA_NUM_CTX='abc' cannot be used"),
        ("OLLAMA_NUM_CTX", "0", "OLLAMA_NUM_CTX='0' cannot be used"),
        ("OLLAMA_HOST", "ftp://x", "OLLAMA_HOST='ftp://x' is no address"),
    ],
)
def test_a_variable_that_cannot_be_used_is_one_sentence(
    variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError, match=f"^environment: {said}"):
        Settings().endpoints()


def test_settings_show_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", " secret-key ")
    monkeypatch.setenv("OLLAMA_API_KEY", "secret-token")
    monkeypatch.setenv("OLLAMA_HOST", "https://me:secret-word@gpu.lan")
    settings = Settings()
    assert "secret-" not in f"{settings!r} {settings} {settings.endpoints()!r}"
    assert settings.endpoints().groq_api_key == SecretStr("secret-key")


def test_a_blank_key_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "  ")
    assert Settings().endpoints().groq_api_key is None
