"""What an LLM or a user wrote as a plan, read into drafts of nodes.

Tolerant about names and types (ids, operators, confidences, lists of plain strings), and each liberty taken is said.
Whether the drafts form a DAG is for `prompts.plan_repair` to see.
"""

import math
import re
from collections.abc import Iterable
from typing import Any

from typing_extensions import TypedDict

from prompts.plan_node import MAX_QUERY, OPERATORS, PlanError, clean_text, placeholders

NODE_LISTS = ("nodes", "plan", "steps", "queries", "plan_graph")
"""Names under which a plan holds its nodes."""
_MAX_READ = 64
"""Nodes beyond these are not read: no plan needs them, and circles among thousands would take long to cut."""

_VALID_ID = re.compile(r"n[1-9][0-9]{0,5}")
_BRACES = re.compile(r"\$?\{+\s*([^{}]{1,60}?)(?:\.\w{1,20})?\s*\}+")


class Draft(TypedDict):
    """A node on its way to being valid."""

    id: str
    op: str
    query: str
    depends_on: list[str]
    confidence: float
    budget_cost: int | None


def read_drafts(data: Any) -> tuple[list[Draft], list[str]]:
    """Read what looks like nodes, give them valid ids, and resolve what they say of each other."""
    notes: list[str] = []
    raw = _node_list(data)
    if len(raw) > _MAX_READ:
        notes.append(f"Only the first {_MAX_READ} of {len(raw)} nodes were read.")
    usable = [node for node in map(_as_dict, raw[:_MAX_READ]) if node is not None]
    if len(usable) < min(len(raw), _MAX_READ):
        notes.append(f"{min(len(raw), _MAX_READ) - len(usable)} entries without a query were dropped.")
    ids = _assign_ids([_key(node.get("id")) for node in usable], notes)
    aliases = _aliases([_key(node.get("id")) for node in usable], ids)
    return [_draft(node, own, aliases, notes) for node, own in zip(usable, ids, strict=True)], notes


def _node_list(data: Any) -> list[Any]:
    """Find the list of nodes in {"nodes": [...]}, {"plan": {"nodes": [...]}}, [...] or {"n1": {...}}."""
    for _ in range(3):
        if isinstance(data, list):
            return data
        if not isinstance(data, dict):
            break
        inner = next((data[name] for name in NODE_LISTS if isinstance(data.get(name), list | dict)), None)
        if inner is None:
            if _query_of(data):
                return [data]
            return [{"id": key, **value} for key, value in data.items() if isinstance(value, dict)]
        data = inner
    raise PlanError(f"plan: {short(data)} is not a plan; give {{'nodes': [{{'id': 'n1', 'query': '...'}}]}}")


def _as_dict(node: Any) -> dict[str, Any] | None:
    node = {"query": node} if isinstance(node, str) else node
    return node if isinstance(node, dict) and _query_of(node) else None


def _query_of(node: dict[str, Any]) -> str:
    for name in ("query", "question", "sub_question", "text"):
        if isinstance(node.get(name), str) and clean_text(node[name]):
            return str(node[name])
    return ""


def _key(value: Any) -> str:
    """Return an id or reference in the form in which they are compared; empty for what can be neither."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6:
        value = str(value)
    return clean_text(value).casefold()[:60] if isinstance(value, str) else ""


def _assign_ids(keys: list[str], notes: list[str]) -> list[str]:
    """Keep valid ids, first come first served; "step 2" becomes n2 when that is free, the rest get the lowest free."""
    ids = [""] * len(keys)
    taken: set[str] = set()
    for i, key in enumerate(keys):
        if _VALID_ID.fullmatch(key) and key not in taken:
            ids[i] = key
            taken.add(key)
    for i, key in enumerate(keys):
        if ids[i]:
            continue
        number = re.search(r"[1-9][0-9]{0,5}$", key)
        wanted = f"n{number.group()}" if number and f"n{number.group()}" not in taken else ""
        ids[i] = wanted or next(f"n{k}" for k in range(1, len(keys) + 2) if f"n{k}" not in taken)
        taken.add(ids[i])
        if key and key.removeprefix("n") != ids[i][1:]:
            notes.append(f"Node {key!r} is now {ids[i]}.")
    return ids


def _aliases(keys: list[str], ids: list[str]) -> dict[str, str]:
    """Map what a node may be called to its id: its own name, its new id, the number of that."""
    aliases: dict[str, str] = {}
    for names in (keys, ids, [node_id[1:] for node_id in ids]):
        for name, node_id in zip(names, ids, strict=True):
            if name:
                aliases.setdefault(name, node_id)
    return aliases


def _draft(node: dict[str, Any], own: str, aliases: dict[str, str], notes: list[str]) -> Draft:
    query = _resolve_braces(_query_of(node), own, aliases)
    if len(query) > MAX_QUERY:
        query = clean_text(re.sub(r"\{[^}]*$", "", query[:MAX_QUERY]))
        notes.append(f"The query of {own} was cut to {MAX_QUERY:,} characters.")
    parents: list[str] = []
    for reference in _references(node):
        parent = aliases.get(reference)
        if parent is None:
            notes.append(f"{own} depended on {reference!r}, which is not in the plan; that was dropped.")
        elif parent == own:
            notes.append(f"{own} depended on itself; that was dropped.")
        else:
            parents.append(parent)
    for parent in placeholders(query):
        if parent not in parents:
            parents.append(parent)
            notes.append(f"{own} uses the answer of {parent} and now depends on it.")
    return {
        "id": own,
        "op": _operator(node, own, notes),
        "query": query,
        "depends_on": list(dict.fromkeys(parents)),
        "confidence": _confidence(node.get("confidence"), own, notes),
        "budget_cost": _cost(node.get("budget_cost")),
    }


def _resolve_braces(text: str, own: str, aliases: dict[str, str]) -> str:
    """Point placeholders to the new ids; remove those that point nowhere, and the braces of everything else."""
    known: list[str] = []

    def mark(found: re.Match[str]) -> str:
        name = _key(found.group(1))
        target = aliases.get(name)
        if target is not None and target != own:
            known.append(target)
            return f"\x00{len(known) - 1}\x00"
        return "" if target or _VALID_ID.fullmatch(name) else found.group(1)

    marked = _BRACES.sub(mark, text.replace("\x00", " "))
    plain = re.sub(r"[{}]", "", marked)
    return clean_text(re.sub("\x00([0-9]+)\x00", lambda found: f"{{{known[int(found.group(1))]}}}", plain))


def _references(node: dict[str, Any]) -> Iterable[str]:
    value: Any = next(
        (node[k] for k in ("depends_on", "dependencies", "deps", "parents") if node.get(k) is not None), []
    )
    if isinstance(value, str):
        value = re.split(r"[,;]", value)
    values = value if isinstance(value, list) else [value]
    return [key for key in (_key(value) for value in values[:_MAX_READ]) if key]


def _operator(node: dict[str, Any], own: str, notes: list[str]) -> str:
    value = next((node[k] for k in ("op", "operator", "operation", "type") if node.get(k) is not None), "lookup")
    op = _key(value)
    if op in OPERATORS:
        return op
    notes.append(f"{own} had the unknown operator {short(value)}; it is a lookup now.")
    return "lookup"


def _confidence(value: Any, own: str, notes: list[str]) -> float:
    if value is None:
        return 0.7
    try:
        number = float(value.strip().rstrip("%") if isinstance(value, str) else value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 0 <= number <= 100:
        notes.append(f"{own} had the confidence {short(value)}; it is 0.7 now.")
        return 0.7
    if number > 1:
        notes.append(f"{own} had the confidence {short(value)}; it is {number / 100} now.")
        return number / 100
    return number


def _cost(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 100 else None


def short(value: Any) -> str:
    """Return a value as it is quoted in a message, at most 100 characters long."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python prints
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 100 else text[:99] + "…"
