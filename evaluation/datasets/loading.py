"""Reads a question set: which layout it is, and its questions in one form.

The layout is recognised from the first record, or named. A record that does not fit ends the reading, with one
sentence that names file, record and what is missing: a benchmark over part of a file would be worth nothing.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from difflib import get_close_matches
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, get_args

from evaluation.datasets.aliases import AnswerAliases
from evaluation.datasets.fields import listed, optional
from evaluation.datasets.files import read_records, sha256
from evaluation.datasets.multihop import read_2wiki, read_hotpotqa, read_musique
from evaluation.datasets.plain import SEVERAL, SINGLE, read_lmcache, read_plain
from evaluation.datasets.records import Dataset, Layout, Question
from evaluation.datasets.squad import read_squad
from stores.errors import InputError
from tools.formats import Unreadable

READERS: dict[Layout, Callable[[dict[str, Any]], Iterator[Question]]] = {
    "hotpotqa": read_hotpotqa,
    "2wiki": read_2wiki,
    "musique": read_musique,
    "squad": read_squad,
    "lmcache": read_lmcache,
    "jsonl": read_plain,
}
Found = TypeVar("Found")

LAYOUTS: tuple[Layout, ...] = get_args(Layout)
TYPES_2WIKI = ("compositional", "inference", "bridge_comparison", "bridge-comparison")
SUFFIXES = re.compile(r"(\.(json|jsonl|ndjson|parquet))?(\.gz)?$", re.IGNORECASE)


def load_dataset(path: str | Path, layout: str = "auto") -> Dataset:
    """All questions of a file.

    Args:
        path: JSON, JSON lines or parquet, each also gzipped.
        layout: one of `LAYOUTS`, or auto.

    Raises:
        InputError: the file cannot be read, or a record does not fit the layout.
    """
    path = Path(path)
    name = known_layout(layout) or layout_of(path)
    return {
        "name": SUFFIXES.sub("", path.name),
        "path": str(path),
        "layout": name,
        "sha256": sha256(path),
        "questions": list(read_questions(path, name)),
    }


def read_questions(path: str | Path, layout: str = "auto") -> Iterator[Question]:
    """The questions of a file one at a time, in its order; for files that need not be in memory as a whole.

    Raises:
        InputError: as `load_dataset`.
    """
    path = Path(path)
    name = known_layout(layout) or layout_of(path)
    aliases = AnswerAliases(path)
    ids: Counter[str] = Counter()

    def read(record: dict[str, Any]) -> Iterator[Question]:
        for question in READERS[name](record):
            question["id"] = _unique(question, ids)
            question["aliases"] += aliases.of(record, question["answer"])
            yield question

    return _each(path, read, f" read as {name}")


def layout_of(path: str | Path) -> Layout:
    """The layout of a file, recognised from its first record.

    Raises:
        InputError: the file cannot be read, or is none of ours.
    """
    path = Path(path)
    with closing(_each(path, lambda record: iter([record]))) as records:
        first = next(records, None)
    if first is None:
        raise InputError(f"datasets: {str(path)!r} holds no questions")
    if found := recognise(first):
        return found
    raise InputError(
        f"datasets: {str(path)!r} is no question set known here: its first record is neither a question with an answer "
        f"nor of an official layout ({listed(first)})"
    )


def recognise(record: dict[str, Any]) -> Layout | None:
    """The layout of a record, if it is one of ours.

    >>> recognise({"question": "Who?", "answer": "Ada"}), recognise({"title": "Ada", "text": "…"})
    ('jsonl', None)
    """
    paragraphs = record.get("paragraphs")
    first = paragraphs[0] if isinstance(paragraphs, list) and paragraphs else None
    if "qas" in record or (isinstance(first, dict) and "qas" in first):
        return "squad"
    if "question" in record or "query" in record:
        if "question_decomposition" in record or (isinstance(first, dict) and "paragraph_text" in first):
            return "musique"
        if "context" in record and "answers" in record:
            return "squad"
        if "context" in record and ("supporting_facts" in record or isinstance(record["context"], list)):
            return "2wiki" if "evidences" in record or record.get("type") in TYPES_2WIKI else "hotpotqa"
        if "expected_answer" in record and "key_facts" in record:
            return "lmcache"
        if any(name in record for name in (*SINGLE, *SEVERAL)):
            return "jsonl"
    return None


def known_layout(name: str) -> Layout | None:
    """A layout by its name; None for auto.

    Raises:
        InputError: there is no such layout.
    """
    if name == "auto":
        return None
    for layout in LAYOUTS:
        if layout == name.lower():
            return layout
    close = get_close_matches(name.lower(), LAYOUTS, 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise InputError(f"datasets: there is no layout {name!r}: {hint}take auto, {', '.join(LAYOUTS)}")


def question_keys(path: str | Path) -> set[str]:
    """The questions of a file in a form that is the same for the same question in another file.

    A command that trains drops every question whose `question_key` is in a file meant for reporting. The file needs no
    answers, and may mix layouts.

    Raises:
        InputError: the file cannot be read.
    """
    return {question_key(found) for found in _each(Path(path), _texts)}


def question_key(question: str) -> str:
    """Words of a question: no case, punctuation, accents or spacing.

    >>> question_key("  Who wrote “Émile”?") == question_key("who wrote Emile")
    True
    """
    plain = unicodedata.normalize("NFKD", question.casefold())
    return " ".join(re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c))))


def _texts(record: dict[str, Any]) -> Iterator[str]:
    """Every question in a record, however deep a SQuAD file has put it."""
    if found := optional(record, "question", "query"):
        yield found
    for name in ("paragraphs", "qas"):
        for part in record.get(name) or []:
            if isinstance(part, dict):
                yield from _texts(part)


def _each(
    path: Path, read: Callable[[dict[str, Any]], Iterator[Found]], said: str = ""
) -> Generator[Found, None, None]:
    """What `read` finds in each record of a file; what is wrong with a record is said with its number."""
    number = 1
    with closing(read_records(path)) as records:
        try:
            for record in records:
                yield from read(record)
                number += 1
        except Unreadable as error:
            raise InputError(f"datasets: {str(path)!r}{said}: record {number:,} {error}") from None


def _unique(question: Question, ids: Counter[str]) -> str:
    """The question's id, made one where it has none (a hash of its text) or where it comes again.

    MuSiQue's full files have each id twice: with and without what is needed for the answer.
    """
    given = question["id"] or blake2b(question["question"].encode(), digest_size=8).hexdigest()
    ids[given] += 1
    return given if ids[given] == 1 else f"{given}#{ids[given]}"
