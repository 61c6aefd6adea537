"""Repairs of plans written by an LLM or by hand: what is unambiguous is put right, and each repair is said.

Works on drafts, in passes that are repeated until nothing changes, so that a repaired plan is a fixed point. Knows
nothing of the question's meaning: it adds no node and invents no query.
"""

import re
from itertools import pairwise
from typing import Any

from prompts.plan_node import PlanError, PlanNode, fill, placeholders
from prompts.plan_reading import Draft, read_drafts, short


def repaired_nodes(data: Any, max_nodes: int) -> tuple[list[PlanNode], list[str]]:
    """Return valid nodes that form a DAG, at most `max_nodes`, and what was repaired; raises PlanError."""
    drafts, notes = read_drafts(data)
    while True:
        before = [dict(draft) for draft in drafts]
        drafts = _drop_empty(drafts, notes)
        _cut_circles(drafts, notes)
        _fit_operators(drafts, notes)
        drafts = _merge_doubles(drafts, notes)
        drafts = _cut_to(drafts, max_nodes, notes)
        if before == [dict(draft) for draft in drafts]:
            break
    if not drafts:
        raise PlanError(f"plan: no node with a query in {short(data)}; give nodes like {{'id': 'n1', 'query': '...'}}")
    return [PlanNode.model_validate(draft) for draft in drafts], list(dict.fromkeys(notes))


def _drop_empty(drafts: list[Draft], notes: list[str]) -> list[Draft]:
    """Drop nodes with nothing to search; what waited for them goes without."""
    kept = [draft for draft in drafts if draft["query"]]
    ids = {draft["id"] for draft in kept}
    for draft in kept:
        for parent in [parent for parent in draft["depends_on"] if parent not in ids]:
            _remove_edge(draft, parent)
    notes += [f"{draft['id']} had nothing left to search and was dropped." for draft in drafts if not draft["query"]]
    return kept


def _remove_edge(draft: Draft, parent: str) -> None:
    draft["depends_on"].remove(parent)
    if parent in placeholders(draft["query"]):
        draft["query"] = fill(draft["query"], {p: f"{{{p}}}" for p in placeholders(draft["query"]) if p != parent})


def _cut_circles(drafts: list[Draft], notes: list[str]) -> None:
    """Peel off nodes whose parents are done; when none is left, cut the weakest edge of a circle and go on."""
    waiting = {draft["id"]: draft for draft in drafts}
    while waiting:
        ready = [i for i, draft in waiting.items() if not any(parent in waiting for parent in draft["depends_on"])]
        for node_id in ready:
            del waiting[node_id]
        if waiting and not ready:
            child, parent = min(_circle(waiting), key=lambda edge: waiting[edge[0]]["confidence"])
            _remove_edge(waiting[child], parent)
            notes.append(f"{child} no longer depends on {parent}: the plan went in a circle.")


def _circle(waiting: dict[str, Draft]) -> list[tuple[str, str]]:
    """Return the edges (child, parent) of one circle: every waiting node has a waiting parent, so walk up."""
    path = [next(iter(waiting))]
    while True:
        parent = next(parent for parent in waiting[path[-1]]["depends_on"] if parent in waiting)
        if parent in path:
            circle = [*path[path.index(parent) :], parent]
            return list(pairwise(circle))
        path.append(parent)


def _fit_operators(drafts: list[Draft], notes: list[str]) -> None:
    """Bridge and filter need a parent; a lookup that uses a parent's answer is a bridge."""
    for draft in drafts:
        op = draft["op"]
        if op in ("bridge", "filter") and not draft["depends_on"]:
            draft["op"] = "lookup"
        elif op == "lookup" and placeholders(draft["query"]):
            draft["op"] = "bridge"
        if draft["op"] != op:
            notes.append(f"{draft['id']} was a {op} and is a {draft['op']} now, by what it depends on.")


def _merge_doubles(drafts: list[Draft], notes: list[str]) -> list[Draft]:
    """Merge nodes of the same operator, query and parents; the drafts must hold no circle."""
    first: dict[tuple[str, str, tuple[str, ...]], str] = {}
    same: dict[str, str] = {}
    for draft in _parents_first(drafts):
        if any(parent in same for parent in draft["depends_on"]):
            draft["depends_on"] = list(dict.fromkeys(same.get(parent, parent) for parent in draft["depends_on"]))
            draft["query"] = re.sub(
                r"\{(n[0-9]+)\}", lambda m: f"{{{same.get(m.group(1), m.group(1))}}}", draft["query"]
            )
        identity = (draft["op"], draft["query"].casefold(), tuple(sorted(draft["depends_on"])))
        if first.setdefault(identity, draft["id"]) != draft["id"]:
            same[draft["id"]] = first[identity]
            notes.append(f"{draft['id']} repeated {first[identity]} and was merged with it.")
    return [draft for draft in drafts if draft["id"] not in same]


def _parents_first(drafts: list[Draft]) -> list[Draft]:
    order: dict[str, Draft] = {}
    while len(order) < len(drafts):
        order |= {d["id"]: d for d in drafts if d["id"] not in order and all(p in order for p in d["depends_on"])}
    return list(order.values())


def _cut_to(drafts: list[Draft], max_nodes: int, notes: list[str]) -> list[Draft]:
    """Keep the most confident nodes with all they depend on, while they fit."""
    if len(drafts) <= max_nodes:
        return drafts
    by_id = {draft["id"]: draft for draft in drafts}
    kept: set[str] = set()
    for draft in sorted(drafts, key=lambda draft: -draft["confidence"]):
        wanted = {draft["id"]}
        while grown := {parent for node_id in wanted for parent in by_id[node_id]["depends_on"]} - wanted:
            wanted |= grown
        if len(kept | wanted) <= max_nodes:
            kept |= wanted
    dropped = [draft["id"] for draft in drafts if draft["id"] not in kept]
    notes.append(f"{', '.join(dropped)} dropped: a plan may have {max_nodes} nodes.")
    return [draft for draft in drafts if draft["id"] in kept]
