"""A plan told while it is written, and several plans compared."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from models.chat_planner import SAMPLE_TEMPERATURE, ChatPlanner
from models.planner import Planned, PlanOptions
from models.scripted import ScriptedChatModel
from prompts.plan import PlanNode
from tests.fakes import impatient

QUESTION = "Where was the director of Big Stone Gap born?"
N1 = {"id": "n1", "op": "lookup", "query": "director of Big Stone Gap", "depends_on": [], "confidence": 0.9}
N2 = {"id": "n2", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"], "confidence": 0.8}
PLAN = json.dumps({"nodes": [N1, N2]})
HALF = PLAN[: PLAN.index("birthplace")]


async def streamed(model: Any, **fields: Any) -> tuple[Planned, list[PlanNode]]:
    told: list[PlanNode] = []
    planner = ChatPlanner(impatient(model, **fields))
    planned = await planner.plan(QUESTION, titles=[], max_nodes=8, options=PlanOptions(on_node=told.append))
    return planned, told


async def sampled(answers: Sequence[Any], **options: Any) -> Planned:
    planner = ChatPlanner(impatient(ScriptedChatModel(answers=answers)), **options)
    return await planner.plan(QUESTION, titles=[], max_nodes=8, options=PlanOptions(samples=len(answers)))


class TestStreaming:
    async def test_nodes_are_told_and_the_plan_is_the_same(self) -> None:
        planned, told = await streamed(ScriptedChatModel(answers=[PLAN]))
        whole = await ChatPlanner(ScriptedChatModel(answers=[PLAN])).plan(QUESTION, titles=[], max_nodes=8)
        assert planned == whole
        assert [node.model_dump() for node in told] == planned["plan"]["nodes"]

    async def test_a_node_is_told_before_the_plan_is_there(self) -> None:
        planned, told = await streamed(ScriptedChatModel(answers=lambda _: [HALF, ValueError("cut")]))
        assert [node.id for node in told] == ["n1"]
        assert planned["rung"] == "embedded"

    async def test_a_call_made_again_tells_nothing_twice(self) -> None:
        planned, told = await streamed(ScriptedChatModel(answers=[[HALF, ConnectionError("gone")], PLAN]))
        assert [node.id for node in told] == ["n1", "n2"]
        assert planned["usage"]["llm_calls"] == 2

    async def test_a_model_that_cannot_stream_plans_all_the_same(self) -> None:
        class Whole(ScriptedChatModel):
            _stream = BaseChatModel._stream
            _astream = BaseChatModel._astream

        planned, told = await streamed(Whole(answers=[PLAN]))
        assert (planned["rung"], planned["usage"]["prompt_tokens"] > 0, told) == ("json_schema", True, [])

    async def test_json_is_not_streamed_from_a_server_that_refuses_that(self) -> None:
        class Strict(ScriptedChatModel):
            async def _astream(self, *args: Any, **kwargs: Any) -> Any:
                raise ValueError("json_schema cannot be streamed")
                yield

        planned, _ = await streamed(Strict(answers=[PLAN]), streams_json=False)
        assert (planned["rung"], planned["usage"]["llm_calls"]) == ("json_schema", 1)

    async def test_the_arguments_of_a_tools_call_are_read_while_they_are_written(self) -> None:
        class Tools(ScriptedChatModel):
            """Knows tools only; langchain-core makes structured output of them."""

            def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
                return super(ScriptedChatModel, self).with_structured_output(schema, **kwargs)

            def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
                return self.bind(tools=tools)

        call = {"name": "search_plan", "args": {"nodes": [N1, N2]}, "id": "1"}
        planned, told = await streamed(Tools(answers=[AIMessage("", tool_calls=[call])]))
        assert ([node.id for node in told], len(planned["plan"]["nodes"])) == (["n1", "n2"], 2)


class TestSampling:
    async def test_what_few_plans_hold_is_trusted_less(self) -> None:
        alone = json.dumps({"nodes": [N1]})
        planned = await sampled([PLAN, PLAN, alone, PLAN])
        assert [n["confidence"] for n in planned["plan"]["nodes"]] == pytest.approx([0.9, 0.6])
        assert planned["entropy"] == pytest.approx(0.8113, abs=1e-4)
        assert planned["usage"]["by_reason"] == {"plan": 1, "plan (sample)": 3}
        assert planned["warnings"] == []

    async def test_samples_that_cannot_be_read_are_counted_and_told(self) -> None:
        planned = await sampled(["no plan", PLAN, PLAN])
        assert [n["confidence"] for n in planned["plan"]["nodes"]] == [0.9, 0.8]
        assert planned["warnings"][0].startswith("2 of 3 sampled plans could be read: 'scripted' wrote no plan")

    async def test_one_plan_that_can_be_read_says_nothing_of_disagreement(self) -> None:
        planned = await sampled(["no plan", PLAN])
        assert (planned["rung"], planned["entropy"]) == ("json_schema", None)

    async def test_none_that_can_be_read_leave_the_embedded_plan(self) -> None:
        planned = await sampled(["no", "nor", "neither"])
        assert (planned["rung"], planned["usage"]["llm_calls"]) == ("embedded", 3)

    async def test_plans_are_compared_by_meaning_where_there_are_vectors(self) -> None:
        async def embed(texts: Sequence[str]) -> Any:
            return np.array([[1.0, 0.1 * ("film" in text)] for text in texts], dtype=np.float32)

        other = json.dumps({"nodes": [{**N1, "query": "who made that film"}]})
        assert (await sampled([other, other], embed=embed))["plan"]["nodes"][0]["confidence"] == 0.9
        planned = await sampled([json.dumps({"nodes": [N1]}), other], embed=embed)
        assert planned["plan"]["nodes"][0]["confidence"] == 0.9

    async def test_samples_are_drawn_warm_and_the_model_stays_as_it_was(self) -> None:
        warmth: list[float] = []

        class Warm(ScriptedChatModel):
            temperature: float = 0.0

            def _next(self, *args: Any) -> Any:
                warmth.append(self.temperature)
                return PLAN

        model = Warm()
        for samples in (2, 1):
            await ChatPlanner(model).plan(QUESTION, titles=[], max_nodes=8, options=PlanOptions(samples=samples))
        assert warmth == [SAMPLE_TEMPERATURE] * 2 + [0.0]
