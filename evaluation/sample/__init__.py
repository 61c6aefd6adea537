"""The shipped sample: short encyclopedic passages and multi-hop questions about them.

It hands out where the passages lie and what the questions are. It does not know how passages are ingested or how
answers are scored.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

QuestionType = Literal["bridge", "comparison", "yes_no", "three_hop", "unanswerable", "intersection", "aggregate"]


class Question(TypedDict):
    """One line of questions.jsonl."""

    id: str
    question: str
    answer: str
    """Shortest exact answer; "yes" or "no"; digits for a count; empty for an unanswerable question."""
    aliases: list[str]
    """Other forms of the answer that are right as well."""
    type: QuestionType
    supporting: list[str]
    """Titles of the passages that hold the answer, in the order of the hops; empty for an unanswerable question."""
    hops: str
    """The way to the answer, in a few words."""
    demo: NotRequired[bool]
    """True for the questions that `make demo` asks."""
    operator: NotRequired[str]
    """The plan operator that this question shows."""
    plan: NotRequired[dict[str, Any]]
    """A hand-written plan, {"nodes": [{id, op, query, depends_on, confidence}]}, that uses the operator."""


def passages_path() -> Path:
    """Path of passages.jsonl, one {"id", "title", "text", "aliases"?} a line."""
    # The package is always installed unpacked (the weights need real files too), so a resource is a path.
    return Path(str(files(__name__) / "passages.jsonl"))


def questions() -> list[Question]:
    """All questions, in the order of the file."""
    text = (files(__name__) / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
