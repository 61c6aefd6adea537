"""Agents: what to do next about a question, from what was found so far. Here the protocol, and the embedded agent.

The embedded agent needs no language model. In each step it reads an answer out of all that was found. While one of its
sub-questions is open it searches the next one, with what it read for the last; then, as long as it is not sure, the
question itself, and what the best passages name but nobody has read. It knows nothing of stores and graphs.
"""

import asyncio
from typing import Any, NotRequired, Protocol

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from typing_extensions import TypedDict

from models.answering import Case, SynthesisInput, answers
from models.limits import NO_LIMITS, Limits
from models.planner import plan_nodes
from models.questions import content_terms, named_entities
from models.reader import Reader
from prompts.agent import SEARCH_TOOL
from prompts.answer import Usage
from prompts.plan import PlanGraph, PlanNode, repair
from stores.records import Hit

SURE = 0.5
"""An answer of this probability is not looked into further. On questions of HotpotQA tune, 2Wiki train and MuSiQue
train 0.35 and 0.7 gave the same answers with 3 % fewer and 4 % more steps. While sub-questions are open nothing is sure
enough: stopping there at 0.8 made F1 fall from 0.79 to 0.65 on 2Wiki, because reading a many-hop question at once is
often wrong and sure."""
LEAD_CONFIDENCE = 0.5
READ_FOR_LEADS = 4
"""So many of the best passages are read for names to follow."""
UNNAMED = 0.05
"""Relevance of a name that stands in no sentence as it is spelled."""
CONCLUSIONS = ("compare", "aggregate")
"""Operators that search nothing of their own when their parents found something."""
MAX_NODES = 8


class AgentInput(TypedDict):
    """What an agent decides from."""

    question: str
    names: list[str]
    """Names of stored passages that stand in the question, longest first."""
    messages: list[AnyMessage]
    """The task, then in turn what the agent said and what its tools returned; without the system's message."""
    so_far: SynthesisInput
    """What has been found, as for an answer."""
    passages: dict[str, list[Hit]]
    """Hop id → what it found."""
    nodes: list[dict[str, Any]]
    """Plan nodes that were searched already, dumped."""


class Searching(TypedDict):
    """A plan node that is to be searched now."""

    call: str
    """Id of the tool call that asks for it; empty for a conclusion, which needs no search of its own."""
    node: dict[str, Any]
    """A dumped PlanNode."""
    lead: bool
    """Whether it is made to find, not to be answered."""


class Move(TypedDict):
    """What an agent does next; without tool calls in its message it has finished."""

    message: AIMessage
    searches: list[Searching]
    refused: NotRequired[list[ToolMessage]]
    """Replies to calls that cannot be made."""
    usage: NotRequired[Usage]
    """Language model calls made for it; missing when there were none."""


class Agent(Protocol):
    """Decides, one step after the other."""

    name: str

    async def act(self, given: AgentInput, *, limits: Limits = NO_LIMITS) -> Move:
        """Decide what to do next.

        Raises:
            LookaheadError: the model gave up; the embedded agent never does.
        """
        ...


class EmbeddedAgent:
    """Decides by what the reader reads."""

    name = "embedded"

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    async def act(self, given: AgentInput, *, limits: Limits = NO_LIMITS) -> Move:
        """Decide what to do next; see `Agent`."""
        return await asyncio.to_thread(self._act, given)

    def _act(self, given: AgentInput) -> Move:
        case = Case(given["so_far"], self.reader)
        found = answers(case) if case.evidence else []
        sure = found[0]["probability"] if found else 0.0
        read = f"So far I read {found[0]['text']!r} ({sure:.2f}). " if found else ""
        if open_ones := open_nodes(given):
            return _search(f"{read}Next: {open_ones[0].query}", open_ones, lead=False)
        if sure >= SURE:
            return Move(message=AIMessage(f"{read}That is sure enough."), searches=[])
        query = self._lead(given)
        if not query:
            return Move(message=AIMessage(f"{read}I know nothing more to try."), searches=[])
        number = 1 + max((int(i[1:]) for i in [*given["passages"], *(n["id"] for n in given["nodes"])]), default=0)
        node = PlanNode(id=f"n{number}", query=query, confidence=LEAD_CONFIDENCE, budget_cost=1)
        return _search(f"{read}That is not sure; this may help: {query}", [node], lead=True)

    def _lead(self, given: AgentInput) -> str:
        """The question, then what the best passages name and no search has found, with what is asked; "" at the end.

        Names in sentences relevant to the question come first.
        """
        searched = {query.lower() for query in _searched(given)}
        found = {hit["title"] for hits in given["passages"].values() for hit in hits}
        hits = {hit["id"]: hit for hits in given["passages"].values() for hit in hits}
        scored = {given["question"]: 1.0 + UNNAMED}
        for rank, passage in enumerate(given["so_far"]["evidence"][:READ_FOR_LEADS], start=1):
            sentences = self.reader.sentences(given["question"], passage["text"])
            for title in hits[passage["passage_id"]]["mentions"]:
                name = title.partition(" (")[0]
                relevance = max((r for sentence, r in sentences if name in sentence), default=UNNAMED)
                if title not in found:
                    query = f"{title} {_asked_of(given['question'])}".strip()
                    scored[query] = max(scored.get(query, 0.0), relevance / rank)
        new = [query for query in scored if query.lower() not in searched]
        return max(new, key=lambda query: scored[query], default="")


def open_nodes(given: AgentInput) -> list[PlanNode]:
    """The next sub-question by the embedded planner's patterns, and the conclusions that are then due; none at the end.

    An agent that goes on where another one stopped follows leads only: its own sub-questions have other ids.
    """
    plan, _ = repair(plan_nodes(given["question"], given["names"]), given["question"], MAX_NODES)
    own = {node.id: node.query for node in plan.nodes}
    asked = given["so_far"]["plan"]["nodes"]
    assert isinstance(asked, list)
    if any(own.get(node["id"]) != node["query"] for node in asked):
        return []
    done = {node["id"] for node in asked}
    left = [node for node in plan.topological_order() if node.id not in done]
    return left[:1] + _due(plan, {*done, *(node.id for node in left[:1])}) if left else []


def _due(plan: PlanGraph, done: set[str]) -> list[PlanNode]:
    """Conclusions whose parents are all done."""
    due: list[PlanNode] = []
    for node in plan.topological_order():
        if node.op in CONCLUSIONS and node.depends_on and node.id not in done and done.issuperset(node.depends_on):
            due.append(node)
            done = {*done, node.id}
    return due


def _searched(given: AgentInput) -> list[str]:
    return [*(str(node["query"]) for node in given["nodes"]), *given["so_far"]["bound_queries"].values()]


def _asked_of(question: str) -> str:
    """What a question asks, without the names in it.

    >>> _asked_of("In which city was the director of Big Stone Gap born?")
    'city director born'
    """
    names = named_entities(question)
    words = [word.strip("?,.!\"'") for word in question.split()]
    return " ".join(word for word in words if content_terms(word) and not any(word in name for name in names))


def _search(thought: str, nodes: list[PlanNode], *, lead: bool) -> Move:
    first = nodes[0]
    call = tool_call(name=SEARCH_TOOL, args={"query": first.query}, id=first.id)
    return Move(
        message=AIMessage(thought, tool_calls=[call]),
        searches=[
            Searching(call=first.id if node is first else "", node=node.model_dump(), lead=lead) for node in nodes
        ],
    )
