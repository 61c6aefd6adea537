"""The planner's prompt: what a plan is, six worked examples, the JSON schema, and reading what the model wrote.

It knows the plan format, nothing of models: which rung of the ladder a text came from, `models.chat_planner` says.
"""

import copy
import json
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from prompts.plan import BUDGET_COST, OPERATORS, PlanError
from prompts.plan_stream import is_node
from prompts.thoughts import without_thoughts

MAX_TITLES = 20
"""Most names of stored documents that the prompt lists."""
MAX_TEXT = 60_000
"""Characters of a reply that are read; no plan is nearly as long."""
_MAX_STARTS = 200
"""Most places in a reply where a JSON value is tried."""
_START = re.compile(r"[{\[]")

PLAN_SCHEMA: dict[str, Any] = {
    "title": "search_plan",
    "description": "The searches that a question needs, as a directed acyclic graph.",
    "type": "object",
    "properties": {
        "nodes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": "n1, n2, n3, ..."},
                    "op": {"type": "string", "enum": list(OPERATORS)},
                    "query": {"type": "string", "description": "A short question; {n1} stands for the answer of n1"},
                    "depends_on": {"type": "array", "items": {"type": "string"}, "description": "Ids of earlier nodes"},
                    "confidence": {"type": "number", "description": "0 to 1"},
                },
                "required": ["id", "op", "query", "depends_on", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["nodes"],
    "additionalProperties": False,
}
"""Everything required and nothing else allowed: what strict JSON-schema modes ask for."""
MAX_WRITTEN = 300
"""Characters of a query where the schema can say so; no search needs more."""


def bounded_schema(max_nodes: int) -> dict[str, Any]:
    """The schema with an end to every list and text and a name for every node, for what small models get wrong.

    For servers that make a grammar of it, as Ollama does; Groq refuses a schema with such bounds ("minItems is not
    supported": github.com/i-am-bee/beeai-framework/issues/1215).
    """
    schema = copy.deepcopy(PLAN_SCHEMA)
    nodes = schema["properties"]["nodes"]
    nodes |= {"minItems": 1, "maxItems": max_nodes}
    ids = [f"n{number}" for number in range(1, max_nodes + 1)]
    node = nodes["items"]["properties"]
    node["id"]["enum"] = ids
    node["query"] |= {"minLength": 1, "maxLength": MAX_WRITTEN}
    node["depends_on"] |= {"items": {"type": "string", "enum": ids}, "maxItems": max_nodes}
    return schema


def _node(number: int, op: str, query: str, after: Sequence[str] = (), confidence: float = 0.9) -> dict[str, Any]:
    return {"id": f"n{number}", "op": op, "query": query, "depends_on": list(after), "confidence": confidence}


EXAMPLES: tuple[tuple[str, list[dict[str, Any]]], ...] = (
    (
        "What is the capital of the country in which the inventor of the Rubik's Cube was born?",
        [
            _node(1, "lookup", "Who invented the Rubik's Cube?", confidence=0.95),
            _node(2, "bridge", "In which country was {n1} born?", ["n1"]),
            _node(3, "bridge", "What is the capital of {n2}?", ["n2"], 0.8),
        ],
    ),
    ("When did the airship Italia crash?", [_node(1, "lookup", "When did the airship Italia crash?", confidence=0.95)]),
    (
        "Which canal was opened first, the Corinth Canal or the Kiel Canal?",
        [
            _node(1, "lookup", "When was the Corinth Canal opened?", confidence=0.95),
            _node(2, "lookup", "When was the Kiel Canal opened?", confidence=0.95),
            _node(3, "compare", "Which was opened first, the Corinth Canal or the Kiel Canal?", ["n1", "n2"]),
        ],
    ),
    (
        "Which of the architects of the Pompidou Centre also designed The Shard?",
        [
            _node(1, "lookup", "Who were the architects of the Pompidou Centre?", confidence=0.95),
            _node(2, "filter", "Which architect designed The Shard?", ["n1"]),
        ],
    ),
    (
        "How many Nobel Prizes did Marie Curie and Linus Pauling win together?",
        [
            _node(1, "lookup", "How many Nobel Prizes did Marie Curie win?", confidence=0.95),
            _node(2, "lookup", "How many Nobel Prizes did Linus Pauling win?", confidence=0.95),
            _node(3, "aggregate", "How many Nobel Prizes did Marie Curie and Linus Pauling win?", ["n1", "n2"]),
        ],
    ),
    (
        "Was the composer of the opera Carmen born in Paris?",
        [
            _node(1, "lookup", "Who composed the opera Carmen?", confidence=0.95),
            _node(2, "verify", "Was {n1} born in Paris?", ["n1"]),
        ],
    ),
)
"""Question → nodes; together they use every operator."""

_RULES = f"""You plan searches in a collection of documents. You do not answer the question.

Write the searches as JSON: {{"nodes": [{{"id", "op", "query", "depends_on", "confidence"}}, ...]}}.
- query: one short question about one fact, with full names. The search sees nothing but the query: no "he", no "it".
- {{n1}} in a query stands for the answer of node n1. It is filled in later, from the documents; never guess it.
- depends_on: the nodes whose answers the query needs. Nodes that do not need each other are searched at the same \
time, so let a node wait only when it must.
- op: lookup (one fact that can be searched at once), bridge (a fact about an earlier node's answer), filter (which of \
the things an earlier node found also fits), compare (depends on two nodes, one for each side), aggregate (count, add \
up or list what the nodes it depends on found), verify (a yes/no question about what was found).
- confidence: how likely this search is needed and worded right, 0 to 1.
- cost: {", ".join(f"{op} {cost}" for op, cost in BUDGET_COST.items())}. Use as few nodes as answer the question; a \
simple question is one lookup.
Reply with the JSON alone."""


def _example(question: str, nodes: list[dict[str, Any]]) -> str:
    return f"Question: {question}\n{json.dumps({'nodes': nodes}, ensure_ascii=False)}"


SYSTEM = "\n\n".join([_RULES, "Examples", *(_example(question, nodes) for question, nodes in EXAMPLES)])
"""The same for every question, so that a provider can cache it."""


def planning_messages(question: str, titles: Sequence[str], max_nodes: int) -> list[BaseMessage]:
    """Build the planner's messages.

    Args:
        question: as asked.
        titles: names of stored documents that stand in the question.
        max_nodes: most nodes the plan may have.
    """
    named = "; ".join(json.dumps(" ".join(title.split()), ensure_ascii=False) for title in titles[:MAX_TITLES])
    lines = [f"Documents named in the question: {named}"] if named else []
    lines += [f"At most {max_nodes} nodes.", f"Question: {' '.join(question.split())}"]
    return [SystemMessage(SYSTEM), HumanMessage("\n".join(lines))]


def read_plan(text: str) -> tuple[Any, bool]:
    """Find the plan in what a model wrote.

    Args:
        text: ideally the JSON alone; also with fences, thoughts or prose around it, with trailing commas, or cut off:
            then the nodes that are complete are taken.

    Returns:
        A JSON value for `prompts.plan.repair`, and whether the text was that JSON and nothing else.

    Raises:
        PlanError: there is no plan in it.
    """
    text = without_thoughts(text)[:MAX_TEXT]
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict | list):
        return data, True
    found = _plan_within(text)
    if found is None:
        found = _plan_within(re.sub(r",(\s*[}\]])", r"\1", text))
    if found is None:
        raise PlanError(f"plan: the model wrote no plan, but {text[:100]!r}")
    return found, False


def _plan_within(text: str) -> Any:
    """The first plan in the text, else its complete nodes, else None."""
    decoder, nodes, at = json.JSONDecoder(), list[Any](), 0
    for _ in range(_MAX_STARTS):
        start = _START.search(text, at)
        if start is None:
            break
        try:
            value, at = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            at = start.end()
            continue
        if _holds_nodes(value):
            return value
        if is_node(value):
            nodes.append(value)
    return nodes or None


def _holds_nodes(value: Any, depth: int = 3) -> bool:
    """Whether nodes stand in it, as deep as `repair` looks. A node alone holds none, nor does a list of ids."""
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return depth > 0 and any(is_node(one) or _holds_nodes(one, depth - 1) for one in inner)
