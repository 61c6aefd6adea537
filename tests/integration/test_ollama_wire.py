"""Ollama's client against the loopback server: what it sends is taken, and each thing that Ollama says is understood.

Plans go through ChatPlanner, answers through ChatSynthesizer. Faults that every server has are in test_model_faults.py,
the real Ollama in test_ollama_server.py.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from langchain_ollama import ChatOllama

from models.chat import ChatError
from prompts.planning import PLAN_SCHEMA
from tests.integration import wire_ollama as wire
from tests.integration.wire_http import Reply, Request, Script, in_order
from tests.integration.wire_ollama import CAPABILITIES, MODEL, refusal
from tests.integration.wire_server import WireServer
from tests.integration.wire_talk import ANSWER, NODES, PLAN, answered, planned, talk


@asynccontextmanager
async def ollama(script: Script, model: str = MODEL, **options: Any) -> AsyncIterator[tuple[ChatOllama, WireServer]]:
    """The real client, sent to a loopback server."""
    async with asyncio.timeout(30), wire.serve(script) as server:
        client = ChatOllama(model=model, base_url=server.url, num_ctx=8192, **options)
        try:
            yield client, server
        finally:
            await client._async_client._client.aclose()
            client._client._client.close()


class TestPlan:
    async def test_the_schema_and_the_window_are_sent_and_the_tokens_counted(self) -> None:
        async with ollama(talk(wire)) as (client, server):
            plan = await planned(client)
        assert (plan["rung"], plan["warnings"]) == ("json_schema", [])
        assert [node["query"] for node in plan["plan"]["nodes"]] == [node["query"] for node in NODES]
        assert (plan["usage"]["prompt_tokens"], plan["usage"]["completion_tokens"]) == (1180, 96)
        [request] = server.requests
        assert request.json["format"]["required"] == PLAN_SCHEMA["required"]
        assert request.json["options"]["num_ctx"] == 8192

    @pytest.mark.parametrize(
        ("says", "rung"),
        [
            (lambda r: wire.say(r, PLAN, usage=None), "json_schema"),
            (lambda r: wire.say(r, PLAN, reasoning='{"nodes": [{"query": "a thought"}]}'), "json_schema"),
            (f"<think>Two hops? {NODES[0]}</think>\n{PLAN}", "json_schema"),
            (lambda r: wire.say(r, PLAN[:-30], finish_reason="length"), "tolerant"),
            (lambda r: replace(wire.say(r, PLAN), content_type="text/plain"), "json_schema"),
            (lambda r: wire.stream(r, [], tool_calls=[wire.tool_call("search_plan", {"nodes": NODES})]), "json_schema"),
            (lambda r: wire.say(r, PLAN, done=0), "json_schema"),
            (lambda r: wire.say(r, PLAN, done=3), "json_schema"),
        ],
        ids=["no counts", "thinking", "think", "length", "plain", "tool", "no last line", "three last lines"],
    )
    async def test_any_form_of_a_plan_is_read_at_once(self, says: Any, rung: str) -> None:
        async with ollama(talk(wire, plan=says)) as (client, server):
            plan = await planned(client)
        assert plan["rung"] == rung
        assert plan["plan"]["nodes"][0]["query"] == NODES[0]["query"]
        assert len(server.requests) == 1

    async def test_a_model_that_was_only_loaded_has_planned_nothing(self) -> None:
        async with ollama(lambda r: wire.stream(r, [], finish_reason="load")) as (client, _):
            plan = await planned(client)
        assert plan["rung"] == "embedded"
        assert repr(MODEL) in plan["warnings"][0]

    @pytest.mark.parametrize(
        ("model", "reply", "told"),
        [
            ("llama9:70b", None, ["llama9:70b", "not found"]),
            ("nomic-embed-text", None, ["nomic-embed-text", "does not support chat"]),
            (MODEL, wire.error(401, "unauthorized"), [MODEL, "unauthorized"]),
        ],
        ids=["not pulled", "no chat", "401"],
    )
    async def test_what_no_second_try_can_change(self, model: str, reply: Reply | None, told: list[str]) -> None:
        async with ollama(in_order(reply) if reply else talk(wire), model) as (client, server):
            plan = await planned(client)
        assert plan["rung"] == "embedded"
        assert all(text in plan["warnings"][0] for text in told)
        asked = [request.body for request in server.requests]
        assert len(asked) == len(set(asked))  # at most one call for each way of asking


class TestAnswer:
    async def test_it_is_streamed_and_its_tokens_counted(self) -> None:
        async with ollama(talk(wire)) as (client, server):
            synthesis, pieces = await answered(client)
        assert synthesis["answer"] == "Oak Park"
        assert "".join(pieces) == synthesis["explanation"] == "Ernest Hemingway was born in Oak Park [n2.1]."
        assert len(pieces) > 2
        assert (synthesis["usage"]["prompt_tokens"], synthesis["usage"]["completion_tokens"]) == (1180, 96)
        assert server.requests[0].json["stream"] is True

    @pytest.mark.parametrize(
        "options",
        [{"usage": None}, {"reasoning": "Answer: Paris"}, {"done": 0}, {"finish_reason": "length"}],
        ids=["no counts", "thinking", "no last line", "length"],
    )
    async def test_odd_streams_are_answers_too(self, options: Any) -> None:
        async with ollama(lambda r: wire.say(r, ANSWER, **options)) as (client, _):
            synthesis, _ = await answered(client)
        assert synthesis["answer"] == "Oak Park"

    async def test_thoughts_aloud_are_no_answer(self) -> None:
        async with ollama(lambda r: wire.say(r, f"<think>Answer: Paris\nBut no.</think>\n{ANSWER}")) as (client, _):
            synthesis, pieces = await answered(client)
        assert synthesis["answer"] == "Oak Park"
        assert "".join(pieces) == "Ernest Hemingway was born in Oak Park [n2.1]."

    async def test_an_error_in_the_middle_of_a_stream_is_told(self) -> None:
        def breaks(request: Request) -> Reply:
            begun = wire.stream(request, ["Answer: Oak"]).pieces[:1]
            return wire.ndjson([*begun, wire.error_line("an error was encountered while running the model")])

        async with ollama(breaks) as (client, _):
            with pytest.raises(ChatError, match=r"llama3.2:3b.*error was encountered"):
                await answered(client)


class TestServer:
    """What it refuses, or the other tests would prove little."""

    @pytest.mark.parametrize(
        ("change", "status"),
        [
            (lambda body: body.pop("model"), 400),
            (lambda body: body.update(model=3), 400),
            (lambda body: body.update(messages="hello"), 400),
            (lambda body: body.update(messages=[{"content": "hello"}]), 400),
            (lambda body: body.update(messages=[{"role": "user", "content": ["hello"]}]), 400),
            (lambda body: body.update(stream="yes"), 400),
            (lambda body: body.update(think=True), 400),
            (lambda body: body.update(model="nomic-embed-text"), 400),
            (lambda body: body.update(format="yaml"), 500),
            (lambda body: body.update(options={"num_ctx": "8k"}), 500),
            (lambda body: body.update(model="gpt-9"), 404),
        ],
    )
    def test_what_ollama_refuses_is_refused(self, change: Callable[[dict[str, Any]], Any], status: int) -> None:
        body = {"model": MODEL, "messages": [{"role": "user", "content": "hello"}], "format": "json"}
        assert refusal(request(body)) is None
        change(body)
        refused = refusal(request(body))
        assert refused is not None
        assert refused.status == status

    async def test_its_models_are_listed_and_shown(self) -> None:
        async with ollama(talk(wire)) as (client, _):
            listed = await client._async_client.list()
            shown = await client._async_client.show(MODEL)
        assert {model.model for model in listed.models} == set(CAPABILITIES)
        assert shown.capabilities == ["completion", "tools"]
        assert (shown.modelinfo or {})["llama.context_length"] == 131_072


def request(body: dict[str, Any]) -> Request:
    return Request("POST", "/api/chat", {}, json.dumps(body).encode(), 0.0, 1)
