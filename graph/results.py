"""What a run comes to, for users: the state without what only the stages need. `lookahead ask --json` prints it."""

from typing import Any, cast

from typing_extensions import TypedDict

from models.bound_reading import Binding
from nodes.agent_state import AgentStep, ReactState
from nodes.state import Citation, Fallback, Pruning, State


class PassageRef(TypedDict):
    """A passage a hop found."""

    id: str
    title: str
    score: float


class HopResult(TypedDict):
    """One search of the run."""

    id: str
    query: str
    bound_query: str
    bindings: list[Binding]
    passages: list[PassageRef]
    ms: float
    error: str | None


class Result(TypedDict):
    """An answered question: what `lookahead ask --json` prints."""

    question: str
    answer: str
    """The shortest exact answer; empty when there is none."""
    explanation: str
    """Sentences that cite the evidence as [n1.2]."""
    abstained: bool
    confidence: float
    """Calibrated probability that the answer is supported by its citations."""
    citations: list[Citation]
    plan: dict[str, Any]
    pruning: Pruning
    hops: list[HopResult]
    fallbacks: list[Fallback]
    steps: list[AgentStep]
    """What the agent did, in its order; empty where the method has none."""
    usage: dict[str, Any]
    timings_ms: dict[str, float]
    models: dict[str, str]
    warnings: list[str]


def to_result(state: State) -> Result:
    """The part of the final state that users read."""
    hops = sorted(state["hops"].values(), key=lambda hop: int(hop["id"][1:]))
    return Result(
        question=state["question"],
        answer=state["answer"],
        explanation=state["explanation"],
        abstained=state["abstained"],
        confidence=state["confidence"],
        citations=state["citations"],
        plan={"nodes": state["plan_graph"]["nodes"], **state["planning"]},
        pruning=state["pruning"],
        hops=[hop_result(dict(hop)) for hop in hops],
        fallbacks=state["fallbacks"],
        steps=cast(ReactState, state).get("agent_steps", []),
        usage=state["usage"],
        timings_ms=state["timings_ms"],
        models=state["models"],
        warnings=state["warnings"],
    )


def hop_result(hop: dict[str, Any]) -> HopResult:
    """A hop without the texts of its passages."""
    return HopResult(
        id=hop["id"],
        query=hop["query"],
        bound_query=hop["bound_query"],
        bindings=hop["bindings"],
        passages=[PassageRef(id=h["id"], title=h["title"], score=h["score"]) for h in hop["passages"]],
        ms=hop["ms"],
        error=hop["error"],
    )
