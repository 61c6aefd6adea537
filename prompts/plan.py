"""PlanGraph: which searches a question needs, and which of them wait for which.

The plan is a DAG of `PlanNode`s, written by an LLM, the embedded planner or the user. This module validates it, orders
it, draws it and repairs what is unambiguously wrong in it. It knows nothing of questions, models and stores.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from prompts.plan_node import (
    BUDGET_COST,
    MAX_QUERY,
    OPERATORS,
    Operator,
    PlanError,
    PlanNode,
    clean_text,
    fill,
    placeholders,
)
from prompts.plan_repair import repaired_nodes

__all__ = [
    "BUDGET_COST",
    "MAX_QUERY",
    "OPERATORS",
    "Operator",
    "PlanError",
    "PlanGraph",
    "PlanNode",
    "clean_text",
    "fill",
    "placeholders",
    "repair",
]

_LABEL_LENGTH = 80


class PlanGraph(BaseModel):
    """A valid plan: ids are unique, parents exist, no circles. Anything else raises PlanError."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str = ""
    nodes: list[PlanNode] = Field(min_length=0)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise PlanError(_explain(error)) from error

    @classmethod
    def model_validate(cls, obj: Any, **kwargs: Any) -> Self:
        """Validate a dump; raises PlanError, like the constructor."""
        try:
            return super().model_validate(obj, **kwargs)
        except ValidationError as error:
            raise PlanError(_explain(error)) from error

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **kwargs: Any) -> Self:
        """Validate JSON text; raises PlanError, like the constructor."""
        try:
            return super().model_validate_json(json_data, **kwargs)
        except ValidationError as error:
            raise PlanError(_explain(error)) from error

    @model_validator(mode="after")
    def _is_a_dag(self) -> Self:
        ids = [node.id for node in self.nodes]
        doubles = [node_id for node_id, count in Counter(ids).items() if count > 1]
        if doubles:
            raise ValueError(f"two nodes are called {doubles[0]!r}; give each its own id")
        for node in self.nodes:
            unknown = [parent for parent in node.depends_on if parent not in ids]
            if unknown:
                raise ValueError(f"node {node.id!r} depends on {unknown[0]!r}, which is not in the plan")
        circle = [node.id for node in self.nodes if node not in self.topological_order()]
        if circle:
            raise ValueError(f"nodes {circle!r} wait for each other in a circle; remove one dependency")
        return self

    def topological_order(self) -> list[PlanNode]:
        """Return the nodes, parents first, otherwise in the order given."""
        order: list[PlanNode] = []
        done: set[str] = set()
        waiting = list(self.nodes)
        while ready := [node for node in waiting if done.issuperset(node.depends_on)]:
            order.append(ready[0])
            done.add(ready[0].id)
            waiting.remove(ready[0])
        return order

    def parallel_groups(self) -> list[list[PlanNode]]:
        """Return the nodes by depth: all nodes of a group can be searched at the same time."""
        groups: dict[int, list[PlanNode]] = {}
        depths = self._depths()
        for node in self.nodes:
            groups.setdefault(depths[node.id], []).append(node)
        return [groups[depth] for depth in sorted(groups)]

    def depth(self, node_id: str) -> int:
        """Return how many nodes must be searched, one after the other, before this one (0 for a root)."""
        return self._depths()[self.node(node_id).id]

    def _depths(self) -> dict[str, int]:
        depths: dict[str, int] = {}
        for node in self.topological_order():
            depths[node.id] = 1 + max((depths[parent] for parent in node.depends_on), default=-1)
        return depths

    def node(self, node_id: str) -> PlanNode:
        """Return the node of this id; raises PlanError when there is none."""
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise PlanError(f"plan: there is no node {node_id!r}; it has {[node.id for node in self.nodes]!r}")

    def children(self, node_id: str) -> list[PlanNode]:
        """Return the nodes that depend on this one."""
        return [node for node in self.nodes if node_id in node.depends_on]

    def ancestors(self, node_id: str) -> set[str]:
        """Return the ids of all nodes that must be searched before this one."""
        found: set[str] = set()
        waiting = list(self.node(node_id).depends_on)
        while waiting:
            parent = waiting.pop()
            if parent not in found:
                found.add(parent)
                waiting.extend(self.node(parent).depends_on)
        return found

    def keep(self, ids: Collection[str]) -> "PlanGraph":
        """Return the plan with these nodes only; edges to the others are dropped, placeholders stay as they are."""
        nodes = [
            node.model_copy(update={"depends_on": [parent for parent in node.depends_on if parent in ids]})
            for node in self.nodes
            if node.id in ids
        ]
        return PlanGraph(question=self.question, nodes=nodes)

    def summary(self) -> str:
        """Return the plan as text, one line for each node, parents first."""
        lines = []
        for node in self.topological_order():
            after = f" after {', '.join(node.depends_on)}" if node.depends_on else ""
            lines.append(f"{node.id} {node.op}{after}: {node.query} ({node.confidence:.2f})")
        return "\n".join(lines)

    def mermaid(self) -> str:
        """Return the plan as a Mermaid flowchart; every special character of a query is escaped."""
        lines = ["flowchart TD"]
        for node in self.nodes:
            query = node.query if len(node.query) <= _LABEL_LENGTH else node.query[: _LABEL_LENGTH - 1] + "…"
            lines.append(f'  {node.id}["{node.id} {node.op}: {_mermaid_escape(query)}"]')
        lines += [f"  {parent} --> {node.id}" for node in self.nodes for parent in node.depends_on]
        return "\n".join(lines)

    def signature(self) -> str:
        """Return what the plan looks like without ids and queries: equal for plans of the same operators and edges.

        Colour refinement (Weisfeiler and Leman, 1968): each node is coloured by its operator and, again and again, by
        the colours of its parents and children.
        """
        colours = {node.id: str(node.op) for node in self.nodes}
        for _ in self.nodes:
            colours = {
                node.id: _digest(
                    colours[node.id],
                    sorted(colours[parent] for parent in node.depends_on),
                    sorted(colours[child.id] for child in self.children(node.id)),
                )
                for node in self.nodes
            }
        counts = Counter(str(node.op) for node in self.nodes)
        ops = " ".join(f"{op}*{counts[op]}" for op in OPERATORS if counts[op])
        return f"{ops} #{_digest(sorted(colours.values()))}"


def repair(data: Any, question: str, max_nodes: int) -> tuple[PlanGraph, list[str]]:
    """Make a valid plan of what an LLM or a user wrote.

    Args:
        data: JSON value: a plan, a list of nodes, or a list of queries.
        question: The question the plan is for; when empty, the one that stands in the data.
        max_nodes: Most nodes kept; the least confident are cut, never a parent of one that is kept.

    Returns:
        The plan, and a sentence for each thing that was repaired (none when the data was a valid plan).

    Raises:
        PlanError: When no node with a query is left.
    """
    if not question and isinstance(data, dict) and isinstance(data.get("question"), str):
        question = data["question"]
    nodes, notes = repaired_nodes(data, max(1, max_nodes))
    return PlanGraph(question=clean_text(question), nodes=nodes), notes


def _explain(error: ValidationError) -> str:
    """Turn pydantic's report into one sentence."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    text = first["msg"].removeprefix("Value error, ")
    return f"plan: {place + ': ' if place else ''}{text}" + (f" (got {_short(first['input'])})" if place else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:99] + "…"


def _mermaid_escape(text: str) -> str:
    return re.sub(r"[^\w\s.,:?!'’…-]", lambda found: f"#{ord(found.group())};", text)


def _digest(*parts: Any) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()
