"""The embedded answer, by operator: what the sinks of the plan say on their own evidence, and the question on all.

lookup, bridge: a span; filter: a span among the parent's candidates; compare: computed from what the parents read;
aggregate: a count or a list; verify: yes or no (operator table of DESIGN 4). Pure functions over evidence and a reader.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from typing_extensions import TypedDict

from models.bound_reading import Binding, Bound, best_bindings, read_bound, ways
from models.listing import LISTED, Item, enumeration, listed
from models.questions import Comparison, answer_type, comparison
from models.reader import Candidate, Reader
from models.spans import answer_key
from models.values import date_value, number_value
from prompts.answer import Evidence
from prompts.plan import PlanGraph, PlanNode
from stores.records import Passage


class SynthesisInput(TypedDict):
    """What is synthesized from."""

    question: str
    plan: dict[str, object]
    """A dumped PlanGraph."""
    evidence: list[Evidence]
    bound_queries: dict[str, str]
    """Hop id → the query as it was searched."""
    bindings: dict[str, list[Binding]]
    """Hop id → what its placeholders were filled with, best first."""


BESIDE_A_PLAN = {"rules": 0.5}
"""What reading a many-hop question at once counts beside the reading of its last hop, by reader; 1 for others, as for
the trained one. Chosen on the sample for the rules, on questions held out from its training for the trained reader."""


READ_AT_ONCE = 5
READ_OF_A_HOP = 3
"""So many of the best passages are read for the question itself and for a hop's query. Chosen on questions of
2WikiMultihopQA train that were held out from the reader's training."""


class Case:
    """A question with its plan and evidence, ready to be read hop by hop."""

    def __init__(self, given: SynthesisInput, reader: Reader) -> None:
        self.question = given["question"]
        self.plan = PlanGraph.model_validate(given["plan"])
        self.evidence = given["evidence"]
        self.queries = given["bound_queries"]
        self.bindings = given["bindings"]
        self.reader = reader
        self._read: dict[str, list[Candidate]] = {}

    def passages(self, *hops: str, best_first: bool = False) -> list[Passage]:
        """Evidence of these hops (of all without an argument) as passages; their ids are citation ids."""
        return [
            as_passage(e, cited[0])
            for e in (by_score(self.evidence) if best_first else self.evidence)
            if (cited := [i for i in e["ids"] if not hops or i.partition(".")[0] in hops])
        ]

    def read(self, hop: str) -> list[Candidate]:
        """Answers to a hop's own query in its own evidence."""
        if hop not in self._read:
            self._read[hop] = read_bound(self.reader, self.ways(hop)) if self.queries.get(hop) else []
        return self._read[hop]

    def ways(self, hop: str) -> list[Bound]:
        """A hop's query as it was searched, and as close runners-up of its placeholder fill it."""
        passages = self.passages(hop, best_first=True)
        return ways(self.plan.node(hop).query, self.queries[hop], self.bindings.get(hop, []), passages, READ_OF_A_HOP)

    def sinks(self) -> list[PlanNode]:
        """Plan nodes that no other node waits for: what they say is an answer."""
        return [node for node in self.plan.nodes if not self.plan.children(node.id)]

    def least_certainty(self, hop: str) -> float:
        """Probability that what the hop was searched with is right: of its least certain placeholder."""
        best = best_bindings(self.bindings.get(hop, []))
        return min((one["probability"] for one in best.values()), default=1.0)


def as_passage(evidence: Evidence, citation: str = "") -> Passage:
    """Evidence as the reader takes it; its id is a citation's, the first where none is named."""
    return Passage(
        id=citation or evidence["ids"][0],
        document_id=evidence["document_id"],
        title=evidence["title"],
        text=evidence["text"],
        metadata={},
    )


def by_score(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence, best first: so it stands together in a window of the reader's network."""
    return sorted(evidence, key=lambda one: -one["score"])


def read_at_once(evidence: Sequence[Evidence]) -> list[Passage]:
    """What the question itself is read in: the best of the evidence."""
    return [as_passage(one) for one in by_score(evidence)[:READ_AT_ONCE]]


def answers(case: Case) -> list[Candidate]:
    """Answers to the question, best first: the whole evidence's and the sinks', equal texts joined.

    What a hop was searched with is a step on the way: as an answer it counts only where a sink gives it.

    A sink's answer is as probable as its reading times the root of the certainty of what it was searched with; an
    answer given by both is right unless both err: 1 − (1 − p)(1 − q/2), q the smaller.
    """
    sinks = [one for node in case.sinks() for one in _OPERATORS[node.op](case, node)]
    planned = bool(sinks) and any(node.depends_on for node in case.sinks())
    trust = BESIDE_A_PLAN.get(case.reader.name, 1.0) if planned else 1.0
    steps = {answer_key(found[0]["text"]) for found in case.bindings.values() if found}
    whole = [
        one
        for one in case.reader.read(case.question, read_at_once(case.evidence))
        if answer_key(one["text"]) not in steps
    ]
    asked = answer_type(case.question)
    readings = [[Candidate(**{**one, "probability": one["probability"] * trust}) for one in whole], sinks]
    fitting = [[one for one in read if _fits(one["text"], asked)] for read in readings]
    joined: dict[str, list[Candidate]] = {}
    for one in sorted([*fitting[0], *fitting[1]], key=lambda candidate: -candidate["probability"]):
        joined.setdefault(answer_key(one["text"]), []).append(one)
    best = [
        (_right([_alike(same[0], read) for read in fitting]), _right([one["probability"] for one in same]), same[0])
        for same in joined.values()
    ]
    best.sort(key=lambda one: (-one[0], -one[1]))
    return [Candidate(**{**first, "probability": p}) for _, p, first in best]


def _right(probabilities: Sequence[float]) -> float:
    """That what several readings say is right: 1 − (1 − p)(1 − q/2) of the two surest."""
    p, q = (*sorted(probabilities, reverse=True), 0.0)[:2]
    return 1 - (1 - p) * (1 - q / 2)


def _alike(answer: Candidate, read: Sequence[Candidate]) -> float:
    """What a reading gives to an answer and to those that begin alike in the same sentence.

    "Oak Park", "Oak Park, Illinois" and what follows share the probability of one place; against "Chicago", which
    stands in that sentence too, they count together.
    """
    key = f"{answer_key(answer['text'])} "
    keys = [(f"{answer_key(one['text'])} ", one) for one in read]
    return min(
        1.0,
        sum(
            one["probability"]
            for other, one in keys
            if other == key
            or (one["sentence"] == answer["sentence"] and (other.startswith(key) or key.startswith(other)))
        ),
    )


def _fits(text: str, asked: str) -> bool:
    """Whether an answer can be one of the asked type; only what is plain is refused."""
    if asked == "yes_no":
        return text in ("yes", "no")
    if asked == "date":
        return date_value(text) is not None or bool(re.search(r"\d|century|[A-Z][a-z]+", text))
    return bool(text) and text not in ("yes", "no")


def _span(case: Case, node: PlanNode) -> list[Candidate]:
    """Lookup and bridge: a span of the hop's own evidence."""
    trust = case.least_certainty(node.id) ** 0.5
    return [Candidate(**{**one, "probability": one["probability"] * trust}) for one in case.read(node.id)]


def _filter(case: Case, node: PlanNode) -> list[Candidate]:
    """A span among the parents' candidates: what they read, or the title of a passage they found."""
    allowed = {answer_key(one["text"]) for parent in node.depends_on for one in case.read(parent)}
    allowed |= {answer_key(p["title"]) for parent in node.depends_on for p in case.passages(parent)}
    return [one for one in _span(case, node) if answer_key(one["text"]) in allowed]


def _compare(case: Case, node: PlanNode) -> list[Candidate]:
    """Compute with the values that the parents read, one parent for each side."""
    asked = comparison(case.question) or comparison(case.queries.get(node.id, node.query))
    read = [(parent, found[0]) for parent in node.depends_on if (found := case.read(parent))]
    if asked is None or len(read) != 2:
        return []
    values = [_value(asked, one["text"]) for _, one in read]
    if values[0] is None or values[1] is None:
        return []
    winner = _winner(asked, values[0], values[1])
    if winner is None:
        return []
    certainty = read[0][1]["probability"] * read[1][1]["probability"]
    text = _option(case, asked, read[winner][0], winner) if asked.direction != "equal" else ("no", "yes")[winner]
    rests_on = read[winner][1] if asked.direction != "equal" else read[0][1]
    return [
        Candidate(text=text, probability=certainty, passage_id=rests_on["passage_id"], sentence=rests_on["sentence"])
    ]


def _value(asked: Comparison, text: str) -> float | str | None:
    if asked.attribute in ("date_of_birth", "date_of_death", "date"):
        return date_value(text)
    if asked.attribute in ("number", "lifespan"):
        return number_value(text)
    return answer_key(text) if asked.attribute == "same" else None


def _winner(asked: Comparison, left: float | str, right: float | str) -> int | None:
    """Number of the side asked for; for same/different 1 = the same."""
    if asked.direction == "equal":
        return int(left == right)
    if isinstance(left, str) or isinstance(right, str) or left == right:
        return None
    return int((left < right) != (asked.direction == "min"))


def _option(case: Case, asked: Comparison, parent: str, number: int) -> str:
    """The option that a parent stands for: the one its query or an ancestor's names."""
    family = {parent, *case.plan.ancestors(parent)}
    text = answer_key(" ".join(case.queries.get(hop, "") for hop in family))
    named = [option for option in asked.options if answer_key(option) in text]
    return named[0] if len(named) == 1 else asked.options[number]


def items_of(case: Case, node: PlanNode) -> list[Item]:
    """The several things that the passages of an aggregate's parents tell of; none for another operator."""
    return listed(case.question, case.passages(*node.depends_on, node.id)) if node.op == "aggregate" else []


def _aggregate(case: Case, node: PlanNode) -> list[Candidate]:
    """How many, or which: several things that passages tell of, else what the parents read, counted or listed."""
    counted = answer_type(case.question) == "number"
    items = items_of(case, node)
    if items:
        text = str(len(items)) if counted else enumeration([item.text for item in items])
        first_item = items[0]
        return [
            Candidate(text=text, probability=LISTED, passage_id=first_item.passage_id, sentence=first_item.sentence)
        ]
    best = {answer_key(found[0]["text"]): found[0] for parent in node.depends_on if (found := case.read(parent))}
    if not best:
        return []
    first = next(iter(best.values()))
    certainty = min(one["probability"] for one in best.values())
    if counted:
        numbers = [number_value(one["text"]) for one in best.values()]
        text = f"{sum(n for n in numbers if n is not None):g}" if None not in numbers else str(len(best))
    else:
        text = enumeration([one["text"] for one in best.values()])
    return [Candidate(**{**first, "text": text, "probability": certainty})]


def _verify(case: Case, node: PlanNode) -> list[Candidate]:
    """Yes or no, on the claim's own evidence and its parents'."""
    passages = case.passages(node.id, *node.depends_on) or case.passages()
    return [case.reader.judge(case.queries.get(node.id, node.query), passages)] if passages else []


_OPERATORS: Mapping[str, Callable[[Case, PlanNode], list[Candidate]]] = {
    "lookup": _span,
    "bridge": _span,
    "filter": _filter,
    "compare": _compare,
    "aggregate": _aggregate,
    "verify": _verify,
}
