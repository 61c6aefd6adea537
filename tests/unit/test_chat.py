"""A chat model as planner and synthesizer: the ladder, what is counted, what is said when it fails."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from pydantic import SecretStr

from models.chat import ChatError, ChatModel, model_name
from models.chat_errors import explain, is_final, redact
from models.chat_planner import ChatPlanner
from models.chat_synthesizer import ChatSynthesizer
from models.planner import Planned, PlanOptions
from models.scripted import ScriptedChatModel
from models.synthesizer import SynthesisInput
from stores.errors import ModelError
from tests.fakes import impatient

QUESTION = "Where was the director of Big Stone Gap born?"
NODES = [
    {"id": "n1", "op": "lookup", "query": "director of Big Stone Gap", "depends_on": [], "confidence": 0.9},
    {"id": "n2", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"], "confidence": 0.8},
]
PLAN = json.dumps({"nodes": NODES})
ANSWER = "Answer: Roseto\nAdriana Trigiani was born in Roseto [n2.1]."


class StatusError(Exception):
    """An error of a provider's client."""

    def __init__(self, status: int, message: str = "no") -> None:
        super().__init__(message)
        self.status_code = status


async def planned(model: Any, max_nodes: int = 8) -> Planned:
    chat = model if isinstance(model, ChatModel) else impatient(model)
    return await ChatPlanner(chat).plan(QUESTION, titles=["Big Stone Gap"], max_nodes=max_nodes)


def given() -> SynthesisInput:
    return SynthesisInput(question=QUESTION, plan={"nodes": []}, evidence=[], bound_queries={}, bindings={})


class TestLadder:
    async def test_the_providers_json_schema_comes_first(self) -> None:
        model = ScriptedChatModel(answers=[PLAN])
        plan = await planned(model)
        assert plan["rung"] == "json_schema"
        assert [n["query"] for n in plan["plan"]["nodes"]] == [n["query"] for n in NODES]
        assert plan["warnings"] == []
        assert model.options[0]["response_format"]["type"] == "json_schema"

    async def test_json_mode_where_there_is_no_schema(self) -> None:
        model = ScriptedChatModel(answers=[PLAN], supports=frozenset({"json_mode"}))
        plan = await planned(model)
        assert (plan["rung"], plan["warnings"]) == ("json_mode", [])
        assert model.options[0]["response_format"] == {"type": "json_object"}

    @pytest.mark.parametrize(
        "model", [ScriptedChatModel(answers=[PLAN], supports=frozenset()), FakeListChatModel(responses=[PLAN])]
    )
    async def test_plain_text_where_there_is_neither(self, model: Any) -> None:
        plan = await planned(model)
        assert plan["rung"] == "tolerant"
        assert plan["usage"]["llm_calls"] == 1

    async def test_a_fenced_plan_is_read_and_not_asked_for_again(self) -> None:
        plan = await planned(ScriptedChatModel(answers=[f"Sure:\n```json\n{PLAN}\n```"]))
        assert (plan["rung"], plan["usage"]["llm_calls"]) == ("tolerant", 1)

    async def test_half_a_plan_is_a_plan(self) -> None:
        plan = await planned(ScriptedChatModel(answers=[PLAN[: PLAN.index("birthplace")]]))
        assert [n["id"] for n in plan["plan"]["nodes"]] == ["n1"]
        assert plan["rung"] == "tolerant"

    async def test_a_rung_that_is_refused_costs_a_call_and_is_told(self) -> None:
        plan = await planned(ScriptedChatModel(answers=[StatusError(400, "no response_format"), PLAN]))
        assert plan["rung"] == "json_mode"
        assert plan["usage"]["by_reason"] == {"plan": 2}
        assert "no response_format" in plan["warnings"][0]

    async def test_a_call_of_a_tool_with_the_plan_will_do(self) -> None:
        class ToolModel(ScriptedChatModel):
            """Knows tools only; langchain-core makes structured output of them."""

            def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
                return super(ScriptedChatModel, self).with_structured_output(schema, **kwargs)

            def bind_tools(self, tools: Sequence[BaseTool | Any], **kwargs: Any) -> Any:
                return self.bind(tools=tools)

        call = {"name": "search_plan", "args": {"nodes": NODES}, "id": "1"}
        plan = await planned(ToolModel(answers=[AIMessage("", tool_calls=[call])]))
        assert (plan["rung"], len(plan["plan"]["nodes"])) == ("json_schema", 2)

    @pytest.mark.parametrize("text", ["", "I cannot help with that.", '{"nodes": []}', "[[[[", '{"nodes": [7, null]}'])
    async def test_a_bad_plan_is_replaced_and_not_asked_for_again(self, text: str) -> None:
        plan = await planned(ScriptedChatModel(answers=[text]))
        assert plan["rung"] == "embedded"
        assert plan["plan"]["nodes"]
        assert plan["usage"]["llm_calls"] == 1
        assert "'scripted' wrote no plan that can be run" in plan["warnings"][0]

    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (ConnectionError("refused"), "check that its server is running"),
            (TimeoutError(), "failed with TimeoutError"),
            (StatusError(401, "bad key gsk_abcdefghijkl0123"), "bad key ***; check its API key"),
            (StatusError(404), "check the model's name"),
            (StatusError(429), "wait, or take another model"),
            (StatusError(503), "try again later"),
            (ValueError("what?"), "ValueError: what?"),
            (RuntimeError("what?"), "RuntimeError: what?"),
        ],
    )
    async def test_any_error_becomes_the_embedded_plan_and_a_warning(self, error: Exception, told: str) -> None:
        plan = await planned(ScriptedChatModel(answers=lambda _: error))
        assert plan["rung"] == "embedded"
        [warning] = plan["warnings"]
        assert warning.startswith("the embedded plan stands in: 'scripted' failed with")
        assert told in warning

    @pytest.mark.parametrize(("error", "rungs"), [(StatusError(401), 1), (StatusError(429), 1), (ValueError(), 3)])
    async def test_another_way_of_asking_is_tried_only_where_it_may_help(self, error: Exception, rungs: int) -> None:
        plan = await planned(ScriptedChatModel(answers=lambda _: error))
        assert plan["usage"]["by_reason"]["plan"] == rungs

    async def test_a_plan_refused_for_its_form_is_read_and_not_asked_for_again(self) -> None:
        refused = StatusError(400, "json_validate_failed")
        refused.body = {"error": {"code": "json_validate_failed", "failed_generation": f"Sure! {PLAN[:-2]}"}}  # type: ignore[attr-defined]
        plan = await planned(ScriptedChatModel(answers=[refused]))
        assert (plan["rung"], [n["id"] for n in plan["plan"]["nodes"]]) == ("tolerant", ["n1", "n2"])
        assert plan["usage"]["llm_calls"] == 1
        assert "json_validate_failed" in plan["warnings"][0]

    async def test_what_is_no_plan_in_a_refusal_is_asked_for_again(self) -> None:
        refused = StatusError(400, "json_validate_failed")
        refused.body = {"error": {"failed_generation": "I cannot."}}  # type: ignore[attr-defined]
        assert (await planned(ScriptedChatModel(answers=[refused, PLAN])))["rung"] == "json_mode"

    async def test_options_of_the_schema_go_with_the_schema_alone(self) -> None:
        model = ScriptedChatModel(answers=[ValueError("no"), PLAN])
        await planned(impatient(model, schema_options={"strict": True}))
        assert [options.get("strict") for options in model.options] == [True, None]

    @pytest.mark.parametrize(("name", "bounded"), [("ollama:tiny", True), ("groq:x", False), ("scripted", False)])
    async def test_a_schema_with_bounds_goes_to_those_that_take_it(self, name: str, bounded: bool) -> None:
        model = ScriptedChatModel(answers=[PLAN])
        await planned(ChatModel(name, model))
        nodes = model.options[0]["response_format"]["json_schema"]["properties"]["nodes"]
        assert nodes.get("maxItems") == (8 if bounded else None)

    async def test_what_is_wrong_in_a_plan_is_repaired_and_told(self) -> None:
        nodes = [*NODES, {**NODES[1], "id": "n3", "depends_on": ["n1", "n9"]}]
        plan = await planned(ScriptedChatModel(answers=[json.dumps({"nodes": nodes})]), max_nodes=2)
        assert len(plan["plan"]["nodes"]) == 2
        assert plan["warnings"]


class TestErrors:
    @pytest.mark.parametrize(
        "secret",
        ["gsk_AbCd1234567890", "sk-proj-abc_def-123456", "Bearer eyJhbGciOi.x.y", "api_key=hunter22", "https://u:pw@h"],
    )
    def test_nothing_like_a_key_is_told(self, secret: str) -> None:
        told = redact(f"Invalid: {secret} was given")
        assert secret.removeprefix("Bearer ").removeprefix("api_key=").removeprefix("https://")[:6] not in told
        assert "***" in told
        assert "was given" in told

    def test_a_models_own_secrets_are_not_told_whatever_they_look_like(self) -> None:
        class Keyed(ScriptedChatModel):
            key: SecretStr = SecretStr("open sesame")

        assert explain("m", ValueError("'open sesame' is wrong"), Keyed()).startswith(
            "'m' failed with ValueError: '***' is wrong; "
        )

    def test_ordinary_words_are_told(self) -> None:
        text = "The skeleton of the framework asks for a token: basic task-force rk4 pk"
        assert redact(text.replace("token: ", "")) == text.replace("token: ", "")

    def test_a_dead_server_is_known_behind_the_clients_own_error(self) -> None:
        class APIConnectionError(Exception):
            """Of a client generated as those of Groq and OpenAI."""

        wrapped = RuntimeError("wrapped")
        wrapped.__cause__ = ConnectionRefusedError()
        assert is_final(APIConnectionError("Connection error."))
        assert is_final(wrapped)
        assert not is_final(StatusError(400))

    def test_a_long_message_is_cut(self) -> None:
        assert len(explain("m", ValueError("x" * 10_000))) < 400


class TestSynthesizer:
    async def test_it_streams_the_explanation_and_counts(self) -> None:
        pieces: list[str] = []
        wrote = await ChatSynthesizer(ScriptedChatModel(answers=[ANSWER])).synthesize(given(), emit=pieces.append)
        assert (wrote["answer"], wrote["sufficient"]) == ("Roseto", True)
        assert len(pieces) > 3
        assert "".join(pieces) == wrote["explanation"] == "Adriana Trigiani was born in Roseto [n2.1]."
        assert wrote["usage"]["by_reason"] == {"synthesize": 1}
        assert wrote["usage"]["completion_tokens"] == 9
        assert wrote["usage"]["prompt_tokens"] > 100

    async def test_a_model_that_cannot_stream_answers_too(self) -> None:
        class Whole(ScriptedChatModel):
            """Has neither _stream nor _astream."""

            _stream = BaseChatModel._stream
            _astream = BaseChatModel._astream

        wrote = await ChatSynthesizer(Whole(answers=[ANSWER])).synthesize(given(), emit=lambda _: None)
        assert wrote["answer"] == "Roseto"

    @pytest.mark.parametrize(
        "answer", [ConnectionError("gone"), ["Answer: Ro", ConnectionError("gone")], "", "word " * 100]
    )
    async def test_a_failure_is_one_model_error_with_its_usage(self, answer: Any) -> None:
        with pytest.raises(ChatError, match="'scripted'") as failed:
            await ChatSynthesizer(impatient(ScriptedChatModel(answers=lambda _: answer))).synthesize(
                given(), emit=lambda _: None
            )
        assert isinstance(failed.value, ModelError)
        assert failed.value.usage["by_reason"]["synthesize"] == 1

    def test_a_model_is_called_by_its_name(self) -> None:
        assert model_name(ScriptedChatModel(model_name="openai/gpt-oss-20b")) == "openai/gpt-oss-20b"
        assert model_name(FakeListChatModel(responses=[])) == "FakeListChatModel"


async def test_sampled_plans_are_compared_by_words_when_the_embedder_fails() -> None:
    async def embed(texts: Sequence[str]) -> Any:
        raise OSError("no file")

    model = ScriptedChatModel(answers=[PLAN] * 3)
    plan = await ChatPlanner(model, embed=embed).plan(QUESTION, titles=[], max_nodes=8, options=PlanOptions(samples=3))
    assert (plan["rung"], plan["usage"]["llm_calls"]) == ("json_schema", 3)
    assert "the embedder failed with OSError: no file" in plan["warnings"][0]


async def test_a_prompt_that_was_cut_is_said_to_be() -> None:
    chat = ChatModel("ollama:x", ScriptedChatModel(answers=[PLAN]), window=100)
    plan = await ChatPlanner(chat).plan(QUESTION, titles=[], max_nodes=8)
    assert plan["rung"] == "json_schema"
    assert "tokens of the planning prompt; set a larger OLLAMA_NUM_CTX" in plan["warnings"][0]
