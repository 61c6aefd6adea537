"""Predictions and latency rows for tests: right or wrong answers to questions with two gold passages."""

from typing import Any

from evaluation.predictions import UNSAID, LatencyRow, Prediction


def prediction(method: str = "lookahead", number: int = 1, *, right: bool = True, **changes: Any) -> Prediction:
    """A prediction for question q01, q02, …: right with both gold passages found, or wrong with the first one only."""
    gold = [f"g{number}a", f"g{number}b"]
    ranked = [gold[0], "x", gold[1]] if right else [gold[0], "x", "y"]
    given = {
        "method": method,
        "id": f"q{number:02}",
        "question": f"Question {number}?",
        "golds": ["Roseto"],
        "answer": "Roseto" if right else "Rome",
        "type": "bridge" if number % 2 else "comparison",
        "hop_count": 2,
        "gold_documents": gold,
        "explanation": "She was born in Roseto [n1.1].",
        "confidence": 0.8 if right else 0.4,
        "ranked": ranked,
        "evidence": [shown(key) for key in ranked],
        "citations": [{"id": f"{ranked[0]}.1", "document_id": ranked[0], "title": ranked[0].upper(), "text": "One."}],
        "usage": {"llm_calls": 2, "prompt_tokens": 900, "completion_tokens": 90, "cost_usd": 0.001},
    }
    return {**UNSAID, **given, **changes}  # type: ignore[typeddict-item]


def shown(key: str, text: str = "One. Two.") -> dict[str, Any]:
    """A piece of evidence; its citation id is its document's with ".1" behind it."""
    return {"ids": [f"{key}.1"], "document_id": key, "title": key.upper(), "text": text}


def latency(method: str = "lookahead", number: int = 1, ms: float | None = 100.0, **changes: Any) -> LatencyRow:
    """A latency row: retrieve takes a fifth, synthesize the rest but 10 ms."""
    timings = {} if ms is None else {"retrieve": ms / 5, "synthesize": ms * 4 / 5 - 10, "total": ms}
    given = {"method": method, "id": f"q{number:02}", "ms": ms, "timings_ms": timings, "simulated_ms": {}}
    return {**given, **changes}  # type: ignore[typeddict-item]
