"""What Studio shows: descriptions and forms of every exported graph."""

import importlib
import inspect
import json
import subprocess
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from graph.lookahead import graph
from nodes.context import Context

ROOT = Path(__file__).parents[2]
EXPORTED = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
ANSWERING = set(EXPORTED) - {"ingest", "benchmark"}


def exported(name: str) -> Any:
    module, _, attribute = EXPORTED[name]["path"].partition(":")
    return getattr(importlib.import_module(module), attribute)


def kinds(field: dict[str, Any]) -> list[dict[str, Any]]:
    """The types that a field may have: itself, or what `anyOf` lists."""
    return field.get("anyOf", [field])


@pytest.mark.parametrize("name", EXPORTED)
def test_every_graph_says_what_it_does_and_has_its_forms(name: str) -> None:
    assert EXPORTED[name]["description"].endswith(".")
    found = exported(name)
    assert found.name == name
    assert found.get_input_jsonschema()["properties"]
    assert found.get_context_jsonschema()["properties"]
    assert (found.checkpointer, found.store) == (None, None)


@pytest.mark.parametrize("name", sorted(ANSWERING))
def test_a_question_is_asked_for_in_one_field_or_as_messages(name: str) -> None:
    schema = exported(name).get_input_jsonschema()
    assert list(schema["properties"]) == ["question", "messages"]
    assert "required" not in schema  # either will do
    question, messages = schema["properties"].values()
    assert (question["type"], question["title"], bool(question["description"])) == ("string", "Question", True)
    assert (messages["type"], bool(messages["description"])) == ("array", True)
    assert "HumanMessage" in str(messages["items"])  # Studio's chat looks for the types of messages


@pytest.mark.parametrize("name", EXPORTED)
def test_every_setting_has_title_description_and_range_or_choices(name: str) -> None:
    schema = exported(name).get_context_jsonschema()
    assert schema["description"]
    for field, shown in schema["properties"].items():
        assert {"title", "description", "default"} <= shown.keys(), field
        assert ": " in shown["title"], field
        for kind in kinds(shown):
            match kind["type"]:
                case "integer" | "number":
                    assert kind.keys() >= {"minimum", "maximum"}, field
                case "string":
                    assert kind.keys() & {"enum", "examples", "maxLength"}, field
                case "array":
                    assert kind.keys() >= {"items", "minItems", "maxItems"}, field
                case "boolean" | "null":
                    pass
                case other:
                    raise AssertionError(f"{field}: {other}")


@pytest.mark.parametrize("name", EXPORTED)
def test_settings_stand_in_groups(name: str) -> None:
    titles = [field["title"] for field in exported(name).get_context_jsonschema()["properties"].values()]
    groups = [group for group, _ in groupby(title.partition(":")[0] for title in titles)]
    assert len(groups) == len(set(groups))
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("name", EXPORTED)
def test_every_setting_is_a_knob_that_the_graph_reads(name: str) -> None:
    found = exported(name)
    assert list(found.get_context_jsonschema()["properties"]) == list(found.builder.context_schema.model_fields)


def test_choices_are_choices() -> None:
    fields = graph.get_context_jsonschema()["properties"]
    assert set(fields) == set(Context.model_fields)
    chosen = {name for name, field in fields.items() if "enum" in field}
    assert chosen == {"reader", "retrieval", "schedule", "passage_order"}
    assert fields["schedule"]["enum"] == ["dataflow", "waves", "sequential"]


def test_defaults_and_examples_are_within_what_is_taken() -> None:
    for name, field in graph.get_context_jsonschema()["properties"].items():
        for value in (field["default"], *field.get("examples", [])):
            assert getattr(Context(**{name: value}), name) == value


def test_the_checkpointer_that_the_server_is_told_of_is_there() -> None:
    path = json.loads((ROOT / "langgraph.json").read_text())["checkpointer"]["path"]
    module, _, name = path.rpartition(".")
    assert inspect.isfunction(getattr(importlib.import_module(module), name))


def test_no_client_makes_the_server_send_answers_elsewhere() -> None:
    http = json.loads((ROOT / "langgraph.json").read_text())["http"]
    assert all(http[f"disable_{way}"] for way in ("mcp", "a2a", "webhooks"))


def test_make_studio_says_where_to_open_it() -> None:
    told = subprocess.run(
        ["make", "--dry-run", "studio", "PORT=8123"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "https://smith.langchain.com/studio/?baseUrl=http://127.0.0.1:8123" in told
    assert "langgraph dev --port 8123 --n-jobs-per-worker 10" in told
    assert "allow-blocking" not in told


def test_the_drawing_shows_the_loop() -> None:
    edges = {(e.source, e.target) for e in graph.get_graph().edges}
    assert {("intake", "plan"), ("intake", "probe"), ("plan", "approve"), ("probe", "approve")} <= edges
    assert {("assemble", "fallback"), ("check", "fallback"), ("fallback", "retrieve"), ("check", "__end__")} <= edges
    assert {("approve", "reply"), ("check", "reply"), ("fallback", "reply"), ("reply", "__end__")} <= edges
