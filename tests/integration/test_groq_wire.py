"""Groq's client against the loopback server: what it sends is taken, and each thing that Groq says is understood.

Plans go through ChatPlanner, answers through ChatSynthesizer. Faults that every server has are in test_model_faults.py.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from langchain_groq import ChatGroq
from pydantic import SecretStr

from models.chat import ChatError
from prompts.planning import PLAN_SCHEMA
from tests.integration import wire_groq as wire
from tests.integration.wire_groq_rules import KEY, MODEL, MODELS, refusal
from tests.integration.wire_http import Reply, Request, Script, in_order
from tests.integration.wire_server import WireServer
from tests.integration.wire_talk import ANSWER, NODES, PLAN, answered, planned, talk

JSON_MODE_ONLY = "qwen/qwen3-32b"


@asynccontextmanager
async def groq(script: Script, model: str = MODEL, key: str = KEY) -> AsyncIterator[tuple[ChatGroq, WireServer]]:
    """The real client, sent to a loopback server."""
    async with asyncio.timeout(30), wire.serve(script) as server:
        client = ChatGroq(model_name=model, api_key=SecretStr(key), base_url=server.url, max_retries=0)
        try:
            yield client, server
        finally:
            await client.async_client._client.close()


class TestPlan:
    async def test_the_schema_is_sent_and_the_tokens_are_counted(self) -> None:
        async with groq(talk(wire)) as (client, server):
            plan = await planned(client)
        assert (plan["rung"], plan["warnings"]) == ("json_schema", [])
        assert [node["query"] for node in plan["plan"]["nodes"]] == [node["query"] for node in NODES]
        assert (plan["usage"]["prompt_tokens"], plan["usage"]["completion_tokens"]) == (1180, 96)
        [request] = server.requests
        assert request.json["response_format"]["json_schema"]["schema"]["required"] == PLAN_SCHEMA["required"]

    async def test_json_mode_where_the_model_takes_no_schema(self) -> None:
        async with groq(talk(wire), JSON_MODE_ONLY) as (client, server):
            plan = await planned(client)
        assert plan["rung"] == "json_mode"
        assert "does not support response format `json_schema`" in plan["warnings"][0]
        assert [r.json["response_format"]["type"] for r in server.requests] == ["json_schema", "json_object"]

    @pytest.mark.parametrize(
        ("says", "rung"),
        [
            (lambda r: wire.message(r, PLAN, usage=None), "json_schema"),
            (lambda r: wire.message(r, PLAN, reasoning='{"nodes": [{"query": "a thought"}]}'), "json_schema"),
            (f"<think>Two hops? {NODES[0]}</think>\n{PLAN}", "json_schema"),
            (f"Two hops.</think>{PLAN}", "json_schema"),
            (f"```json\n{PLAN}\n```", "tolerant"),
            (lambda r: wire.message(r, PLAN[:-30], finish_reason="length"), "tolerant"),
            (lambda r: replace(wire.message(r, PLAN), content_type="text/plain"), "json_schema"),
            pytest.param(
                lambda r: wire.message(r, [{"type": "text", "text": PLAN}]),
                "json_schema",
                # The client turns the message into a dict, and complains that content is no string.
                marks=pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
            ),
            (lambda r: wire.message(r, None, tool_calls=[wire.tool_call("search_plan", PLAN)]), "json_schema"),
            (lambda r: wire.message(r, "", tool_calls=[wire.tool_call("search_plan", PLAN[:-2])]), "tolerant"),
        ],
        ids=[
            "no usage",
            "reasoning",
            "think",
            "end of think",
            "fence",
            "cut",
            "plain",
            "blocks",
            "tool",
            "broken tool",
        ],
    )
    async def test_any_form_of_a_plan_is_read_at_once(self, says: Any, rung: str) -> None:
        async with groq(talk(wire, plan=says)) as (client, server):
            plan = await planned(client)
        assert plan["rung"] == rung
        assert plan["plan"]["nodes"][0]["query"] == NODES[0]["query"]
        assert len(server.requests) == 1

    async def test_a_plan_that_groq_refused_is_read_from_its_error(self) -> None:
        async with groq(in_order(wire.failed_generation(f"Here it is: {PLAN}"), talk(wire))) as (client, server):
            plan = await planned(client)
        assert (plan["rung"], len(plan["plan"]["nodes"])) == ("tolerant", 2)
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("options", "reply", "told"),
        [
            ({"key": "gsk_" + "x" * 40}, None, "GROQ_API_KEY"),
            ({"model": "llama3-70b-8192"}, None, "check the model's name"),
            ({}, wire.error(403, "Forbidden"), "GROQ_API_KEY"),
            ({}, wire.error(413, "Request too large", kind="tokens"), "smaller context_tokens"),
        ],
        ids=["401", "404", "403", "413"],
    )
    async def test_what_no_second_try_can_change_is_asked_once(
        self, options: Any, reply: Reply | None, told: str
    ) -> None:
        async with groq(in_order(reply) if reply else talk(wire), **options) as (client, server):
            plan = await planned(client)
        assert plan["rung"] == "embedded"
        assert told in plan["warnings"][0]
        assert len(server.requests) == 1


class TestAnswer:
    async def test_it_is_streamed_and_its_tokens_counted(self) -> None:
        async with groq(talk(wire)) as (client, server):
            synthesis, pieces = await answered(client)
        assert synthesis["answer"] == "Oak Park"
        assert "".join(pieces) == synthesis["explanation"] == "Ernest Hemingway was born in Oak Park [n2.1]."
        assert len(pieces) > 2
        assert (synthesis["usage"]["prompt_tokens"], synthesis["usage"]["completion_tokens"]) == (1180, 96)
        assert server.requests[0].json["stream"] is True

    @pytest.mark.parametrize(
        "options",
        [{"usage": None}, {"reasoning": "Answer: Paris"}, {"done": 0}, {"done": 3}],
        ids=["no usage", "reasoning", "no [DONE]", "three [DONE]"],
    )
    async def test_odd_streams_are_answers_too(self, options: Any) -> None:
        async with groq(lambda r: wire.say(r, ANSWER, **options)) as (client, _):
            synthesis, _ = await answered(client)
        assert synthesis["answer"] == "Oak Park"

    async def test_an_error_in_the_middle_of_a_stream_is_told(self) -> None:
        failed = b'event: error\ndata: {"error": {"message": "Over capacity", "type": "internal_server_error"}}\n\n'

        def breaks(request: Request) -> Reply:
            begun = wire.stream(request, ["Answer: Oak"]).pieces[:2]
            return wire.sse([*begun, failed])

        async with groq(breaks) as (client, _):
            with pytest.raises(ChatError, match=r"openai/gpt-oss-20b.*Over capacity"):
                await answered(client)


class TestServer:
    """What it refuses, or the other tests would prove little."""

    @pytest.mark.parametrize(
        ("change", "status"),
        [
            (lambda body: body.pop("model"), 400),
            (lambda body: body.pop("messages"), 400),
            (lambda body: body.update(messages=[]), 400),
            (lambda body: body.update(messages=[{"role": "bot", "content": "json"}]), 400),
            (lambda body: body.update(messages=[{"role": "user", "content": None}]), 400),
            (lambda body: body.update(temperature="hot"), 400),
            (lambda body: body.update(n=2), 400),
            (lambda body: body.update(stream=True), 400),
            (lambda body: body.update(messages=[{"role": "user", "content": "hello"}]), 400),
            (lambda body: body.update(response_format={"type": "xml"}), 400),
            (lambda body: body.update(response_format=strict({"type": "object", "properties": {}})), 400),
            (lambda body: body.update(response_format=strict({**PLAN_SCHEMA, "required": []})), 400),
            (lambda body: body.update(model="gpt-9"), 404),
        ],
    )
    def test_what_groq_refuses_is_refused(self, change: Callable[[dict[str, Any]], Any], status: int) -> None:
        body = {"model": MODEL, "messages": [{"role": "user", "content": "JSON"}], "response_format": JSON}
        assert refusal(request(body)) is None
        change(body)
        assert (refusal(request(body)) or [0])[0] == status

    def test_the_plans_schema_is_strict(self) -> None:
        body = {"model": MODEL, "messages": [{"role": "user", "content": "x"}], "response_format": strict(PLAN_SCHEMA)}
        assert refusal(request(body)) is None

    @pytest.mark.parametrize("header", ["", "Bearer ", f"Bearer {KEY}x", KEY])
    def test_without_the_key_nothing_is_told(self, header: str) -> None:
        assert (refusal(request({}, header)) or [0])[0] == 401

    async def test_its_models_are_listed(self) -> None:
        async with groq(talk(wire)) as (client, _):
            listed = await client.async_client._client.models.list()
        assert {model.id for model in listed.data} == set(MODELS)


JSON = {"type": "json_object"}


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "plan", "strict": True, "schema": schema}}


def request(body: dict[str, Any], authorization: str = f"Bearer {KEY}") -> Request:
    headers = {"authorization": authorization, "content-type": "application/json"}
    return Request("POST", "/openai/v1/chat/completions", headers, json.dumps(body).encode(), 0.0, 1)
