"""What Studio shows: the forms of every exported graph."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph.lookahead import graph
from nodes.context import Context

ROOT = Path(__file__).parents[2]


def exported() -> list[Any]:
    import importlib

    graphs = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    loaded = []
    for target in graphs.values():
        module, _, name = (target if isinstance(target, str) else target["path"]).partition(":")
        loaded.append(pytest.param(getattr(importlib.import_module(module), name), id=module))
    return loaded


@pytest.mark.parametrize("exported_graph", exported())
def test_every_graph_has_an_input_form_and_a_context_form(exported_graph: Any) -> None:
    assert exported_graph.get_input_jsonschema()["properties"]
    assert exported_graph.get_context_jsonschema()["properties"]
    assert exported_graph.checkpointer is None
    assert exported_graph.store is None


def test_the_question_is_asked_for_and_a_plan_may_be_given() -> None:
    schema = graph.get_input_jsonschema()
    assert set(schema["properties"]) == {"question", "plan"}
    assert schema["required"] == ["question"]


def test_every_knob_is_in_the_form_with_its_description() -> None:
    fields = graph.get_context_jsonschema()["properties"]
    assert set(fields) == set(Context.model_fields)
    assert all(f.get("description") for f in fields.values())
    assert fields["schedule"]["enum"] == ["dataflow", "waves", "sequential"]


def test_the_drawing_shows_the_loop() -> None:
    edges = {(e.source, e.target) for e in graph.get_graph().edges}
    assert {("intake", "plan"), ("intake", "probe"), ("plan", "approve"), ("probe", "approve")} <= edges
    assert {("assemble", "fallback"), ("check", "fallback"), ("fallback", "retrieve"), ("check", "__end__")} <= edges
