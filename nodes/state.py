"""The typed state of the lookahead graph: what each stage reads and writes.

Values are plain dicts, lists, strings and floats, because nothing else survives a checkpoint; vectors never enter it.
`typing_extensions.TypedDict`, since with `typing.TypedDict` on Python 3.11 Studio loses the input form.
"""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.channels import EphemeralValue
from langgraph.graph.message import add_messages
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict

from models.bound_reading import Binding
from nodes.question_channel import QuestionChannel
from prompts.answer import Evidence
from stores.records import Hit


class Hop(TypedDict):
    """One search of the run: hop "n0" is the question itself, the others are plan nodes."""

    id: str
    op: str
    query: str
    """As planned, placeholders and all."""
    bound_query: str
    """As searched."""
    bindings: list[Binding]
    """Best first for each parent; the first is in `bound_query`."""
    passages: list[Hit]
    ms: float
    """Wall time of its own work: not of waiting for parents or for a free slot."""
    error: str | None
    """What went wrong, in a sentence; the run goes on with what there is."""


class RankedHit(Hit):
    """A passage after reranking, with the hops that found it."""

    hops: list[str]
    """Citation ids ("n1.2"), the hop that ranked it best first."""


class Dropped(TypedDict):
    """A plan node that is not run."""

    id: str
    utility: float
    reason: str


class Pruning(TypedDict):
    """Which plan nodes run."""

    kept: list[str]
    dropped: list[Dropped]


class Planning(TypedDict):
    """How the plan came about."""

    planner: str
    rung: str
    """The step of the ladder that gave it: given, json_schema, json_mode, tolerant, embedded, none."""
    entropy: float | None
    """Bits over the signatures of the sampled plans; null with one sample."""


class Citation(TypedDict):
    """A cited piece of evidence."""

    id: str
    document_id: str
    title: str
    text: str
    """The cited sentences."""


class Fallback(TypedDict):
    """One round of searching again."""

    trigger: list[str]
    queries: list[str]


class Check(TypedDict):
    """What the check of the answer found."""

    supported: bool
    unsupported: list[str]
    """Cited sentences that their passages do not support."""
    problems: list[str]


class Answered(TypedDict):
    """An answer with all that goes with it."""

    answer: str
    explanation: str
    sufficient: bool
    citations: list[Citation]
    check: Check
    confidence: float


class Asked(TypedDict):
    """How a run was asked; the next one on the thread tells by it what is new."""

    question: str
    message: str
    """Id of the last human message by then; empty when there was none."""
    by_message: bool
    """Whether that message was the question: then the answer goes to `messages` too."""


def merge(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """Later values win, key by key.

    >>> merge({"n0": 1}, {"n1": 2})
    {'n0': 1, 'n1': 2}
    """
    return {**(old or {}), **new}


def append(old: list[Any] | None, new: list[Any]) -> list[Any]:
    """Append what is not there yet.

    >>> append(["a"], ["a", "b"])
    ['a', 'b']
    """
    old = old or []
    return old + [item for item in new if item not in old]


def add_up(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """Add numbers key by key, nested dicts alike; of "total", measured from the start of the run, the largest counts.

    >>> add_up({"plan": 2.0, "total": 2.0}, {"plan": 1.0, "total": 5.0})
    {'plan': 3.0, 'total': 5.0}
    """
    merged = dict(old or {})
    for key, value in new.items():
        if isinstance(value, dict):
            merged[key] = add_up(merged.get(key), value)
        else:
            merged[key] = max(value, merged.get(key, 0)) if key == "total" else merged.get(key, 0) + value
    return merged


class Question(TypedDict, total=False):
    """What a run is given: a question, or messages."""

    question: Annotated[
        str,
        Field(
            title="Question",
            description="What you want to know from the documents, as one full question",
            examples=["Where was the author of The Old Man and the Sea born?"],
        ),
        QuestionChannel,
    ]
    messages: Annotated[
        Annotated[
            list[AnyMessage],
            Field(
                title="Messages",
                description="In place of the question, as in a chat: the last human message is the question, and the "
                "answer is added as an AI message",
            ),
        ],
        add_messages,
    ]


class InputState(Question, total=False):
    """What a run is given that may bring its plan."""

    plan: Annotated[SkipJsonSchema[dict[str, Any]], EphemeralValue]
    """A ready plan, {"nodes": [{id, op, query, depends_on, confidence}]}: validated and run, no planner is called.
    Ephemeral, or the next question of the thread would inherit it. Not in Studio's form: nobody types a plan there."""


class Arriving(InputState, total=False):
    """What the first stage sees: the input, and how the thread was asked before; no settings of an earlier run."""

    asked: Asked


class State(TypedDict, total=False):
    """Everything a run knows. A reducer stands only where branches meet or a stage runs more than once."""

    question: Annotated[str, QuestionChannel]
    messages: Annotated[list[AnyMessage], add_messages]
    """The conversation, where questions come as messages: those, and the answers."""
    asked: Asked
    plan: Annotated[dict[str, Any], EphemeralValue]
    """The ready plan of the input, if any."""
    context: dict[str, Any]
    """The settings that the run began with: resumed without any, it goes on with these."""
    plan_graph: dict[str, Any]
    """The dumped PlanGraph that is run; fallback rounds append their nodes."""
    planning: Planning
    pruning: Pruning
    early: dict[str, Hop]
    """Hops searched while the plan was being written; `retrieve` takes those that the plan can use, and empties it."""
    hops: Annotated[dict[str, Hop], merge]
    """The truth about what was searched: only plan nodes missing here are run."""
    ranked: list[RankedHit]
    evidence: list[Evidence]
    answer: str
    """The shortest exact answer."""
    explanation: str
    """Sentences that cite evidence as [n1.2]."""
    message_id: str
    """Of the message as which the explanation was streamed; empty when it was not, or was taken back."""
    sufficient: bool
    """False when the synthesizer says that the evidence does not suffice."""
    citations: list[Citation]
    plan_coverage: float
    """Σ confidence of nodes with a usable passage / Σ confidence of the nodes that were kept, 0 to 1."""
    check: Check
    confidence: float
    """Calibrated probability that the answer is supported by its citations, 0 to 1."""
    abstained: bool
    rejected: Answered | None
    """The best answer that the check has turned down so far; it comes back when the next one is no better."""
    triggers: list[str]
    """Why the last test asked for another round; empty when it did not."""
    fallbacks: list[Fallback]
    unasked: list[str]
    """Ids of plan nodes made to find, not to be answered: variants of a question, leads that an agent follows."""
    started_at: float
    """Seconds since the epoch; moved forward by the time a run waits for approval."""
    timings_ms: Annotated[dict[str, float], add_up]
    usage: Annotated[dict[str, Any], add_up]
    """What language models took: see `prompts.answer.Usage`."""
    models: Annotated[dict[str, str], merge]
    """Which model took which role."""
    warnings: Annotated[list[str], append]
