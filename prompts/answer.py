"""The schema of what synthesis sees (numbered evidence) and gives (answer and explanation)."""

from typing import NotRequired

from typing_extensions import TypedDict


class Evidence(TypedDict):
    """A passage chosen for synthesis, in the order in which it is shown."""

    ids: list[str]
    """Citation ids: "n1.2" = second passage of hop n1. A passage found by several hops keeps all its ids; the first is
    the one shown."""
    passage_id: str
    document_id: str
    title: str
    text: str
    """The passage, or its relevant sentences when it was compressed."""
    compressed: bool
    score: float


class Usage(TypedDict):
    """What calls of a language model took; the runs' reducer adds it up."""

    llm_calls: int
    """Calls sent, those that failed or were cut off included."""
    prompt_tokens: int
    """As the provider reports them; 0 where it reports none."""
    completion_tokens: int
    by_reason: dict[str, int]
    """Calls for each reason: "plan", "synthesize"; repeated ones under "plan: again after KIND", where KIND is the
    status of the reply before ("429"), "no connection", "broken stream", "broken reply" or "timeout"; "synthesize:
    again, shorter" where the prompt was too long."""
    wait_ms: float
    """Time waited before calls, because the server was in trouble or asked for it; time in calls is not in it."""
    cost_usd: float
    """Cost of the calls whose price is known, in US dollars."""
    unpriced_calls: int
    """Calls that may have cost something unknown: of a model without a price, or without token counts."""


class Synthesis(TypedDict):
    """What a synthesizer returns."""

    answer: str
    """The shortest exact answer: what EM and F1 score. Empty when the evidence does not suffice."""
    explanation: str
    """Sentences that cite evidence as [n1.2]: what people read."""
    sufficient: bool
    """False when the evidence is said not to suffice."""
    probability: float
    """The synthesizer's own probability that the answer is right, 0 to 1."""
    usage: NotRequired[Usage]
    """Language model calls made for it; missing when there were none."""
    warnings: NotRequired[list[str]]
    """What its reader should know, a sentence each: passages left out, a text cut off."""
