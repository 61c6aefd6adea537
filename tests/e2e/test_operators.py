"""Each operator on the shipped sample: its evidence or its answer changes when it is replaced by lookup."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from evaluation.sample import Question, questions
from graph.lookahead import build
from nodes.context import Context
from nodes.deps import Deps

BY_OPERATOR = {q["operator"]: q for q in questions() if "operator" in q}


@pytest.fixture
async def deps(sample_store: str) -> AsyncIterator[Deps]:
    async with Deps(sample_store) as opened:
        yield opened


async def run(question: Question, operator: str, deps: Deps, **settings: Any) -> dict[str, Any]:
    """Run the question's plan with its operator written as another."""
    nodes = [{**n, "op": operator if n["op"] == question["operator"] else n["op"]} for n in question["plan"]["nodes"]]
    context = Context(planner="embedded", synthesizer="embedded", fallback=False, **settings)
    given = {"question": question["question"], "plan": {"nodes": nodes}}
    return await build(deps).ainvoke(given, context=context)


def shown(state: dict[str, Any]) -> dict[str, list[str]]:
    """The evidence, with the ids it is cited by."""
    return {e["title"]: sorted(e["ids"]) for e in state["evidence"]}


async def test_a_lookup_searches_its_query(deps: Deps) -> None:
    state = await run(BY_OPERATOR["lookup"], "lookup", deps)
    assert "Linux" in {hit["title"] for hit in state["hops"]["n1"]["passages"]}
    assert "Git" in {hit["title"] for hit in state["hops"]["n2"]["passages"]}


async def test_a_bridge_searches_for_what_its_parent_found(deps: Deps) -> None:
    state = await run(BY_OPERATOR["bridge"], "bridge", deps)
    binding = state["hops"]["n2"]["bindings"][0]
    assert binding["text"] in state["hops"]["n2"]["bound_query"]
    assert binding["passage_id"] in {e["passage_id"] for e in state["evidence"]}


@pytest.mark.parametrize("operator", ["bridge", "filter", "compare", "aggregate", "verify"])
async def test_the_operator_makes_a_difference(operator: str, deps: Deps) -> None:
    question = BY_OPERATOR[operator]
    # With room for one passage beside what the operator demands, its demands show.
    own, plain = [await run(question, op, deps, rerank_top_k=1) for op in (operator, "lookup")]
    assert (shown(own), own["answer"]) != (shown(plain), plain["answer"])


@pytest.mark.parametrize("operator", ["compare", "aggregate", "verify", "filter"])
async def test_the_operator_answers_its_question(operator: str, deps: Deps) -> None:
    question = BY_OPERATOR[operator]
    state = await run(question, operator, deps)
    assert state["answer"].lower().removeprefix("the ") in {
        a.lower() for a in (question["answer"], *question["aliases"])
    }
