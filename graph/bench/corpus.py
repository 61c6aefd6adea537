"""What is searched: the corpus that a question set makes, written down to be ingested, and its name.

A corpus is named after its content and after the code that shapes an index, so that a second run over the same one
begins at once. Everything here blocks: call it in a thread.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from evaluation.datasets.loading import read_questions
from evaluation.datasets.pooling import given_passages
from evaluation.datasets.records import Question
from graph.bench.folder import code_version
from graph.bench.state import GIVEN, POOLED
from models.embedder import DEFAULT_EMBEDDER
from stores.records import Document

WHOLE = 20_000
"""Characters of a passage: no paragraph of a question set is cut (the longest of HotpotQA has 8,237)."""
SHAPING = ("stores/*.py", "tools/passage_text.py", "models/embedder.py", "models/weights/all-MiniLM-L6-v2/**/*")
"""Files that an index depends on."""


class Corpus(NamedTuple):
    """Documents that were written to a file."""

    namespace: str
    documents: int


class Asked(NamedTuple):
    """What a file of questions holds."""

    questions: list[Question]
    """All of them; with the paragraphs that hold the answer alone, unless each is asked against its own."""
    corpus: Corpus


def read_set(path: Path, layout: str, corpus: str, pool: Path) -> Asked:
    """Read a question set once, and write its paragraphs to `pool` on the way.

    Args:
        path: of the file.
        layout: of the file.
        corpus: pooled, given, or a namespace: then nothing is written.
        pool: where the paragraphs go.

    Raises:
        InputError: the file cannot be read.
    """
    questions: list[Question] = []

    def documents() -> Iterator[Document]:
        for question in read_questions(path, layout):
            questions.append(question if corpus == GIVEN else _with_gold(question))
            yield from given_passages(question)

    if corpus == POOLED:
        return Asked(questions, write_documents(pool, documents()))
    count = sum(1 for _ in documents())
    return Asked(questions, Corpus("", count))


def write_documents(path: Path, documents: Iterable[Document]) -> Corpus:
    """Write documents as JSON lines, equal keys once, blank ones not at all; one at a time, so that any number fits."""
    seen: set[bytes] = set()
    name = _Name()
    with path.open("w", encoding="utf-8", errors="replace") as out:
        for document in documents:
            key = bytes.fromhex(document.key)
            if key in seen or not document.text.strip():
                continue
            seen.add(key)
            name.add(document)
            record = {"id": document.key, "title": document.title, "text": document.text}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return Corpus(name.namespace, len(seen))


def own_namespace(question: Question) -> str:
    """Where a question's own paragraphs are."""
    name = _Name()
    for document in given_passages(question):
        if document.text.strip():
            name.add(document)
    return name.namespace


class _Name:
    """The name of a corpus, from its documents."""

    def __init__(self) -> None:
        self._digest = hashlib.blake2b(f"{code_version(SHAPING)} {DEFAULT_EMBEDDER} {WHOLE}".encode(), digest_size=8)

    def add(self, document: Document) -> None:
        """Take in the next document."""
        self._digest.update(bytes.fromhex(document.key))

    @property
    def namespace(self) -> str:
        return f"bench-{self._digest.hexdigest()}"


def _with_gold(question: Question) -> Question:
    gold = {supporting["passage"] for supporting in question["supporting"]}
    return {**question, "passages": [passage for passage in question["passages"] if passage["key"] in gold]}
