"""One question through one method: the run, and the prediction that is made of its final state."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.datasets.pooling import gold_documents, gold_titles
from evaluation.datasets.records import Question
from evaluation.predictions import Prediction
from graph.assembling import AnsweringGraph
from graph.bench.simulation import RUN, Run
from graph.bench.state import GIVEN, POOLED, Variant
from graph.methods import NEEDS_PASSAGES
from graph.results import hop_result
from nodes.context import Context
from stores.errors import LookaheadError

UNSHOWN = (
    "the file does not say which passages hold the answer: there was nothing to show, and the question stands as "
    "unanswered"
)
"""Warning in a row of a method that is shown those passages."""


@dataclass(frozen=True, slots=True)
class Row:
    """A variant that can be run."""

    variant: Variant
    graph: AnsweringGraph
    context: Context
    fingerprint: str

    @property
    def name(self) -> str:
        """The variant's."""
        return self.variant["name"]


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a run."""

    state: Mapping[str, Any]
    """The final state; empty when the run raised."""
    ms: float | None
    """Wall time; None when there was nothing to run."""
    error: str | None
    simulated: Run = field(default_factory=Run)


async def ask(row: Row, question: Question, namespace: str, *, seed: int, sleeps: bool) -> Ran:
    """Run a method on a question. Call it in a task of its own: it sets a context variable.

    Args:
        row: the method with its settings.
        question: what is asked, and for the oracle what is shown.
        namespace: what is searched.
        seed: of the jitter of simulated waits.
        sleeps: whether simulated waits are waited.
    """
    run = Run(f"{seed} {question['id']}", sleeps)
    RUN.set(run)
    context = row.context.model_copy(update={"namespace": namespace})
    started = time.perf_counter()
    try:
        given = _input(row, question)
        if given.get("passages") == []:
            return Ran({"abstained": True, "warnings": [f"{row.name}: {UNSHOWN}"]}, None, None, run)
        state, error = await row.graph.ainvoke(given, context=context), None
    except LookaheadError as problem:
        state, error = {}, str(problem)
    except Exception as problem:  # one question that breaks a method is a wrong answer, not the end of a benchmark
        state, error = {}, f"{type(problem).__name__}: {problem}"
    return Ran(state, (time.perf_counter() - started) * 1000, error, run)


def _input(row: Row, question: Question) -> dict[str, Any]:
    given: dict[str, Any] = {"question": question["question"]}
    if row.variant["method"] in NEEDS_PASSAGES:
        own = {passage["key"]: passage for passage in question["passages"]}
        given["passages"] = [
            {"id": key, "document_id": key, "title": own[key]["title"], "text": own[key]["text"]}
            for key in gold_documents(question)
            if own[key]["text"].strip()
        ]
    return given


def prediction(row: Row, question: Question, ran: Ran, corpus: str) -> Prediction:
    """The row of predictions.jsonl, with the fingerprint of what it was made with."""
    state, own = ran.state, corpus in (POOLED, GIVEN)
    hops = sorted(state.get("hops", {}).values(), key=lambda hop: int(hop["id"][1:]))
    planned = state.get("planning", {}).get("rung") not in (None, "", "none")
    said = {
        "method": row.name,
        "fingerprint": row.fingerprint,
        "id": question["id"],
        "question": question["question"],
        "golds": [question["answer"], *question["aliases"]] if question["answerable"] else [],
        "answerable": question["answerable"],
        "type": question["type"],
        "hop_count": question["hops"],
        "gold_documents": gold_documents(question) if own else gold_titles(question),
        "gold_steps": [{"question": step["question"], "answer": step["answer"]} for step in question["steps"]],
        "key_facts": question["key_facts"],
        "answer": state.get("answer", ""),
        "explanation": state.get("explanation", ""),
        "abstained": state.get("abstained", False),
        "sufficient": state.get("sufficient", False),
        "confidence": state.get("confidence"),
        "citations": state.get("citations", []),
        "ranked": list(dict.fromkeys(_key(hit, own) for hit in state.get("ranked", []))),
        "evidence": [_shown(evidence) for evidence in state.get("evidence", [])],
        "plan": {"nodes": state["plan_graph"]["nodes"], **state["planning"]} if planned else {},
        "hops": [hop_result(hop) for hop in hops],
        "steps": state.get("agent_steps", []),
        "timings_ms": state.get("timings_ms", {}),
        "ms": ran.ms,
        "usage": state.get("usage", {}),
        "models": state.get("models", {}),
        "warnings": state.get("warnings", []),
        "fallbacks": state.get("fallbacks", []),
        "error": ran.error,
    }
    return said  # type: ignore[return-value]


def latency_row(row: Row, question: Question, ran: Ran) -> dict[str, Any]:
    """The row of latency.jsonl."""
    return {
        "method": row.name,
        "fingerprint": row.fingerprint,
        "id": question["id"],
        "ms": None if ran.error else ran.ms,
        "timings_ms": dict(ran.state.get("timings_ms", {})),
        "simulated_ms": dict(ran.simulated.waited_ms),
        "error": ran.error,
    }


def _key(hit: Mapping[str, Any], own: bool) -> str:
    """Name of a passage's document as in `gold_documents`."""
    return str(hit["document_id"] if own else hit["title"] or hit["document_id"])


def _shown(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {name: evidence[name] for name in ("ids", "document_id", "title", "text")}
