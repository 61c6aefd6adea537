"""Planners: question → PlanGraph. Here the protocol, and the embedded planner, which needs no LLM.

The embedded planner recognises the shape of a question (comparison, two sides, chain of descriptions, yes/no, list) by
the table in `models.planner_patterns` and writes one node for each thing that must be looked up. It knows nothing of
what is stored, except the names it is given.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, Protocol

from typing_extensions import TypedDict

from models.choices import AUXILIARY, choices
from models.limits import NO_LIMITS, Limits
from models.planner_patterns import NAME, Masked, expand_kinship, innermost, mask, node_mark
from models.planner_sides import Side, sides
from models.planner_statements import Statement, extraposed, statement
from prompts.answer import Usage
from prompts.plan import MAX_QUERY, PlanGraph, PlanNode, clean_text, placeholders, repair

_LONGEST = 600
"""Characters; a longer question is a text, in which a pattern found says little."""
_MAX_STEPS = 4
_LIST = re.compile(
    r"(?i)(?:please )?(?:(?:list|enumerate)\b|(?:name|give me|tell me) (?:all|every|some|\d+|the \w+s)\b|"
    r"(?:which|what) (?:(?:two|three|four|five|six|seven|eight|nine|ten|\d+) )?"
    r"(?!series|species|news|does\b)[a-z]{3,}(?<![sui])s (?!is\b|was\b|does\b|has\b)[a-z])"
)
_LISTED_KIND = re.compile(rf"(?:[Ww]hich|[Ww]hat) (?:[a-z]+ )?(?P<kind>[a-z]+s (?:of|in) (?:the )?{NAME}) [a-z]")
"""Of "Which moons of X did Y discover?" the moons of X."""
_ENGLISH = re.compile(
    r"(?i)\b(?:the|of|is|are|was|were|who|what|which|where|when|how|why|did|does|do|in|by|and|list|name|has|have|compare|tell|explain|with|for)\b"
)
_NO_MORE = re.compile(r"(?i)(?P<asked>(?:what|where|when|which)(?: is| was| are| were)) \{n\d+\}(?P<end>[?.! ]*)")
_ATTRIBUTE = re.compile(
    r"(?i)(?:[a-z]+ )?(?:place|date|day|year|time|city|town|country|location|birthplace|hometown)\b"
)
"""Of "Where was the place of death of X?" nothing is left to ask once the place is known."""
_SMALL_NAME = re.compile(
    r"(?i)(.{3,200}\b(?:of|by|in)(?: the)?(?: film| song| movie| book| band)?) "
    r"((?:(?!(?:born|die|died|made|where|who|that|which|whose)\b)[^?.!]){2,60}?)"
    r"(?P<end>(?: (?:born|die|died|made|from|based))?[?.! ]*)"
)


class Planned(TypedDict):
    """What a planner returns."""

    plan: dict[str, Any]
    """A PlanGraph, dumped."""
    rung: str
    """How the plan was had: embedded, given, json_schema, ..."""
    warnings: list[str]
    entropy: float | None
    """Disagreement of sampled plans in bits; None with one sample."""
    usage: NotRequired[Usage]
    """Language model calls made for it; missing when there were none."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a planner that calls a language model is told beside the question."""

    samples: int = 1
    """Plans to sample; where they disagree, confidence falls and entropy rises."""
    limits: Limits = NO_LIMITS
    on_node: Callable[[PlanNode], None] | None = None
    """Told of each node the moment it is written, while the rest of the plan is not; None: the plan comes in one
    piece. A node told of is not binding: the finished plan may hold it otherwise."""


DEFAULTS = PlanOptions()


class Planner(Protocol):
    """Writes the plan of a question."""

    name: str

    async def plan(
        self, question: str, *, titles: Sequence[str], max_nodes: int, options: PlanOptions = DEFAULTS
    ) -> Planned:
        """Plan a question.

        Args:
            question: As the user wrote it.
            titles: Names of stored passages that stand in the question, as they stand in it, longest first.
            max_nodes: Most nodes the plan may have.
            options: For planners that call a language model.
        """
        ...


class EmbeddedPlanner:
    """Plans by patterns, on the CPU, in a millisecond."""

    name = "embedded"

    async def plan(
        self, question: str, *, titles: Sequence[str], max_nodes: int, options: PlanOptions = DEFAULTS
    ) -> Planned:
        """Plan a question; see `Planner`."""
        graph, notes = repair(plan_nodes(question, titles), question, max_nodes)
        return Planned(plan=graph.model_dump(), rung="embedded", warnings=notes, entropy=None)


def plan_nodes(question: str, titles: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the nodes of a plan, in order, as `prompts.plan.repair` takes them."""
    text = clean_text(re.sub("[\ue000-\uf8ff{}]", "", question))
    text = re.sub(r"(?<=\w\w)\.$", "", text)
    if len(text) > _LONGEST or not _ENGLISH.search(text):
        return [_node(1, "lookup", text[:MAX_QUERY] or "?", 0.4)]
    found = sides(text, titles)
    nodes = _of_sides(found, text, titles) if found else _of_chain(text, titles)
    return nodes or [_node(1, "lookup", text, 0.5)]


def _node(number: int, op: str, query: str, confidence: float, parents: Sequence[str] = ()) -> dict[str, Any]:
    depends = list(dict.fromkeys([*parents, *placeholders(query)]))
    return {"id": f"n{number}", "op": op, "query": query, "depends_on": depends, "confidence": round(confidence, 2)}


def _of_chain(text: str, titles: Sequence[str]) -> list[dict[str, Any]]:
    """Plan a chain: each description is looked up, innermost first, and its answer takes its place in the question."""
    masked = mask(text, titles)
    hop = statement(masked.text)
    if hop is not None:
        return _of_statement(masked, hop)
    behind = extraposed(masked.text)
    if behind is not None:
        nodes, noun, _ = _steps(masked, f"the {behind.noun}", 1)
        query = masked.plain(noun).removeprefix("the ")
        nodes.append(_node(len(nodes) + 1, "bridge" if placeholders(query) else "lookup", query, 0.7))
        rest = masked.plain(behind.rest.replace("{}", node_mark(len(nodes))))
        return [*nodes, _node(len(nodes) + 1, "bridge", rest, 0.7)]
    weak = 1.0
    if not masked.names:  # a question in small letters: what follows the last "of" is taken for a name
        small = _SMALL_NAME.fullmatch(text)
        masked = Masked(f"{small[1]} \ue000{small['end']}", (small[2],)) if small else masked
        weak = 0.6
    nodes, rest, confidence = _steps(masked, expand_kinship(masked.text), 1)
    query = masked.plain(rest)
    no_more = _NO_MORE.fullmatch(query)
    if no_more and nodes and _ATTRIBUTE.match(nodes[-1]["query"]):
        query = f"{no_more['asked']} the {nodes.pop()['query']}{no_more['end']}"
    final = "verify" if AUXILIARY.match(text) and not choices(text) else "bridge" if placeholders(query) else "lookup"
    nodes.append(_node(len(nodes) + 1, final, query, confidence if nodes else 0.7))
    if _LIST.match(text):
        of_kind = _LISTED_KIND.match(masked.text) if len(nodes) == 1 else None
        if of_kind:  # what is of that kind is searched for too: the members of a list are seldom found by one query
            nodes.append(_node(2, "lookup", masked.plain(of_kind["kind"]), 0.6))
        nodes.append(
            _node(len(nodes) + 1, "aggregate", text, 0.6, [node["id"] for node in nodes[-2 if of_kind else -1 :]])
        )
    return [{**node, "confidence": round(node["confidence"] * weak, 2)} for node in nodes]


def _of_statement(masked: Masked, hop: Statement) -> list[dict[str, Any]]:
    """Plan "X is named after a book that sold how many copies?": which book, then how many copies it sold."""
    if not hop.first:
        return [_node(1, "lookup", masked.plain(hop.rest), hop.confidence)]
    nodes, first, _ = _steps(masked, hop.first, 1)
    query = masked.plain(first)
    nodes.append(_node(len(nodes) + 1, "bridge" if placeholders(query) else "lookup", query, hop.confidence))
    number = len(nodes) + 1
    if hop.restricts:
        return [*nodes, _node(number, "filter", masked.plain(hop.rest), hop.confidence, [nodes[-1]["id"]])]
    return [
        *nodes,
        _node(
            number, "bridge", masked.plain(f"{node_mark(number - 1)} {hop.rest}").replace(" 's ", "'s "), hop.confidence
        ),
    ]


def _steps(masked: Masked, text: str, first: int) -> tuple[list[dict[str, Any]], str, float]:
    """Take descriptions out of a masked text: (their nodes, what is left of the text, confidence in that)."""
    nodes: list[dict[str, Any]] = []
    confidence = 0.85
    while len(nodes) < _MAX_STEPS and (found := innermost(text)):
        description, rest = found
        query = masked.plain(description.query)
        confidence = min(confidence, description.confidence)
        nodes.append(_node(first + len(nodes), "bridge" if placeholders(query) else "lookup", query, confidence))
        text = rest.format(node_mark(first + len(nodes) - 1))
    return nodes, text, confidence


def _of_sides(found: tuple[list[Side], str, float], text: str, titles: Sequence[str]) -> list[dict[str, Any]]:
    """Plan two sides: what each is, what is asked of each, and the node that brings them together."""
    asked, op, confidence = found
    nodes: list[dict[str, Any]] = []
    bound: list[str] = []
    for side in asked:  # what both sides are comes first, so that parallel nodes stand together
        masked = mask(re.sub(r"^(?:the|an?) ", "", side.thing) if side.described else side.thing, titles)
        steps, rest, _ = _steps(masked, masked.text, len(nodes) + 1) if side.described else ([], masked.text, 0.0)
        nodes += steps
        rest = masked.plain(rest)
        if side.described and not re.fullmatch(r"\{n\d+\}", rest):
            nodes.append(_node(len(nodes) + 1, "bridge" if steps else "lookup", rest, confidence))
            rest = f"{{{nodes[-1]['id']}}}"
        bound.append(rest)
    ends = []
    for side, thing in zip(asked, bound, strict=True):
        query = side.query.replace("{}", thing)
        own = "verify" if side.claim else "bridge" if placeholders(query) else "lookup"
        nodes.append(_node(len(nodes) + 1, own, query, confidence))
        ends.append(nodes[-1]["id"])
    return [*nodes, _node(len(nodes) + 1, op, text, confidence, ends)]


__all__ = ["EmbeddedPlanner", "PlanGraph", "PlanNode", "Planned", "Planner", "plan_nodes"]
