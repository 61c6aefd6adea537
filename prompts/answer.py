"""The schema of what synthesis sees (numbered evidence) and gives (answer and explanation)."""

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
