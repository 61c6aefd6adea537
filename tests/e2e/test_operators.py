"""Each operator on the shipped sample: its evidence or its answer changes when it is replaced by lookup."""

from typing import Any

import pytest

from evaluation.sample import Question, questions
from graph.lookahead import build
from nodes.context import Context
from nodes.deps import Deps
from tests.fakes import FakePlanner

BY_OPERATOR = {q["operator"]: q for q in questions() if "operator" in q}


async def run(question: Question, operator: str, store: str) -> dict[str, Any]:
    """Run the question's plan with its operator written as another; from a planner, since a given one is repaired."""
    nodes = [{**n, "op": operator if n["op"] == question["operator"] else n["op"]} for n in question["plan"]["nodes"]]
    context = Context(synthesizer="embedded", fallback=False)
    async with Deps(store, planner=FakePlanner(nodes)) as deps:
        return await build(deps).ainvoke({"question": question["question"]}, context=context)


def shown(state: dict[str, Any]) -> dict[str, list[str]]:
    """The evidence, with the ids it is cited by."""
    return {e["title"]: sorted(e["ids"]) for e in state["evidence"]}


async def test_a_lookup_searches_its_query(sample_store: str) -> None:
    state = await run(BY_OPERATOR["lookup"], "lookup", sample_store)
    assert "Linux" in {hit["title"] for hit in state["hops"]["n1"]["passages"]}
    assert "Git" in {hit["title"] for hit in state["hops"]["n2"]["passages"]}


async def test_a_bridge_searches_for_what_its_parent_found(sample_store: str) -> None:
    state = await run(BY_OPERATOR["bridge"], "bridge", sample_store)
    binding = state["hops"]["n2"]["bindings"][0]
    assert binding["text"] in state["hops"]["n2"]["bound_query"]
    assert binding["passage_id"] in {e["passage_id"] for e in state["evidence"]}


@pytest.mark.parametrize("operator", ["bridge", "filter", "compare", "aggregate", "verify"])
async def test_the_operator_makes_a_difference(operator: str, sample_store: str) -> None:
    question = BY_OPERATOR[operator]
    own, plain = await run(question, operator, sample_store), await run(question, "lookup", sample_store)
    assert (shown(own), own["answer"]) != (shown(plain), plain["answer"])


@pytest.mark.parametrize("operator", ["compare", "aggregate", "verify", "filter"])
async def test_the_operator_answers_its_question(operator: str, sample_store: str) -> None:
    question = BY_OPERATOR[operator]
    state = await run(question, operator, sample_store)
    assert state["answer"].lower().removeprefix("the ") in {
        a.lower() for a in (question["answer"], *question["aliases"])
    }
