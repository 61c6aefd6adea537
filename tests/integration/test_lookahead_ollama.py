"""The whole pipeline on a real Ollama, whose model writes noise: valid JSON under a schema, no sense otherwise."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from graph.api import aask, astream
from graph.results import Result
from nodes.deps import Deps
from prompts.plan import PlanGraph
from tests.integration.ollama_server import OllamaServer

QUESTION = "Where was the author of The Old Man and the Sea born?"
TINY = "ollama:tiny"


@pytest.fixture
async def deps(sample_store: str, ollama: OllamaServer) -> AsyncIterator[Deps]:
    async with Deps(sample_store) as deps:
        yield deps


async def ask(deps: Deps, question: str = QUESTION, **settings: Any) -> Result:
    return await aask(
        question, deps=deps, **{"planner": TINY, "synthesizer": "embedded", "fallback": False, **settings}
    )


def said(result: Result) -> str:
    return "\n".join(result["warnings"])


async def test_a_plan_under_the_schema_is_run(deps: Deps) -> None:
    result = await ask(deps)
    assert (result["plan"]["planner"], result["plan"]["rung"]) == (TINY, "json_schema")
    assert PlanGraph(question=QUESTION, nodes=result["plan"]["nodes"]).nodes
    assert result["usage"]["by_reason"] == {"plan": 1}
    assert result["usage"]["prompt_tokens"] > 1000
    assert result["usage"]["cost_usd"] == result["usage"]["unpriced_calls"] == 0
    assert [hop["id"] for hop in result["hops"]] == ["n0", *result["pruning"]["kept"]]


async def test_what_is_written_of_a_plan_is_told_and_searched_before_the_rest(deps: Deps) -> None:
    """Some of the noise is told only when it is complete, such as a node that waits for itself."""
    seen: list[list[str]] = []
    for number in range(10):
        asked = astream(f"{QUESTION} ({number})", deps=deps, planner=TINY, synthesizer="embedded", fallback=False)
        events = [event async for event in asked]
        seen.append([event["type"] for event in events if event["type"] in ("plan", "plan_node")])
        if seen[-1][0] == "plan_node":
            break
    assert seen[-1][0] == "plan_node", seen
    assert seen[-1][-1] == "plan"


async def test_an_answer_without_sense_is_replaced_and_its_call_counted(deps: Deps) -> None:
    result = await ask(deps, planner="embedded", synthesizer=TINY)
    assert result["answer"]
    assert result["usage"]["by_reason"]["synthesize"] == 1
    assert result["usage"]["completion_tokens"] > 0
    if result["models"]["synthesizer"] == "embedded":
        assert f"the embedded answer stands in: {TINY!r}" in said(result)


async def test_a_model_that_is_not_pulled_is_named_with_its_remedy(deps: Deps) -> None:
    result = await ask(deps, planner="ollama:nope", synthesizer="ollama:nope")
    assert result["answer"].startswith("Oak Park")
    assert said(result).count("`ollama pull nope`") == 2
    assert result["usage"]["by_reason"] == {"plan": 1, "synthesize": 1}


@pytest.mark.parametrize(("window", "told"), [("1024", "of which the prompt takes"), ("2048", "least relevant of")])
async def test_a_prompt_that_does_not_fit_the_window_is_said_to(
    window: str, told: str, sample_store: str, ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_NUM_CTX", window)
    async with Deps(sample_store) as deps:
        result = await ask(deps, planner="embedded", synthesizer=TINY)
    assert result["answer"].startswith("Oak Park")
    assert told in said(result)
    assert "OLLAMA_NUM_CTX" in said(result)


async def test_auto_takes_the_server_that_has_the_model(
    sample_store: str, ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAHEAD_AUTO", "auto")
    monkeypatch.setenv("OLLAMA_MODEL", "tiny")
    async with Deps(sample_store) as deps:
        result = await ask(deps, planner="auto")
    assert result["models"]["planner"] == TINY
    assert ollama.address in result["models"]["auto"]


async def test_twenty_questions_at_once_are_all_answered(deps: Deps) -> None:
    async with asyncio.timeout(120):
        results = await asyncio.gather(*(ask(deps, f"{QUESTION} ({i})") for i in range(20)))
    assert all(result["answer"] for result in results)
    assert {result["plan"]["planner"] for result in results} == {TINY}


@pytest.fixture
async def own_server(ollama_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OllamaServer]:
    """A server with an address of its own: what is learnt about one that was killed stays with that address."""
    with OllamaServer(ollama_path, tmp_path) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        yield server


async def killed_while_planning(server: OllamaServer, store: str, *, again: bool) -> Result:
    """Ask; kill the server when the model is at work, and start it again or not."""
    async with Deps(store) as deps:
        asking = asyncio.create_task(ask(deps))
        async with httpx.AsyncClient() as client, asyncio.timeout(60):
            while not (await client.get(f"{server.address}/api/ps")).json()["models"]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert not asking.done()
        await asyncio.to_thread(server.kill)
        if again:
            await asyncio.to_thread(server.start)
        return await asking


async def test_a_server_killed_in_the_middle_costs_the_plan_not_the_answer(
    own_server: OllamaServer, sample_store: str
) -> None:
    result = await killed_while_planning(own_server, sample_store, again=False)
    assert result["answer"]
    if result["plan"]["rung"] == "embedded":
        assert "`ollama serve`" in said(result)
    else:  # the plan was complete just before
        assert result["usage"]["by_reason"] == {"plan": 1}


async def test_a_server_that_comes_back_is_asked_again(own_server: OllamaServer, sample_store: str) -> None:
    result = await killed_while_planning(own_server, sample_store, again=True)
    assert (result["plan"]["planner"], result["plan"]["rung"]) == (TINY, "json_schema")


async def test_the_next_question_after_a_restart_is_planned_by_the_model(
    own_server: OllamaServer, sample_store: str
) -> None:
    async with Deps(sample_store) as deps:
        assert (await ask(deps))["plan"]["rung"] == "json_schema"
        own_server.kill()
        own_server.start()
        assert (await ask(deps))["plan"]["rung"] == "json_schema"
