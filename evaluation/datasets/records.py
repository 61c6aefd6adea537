"""What a question set holds, in one form for every layout: plain JSON values, fit for a state, a cache or a report."""

from typing import Literal

from typing_extensions import TypedDict

from stores.records import Document

Layout = Literal["hotpotqa", "2wiki", "musique", "squad", "lmcache", "jsonl"]


class Paragraph(TypedDict):
    """A paragraph that a question came with: one that holds the answer, or one that only looks like it."""

    key: str
    """Hash of title and text: the same paragraph of two questions has one key, and it is the pooled document's id."""
    title: str
    text: str


class Supporting(TypedDict):
    """A paragraph that is needed for the answer."""

    title: str
    passage: str
    """Its key among the question's passages; empty when the question came without it."""
    sentences: list[str]
    """The sentences that are needed; empty when the whole paragraph counts."""


class Step(TypedDict):
    """One hop of the gold decomposition. `#1` in a question stands for the answer of step 1."""

    question: str
    answer: str
    """Empty where the data tells none."""
    passage: str
    """Key of the paragraph that answers it; empty where the data tells none."""


class Question(TypedDict):
    """One question with what is known about its answer."""

    id: str
    """Unique in its file: where an id comes again, `#2`, `#3`, … is put behind it."""
    question: str
    answer: str
    """Empty for an unanswerable question, also where the data names a plausible answer."""
    aliases: list[str]
    """Other answers that are right as well."""
    type: str
    """As the data says: `bridge`, `comparison`, `compositional`, `inference`, `3hop1`, …; empty where it does not."""
    hops: int | None
    """How many paragraphs have to be put together."""
    supporting: list[Supporting]
    """In the order of the hops where the data has one. Of an unanswerable question, what is left of it."""
    passages: list[Paragraph]
    """The question's own paragraphs; empty when it came with none."""
    answerable: bool
    steps: list[Step]
    key_facts: list[str]
    """Words that a right answer of several sentences must hold (LMCache)."""


class Dataset(TypedDict):
    """The questions of one file."""

    name: str
    """The file's name without its suffixes."""
    path: str
    layout: Layout
    sha256: str
    """Of the file as it lies on disk: tells a report what was asked."""
    questions: list[Question]


def paragraph(title: str, text: str) -> Paragraph:
    """A paragraph with its key.

    >>> paragraph("Aare", "A river.")["key"] == paragraph("Aare", "A river.")["key"] != paragraph("Aare", "It.")["key"]
    True
    """
    return {"key": Document("", title, text).content_hash, "title": title, "text": text}
