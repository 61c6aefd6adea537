"""What a method said to a question, and how long it took: the rows of predictions.jsonl and latency.jsonl.

One JSON object in a line, in UTF-8. Knows the form and the file, nothing of scores. A run that is killed leaves at most
a half-written last line: it is dropped when the file is read or appended to, and the question is asked again.

A *document key* names a document in `ranked` and `gold_documents` alike: the document's id where the corpus was made of
the questions' own paragraphs (pooled, given), else its title.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, NotRequired, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from stores.errors import InputError, StoreError

LOOSE = ConfigDict(extra="allow")
"""Keys that a later version writes are kept, not refused."""


class GoldStep(TypedDict):
    """One hop of the annotators' decomposition."""

    question: str
    answer: str
    """Empty where the data tells none."""


class Cited(TypedDict):
    """A piece of evidence that the answer cites."""

    id: str
    """As in the explanation: "n1.2"."""
    document_id: str
    title: str
    text: str
    """The cited sentences."""


class Shown(TypedDict):
    """A piece of evidence that the synthesizer was given, in the order in which it was shown."""

    ids: list[str]
    document_id: str
    title: str
    text: str


class Judgement(TypedDict):
    """What a language model thought of the answer (`evaluation.judging`)."""

    correct: bool | None
    """None where there is nothing to compare with."""
    key_facts: dict[str, bool]
    """Each key fact, and whether answer or explanation states it."""
    reason: str
    model: str


class Prediction(TypedDict):
    """One method's answer to one question, with all it rests on."""

    __pydantic_config__ = LOOSE  # type: ignore[misc]

    method: str
    id: str
    """Of the question."""
    question: str
    golds: list[str]
    """Accepted answers; empty for a question that has none."""
    answer: str
    answerable: bool
    type: str
    """As the data set says; empty where it does not."""
    hop_count: int | None
    gold_documents: list[str]
    """Document keys, in the order of the hops where that is known (then there are `gold_steps`)."""
    gold_steps: list[GoldStep]
    key_facts: list[str]
    explanation: str
    abstained: bool
    """The method's own word that it declines to answer."""
    sufficient: bool
    confidence: float | None
    """None where the method states none."""
    citations: list[Cited]
    ranked: list[str]
    """Document keys, best first: what came out of retrieval and ranking."""
    evidence: list[Shown]
    plan: dict[str, Any]
    """{nodes, planner, rung}; empty where the method has none."""
    hops: list[dict[str, Any]]
    """As graph.results.HopResult."""
    steps: list[dict[str, Any]]
    """What an agent did, step by step; empty for others."""
    timings_ms: dict[str, float]
    ms: float | None
    """Wall time of the run, among others that ran at the same time: latency is measured apart."""
    usage: dict[str, Any]
    """As prompts.answer.Usage; simulated language calls and their tokens are counted like real ones."""
    models: dict[str, str]
    warnings: list[str]
    fallbacks: list[dict[str, Any]]
    error: str | None
    """What the run raised, in a sentence; such a run has no answer."""
    judged: NotRequired[Judgement]


class LatencyRow(TypedDict):
    """How long one question took, asked alone and warm."""

    __pydantic_config__ = LOOSE  # type: ignore[misc]

    method: str
    id: str
    ms: float | None
    """Wall time with the simulated waits in it; None when the run raised, or there was nothing to run."""
    timings_ms: dict[str, float]
    """Stage to milliseconds, simulated waits included; a "total" among them is not a stage."""
    simulated_ms: dict[str, float]
    """Role of a language call to the milliseconds that were waited for it; empty without simulation."""


Kept = TypeVar("Kept", Prediction, LatencyRow)


class Rows(NamedTuple, Generic[Kept]):
    """What a file holds."""

    rows: list[Kept]
    note: str | None
    """What was dropped, in a sentence; None when nothing was."""


UNSAID: dict[str, Any] = {
    **{"answerable": True, "type": "", "hop_count": None, "gold_documents": [], "gold_steps": [], "key_facts": []},
    **{"explanation": "", "abstained": False, "sufficient": True, "confidence": None, "citations": [], "ranked": []},
    **{"evidence": [], "plan": {}, "hops": [], "steps": [], "timings_ms": {}, "ms": None, "usage": {}, "models": {}},
    **{"warnings": [], "fallbacks": [], "error": None, "simulated_ms": {}},
}
"""What a row means that leaves a key out: method, id, question, golds and answer are enough to be scored."""


def append_row(path: str | Path, row: Mapping[str, Any]) -> None:
    """Write a row as the file's last line, after cutting off a half-written one; for one writer at a time.

    Raises:
        StoreError: the file cannot be written.
    """
    # A lone surrogate, which a model may write, has no UTF-8: it becomes a question mark.
    line = (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")
    try:
        with Path(path).open("ab+") as file:
            line = _mend(file) + line
            file.write(line)
    except OSError as error:
        raise StoreError(
            f"Benchmark: {str(path)!r} cannot be written ({error.strerror}); make room or choose another folder."
        ) from error


def read_predictions(path: str | Path) -> Rows[Prediction]:
    """Predictions of a file; where a method answered a question twice, the later answer counts.

    Raises:
        InputError: the file cannot be read, or a line is no prediction.
    """
    return _read(Path(path), TypeAdapter(Prediction))


def read_latency(path: str | Path) -> Rows[LatencyRow]:
    """Latency rows of a file; where a question was timed twice, the later time counts.

    Raises:
        InputError: the file cannot be read, or a line is no such row.
    """
    return _read(Path(path), TypeAdapter(LatencyRow))


def by_method(rows: Sequence[Kept]) -> dict[str, dict[str, Kept]]:
    """Rows by method and question id, methods in the order in which they are met."""
    table: dict[str, dict[str, Kept]] = {}
    for row in rows:
        table.setdefault(row["method"], {})[row["id"]] = row
    return table


def _mend(file: Any) -> bytes:
    """Leave the file at the end of a whole line; returns what must be written first."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return b""
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return b""
    file.seek(0)
    tail = file.read().rpartition(b"\n")[2]
    if _is_json(tail):
        return b"\n"
    file.truncate(size - len(tail))
    return b""


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:  # of JSON or of UTF-8
        return False
    return True


def _read(path: Path, adapter: TypeAdapter[Kept]) -> Rows[Kept]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(
            f"Report: {str(path)!r} cannot be read ({error.strerror}); run the benchmark first."
        ) from error
    note = None
    if lines[-1].strip() and not _is_json(lines[-1]):
        lines.pop()
        note = f"{path.name}: a half-written last line was dropped."
    found: dict[tuple[str, str], Kept] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            row = _row(path, number, line, adapter)
            found[row["method"], row["id"]] = row
    return Rows(list(found.values()), note)


def _row(path: Path, number: int, line: bytes, adapter: TypeAdapter[Kept]) -> Kept:
    try:
        row = json.loads(line)
        return adapter.validate_python({**UNSAID, **row} if isinstance(row, dict) else row)
    except ValidationError as error:
        first = error.errors()[0]
        problem = f"{'.'.join(map(str, first['loc'])) or 'row'}: {first['msg']}"
    except ValueError as error:
        problem = str(error)
    raise InputError(
        f"Report: line {number} of {str(path)!r} cannot be used ({problem}); delete it, or run the benchmark anew."
    )
