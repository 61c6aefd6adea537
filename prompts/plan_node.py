"""One node of a plan, and the placeholders in its query.

A query may hold `{n1}`: the answer of node n1, filled in by the reader when n1 has been searched. Nothing here knows
other nodes; what they form together is `prompts.plan.PlanGraph`.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Operator = Literal["lookup", "bridge", "filter", "compare", "aggregate", "verify"]
"""What a node is for; DESIGN 4 has the table of what each does in retrieval, assembly and the embedded answer."""

OPERATORS: tuple[Operator, ...] = get_args(Operator)
BUDGET_COST: dict[Operator, int] = {op: 1 if op in ("lookup", "filter") else 2 for op in OPERATORS}
"""Retrieval cost of a node, in the unit of the context's `max_budget`."""

MAX_QUERY = 1_000
"""Longest query that `repair` lets through, in characters."""

_PLACEHOLDER = re.compile(r"\{(n[1-9][0-9]{0,5})\}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


class PlanError(ValueError):
    """A plan that cannot be used; the message says why and what to do. The edge turns it into an InputError."""


class PlanNode(BaseModel):
    """A search to be made, and the nodes whose answers it needs first."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(pattern=r"^n[1-9][0-9]{0,5}$")
    """n1, n2, ...; n0 is the probe, which is in no plan."""
    op: Operator = "lookup"
    query: str = Field(min_length=1)
    """What is searched, and the question that the reader answers from what was found."""
    depends_on: list[str] = []
    """Ids of nodes that are searched before this one."""
    confidence: float = Field(0.7, ge=0, le=1)
    budget_cost: int = Field(0, ge=1, le=100, description="Default: by operator")

    @field_validator("query")
    @classmethod
    def _clean_query(cls, value: str) -> str:
        value = clean_text(value)
        if not value:
            raise ValueError("the query is empty")
        return value

    @model_validator(mode="before")
    @classmethod
    def _default_cost(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("budget_cost") is None:
            op = data.get("op", "lookup")
            return {**data, "budget_cost": BUDGET_COST[op] if op in OPERATORS else 1}
        return data


def clean_text(text: str) -> str:
    """Return the text on one line, without control characters, lone surrogates and repeated spaces."""
    valid = text.encode("utf-8", "ignore").decode("utf-8")
    return " ".join(_CONTROL.sub(" ", valid).split())


def placeholders(query: str) -> list[str]:
    """Return the node ids whose answers the query needs, in order, each once.

    >>> placeholders("Where was {n1} born, {n2} or {n1}?")
    ['n1', 'n2']
    """
    return list(dict.fromkeys(_PLACEHOLDER.findall(query)))


def fill(query: str, values: Mapping[str, str]) -> str:
    """Put answers in place of placeholders; one without a value is removed, with the space it leaves.

    >>> fill("Who is {n1}'s father?", {"n1": "Ada Lovelace"})
    "Who is Ada Lovelace's father?"
    >>> fill("Who is {n1}'s father ?", {})
    'Who is father?'
    """
    text = re.sub(r"\{n[1-9][0-9]{0,5}\}(?:['’]s)?(?!\w)", lambda m: _value(m.group(), values), query)
    text = _PLACEHOLDER.sub(lambda m: _value(m.group(), values), text)
    return re.sub(r" ([,.;:?!])", r"\1", clean_text(text))


def _value(found: str, values: Mapping[str, str]) -> str:
    """Replace one placeholder, with the possessive that may follow it."""
    node_id, _, rest = found[1:].partition("}")
    value = clean_text(values.get(node_id, ""))
    return value.replace("{", "").replace("}", "") + rest if value else ""
