"""SQuAD 1.1 and 2.0: paragraphs with questions about each, answered by one paragraph or by none.

Three forms of a record: an article of the official file, a paragraph with its questions, and a row of HuggingFace's
parquet file (one question). Source: https://rajpurkar.github.io/SQuAD-explorer/
"""

from collections.abc import Iterator
from typing import Any

from evaluation.datasets.fields import kind, listed, optional, text
from evaluation.datasets.records import Paragraph, Question, paragraph
from tools.formats import Unreadable


def read_squad(record: dict[str, Any]) -> Iterator[Question]:
    """The questions of an article, of a paragraph, or the one question of a row."""
    title = optional(record, "title").replace("_", " ")
    if "qas" in record:
        own = paragraph(title, text(record, "context"))
        for entry in _objects(record, "qas"):
            yield _question(entry, own)
    elif "paragraphs" in record:
        for part in _objects(record, "paragraphs"):
            yield from read_squad({"title": title, "context": part.get("context"), "qas": part.get("qas")})
    elif "context" in record:
        yield _question(record, paragraph(title, text(record, "context")))
    else:
        raise Unreadable(f"has neither 'paragraphs' nor 'context' ({listed(record)})")


def _objects(record: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = record[name]
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return value
    raise Unreadable(f"has {name!r} that is {kind(value)}, not a list of objects")


def _question(entry: dict[str, Any], own: Paragraph) -> Question:
    answers = _answers(entry)
    answerable = bool(answers) and not entry.get("is_impossible", False)
    return {
        "id": optional(entry, "id"),
        "question": text(entry, "question"),
        "answer": answers[0] if answerable else "",
        "aliases": answers[1:] if answerable else [],
        "type": "",
        "hops": 1,
        "supporting": [{"title": own["title"], "passage": own["key"], "sentences": []}] if answerable else [],
        "passages": [own],
        "answerable": answerable,
        "steps": [],
        "key_facts": [],
    }


def _answers(entry: dict[str, Any]) -> list[str]:
    """Distinct answers: [{"text": …}], or HuggingFace's {"text": […]}."""
    answers = entry.get("answers")
    if isinstance(answers, dict):
        answers = [{"text": answer} for answer in answers.get("text") or []]
    if not isinstance(answers, list) or not all(isinstance(answer, dict) for answer in answers):
        raise Unreadable(f"has a question without a list of 'answers' ({listed(entry)})")
    return list(dict.fromkeys(text(answer, "text") for answer in answers))
