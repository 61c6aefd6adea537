"""Examples for training the reader: questions with passages, where their answers stand, and which sentences carry them.

Knows no files (`models.training.reader_sources`).
"""

import hashlib
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from evaluation.datasets.loading import question_key

Kind = Literal["span", "yes", "no", "none"]
KINDS: tuple[Kind, ...] = ("span", "yes", "no", "none")
"""Classes of the reader's first head, in the order of its logits."""


@dataclass(frozen=True, slots=True)
class Text:
    """A passage with the characters that support the answer; `facts` is None where nobody has marked them."""

    title: str
    text: str
    facts: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A question before its passages are drawn."""

    id: str
    set: str
    question: str
    answers: tuple[str, ...]
    gold: tuple[Text, ...]
    others: tuple[Text, ...] = field(default=(), repr=False)
    """Passages without the answer, the nearest first."""
    family: str = ""
    """The question that it is a hop of; empty for itself."""
    hops: frozenset[str] = frozenset()
    """Names of the single hops that it asks for; two questions may share one."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question as it is read: passages in their order, those of `gold` hold the answer."""

    source: str
    set: str
    question: str
    answers: tuple[str, ...]
    kind: Kind
    passages: tuple[Text, ...]
    gold: frozenset[int]


def is_held_out(question: str, share: float = 0.12) -> bool:
    """Whether a question is kept for choosing and calibrating: by its words, so that no other copy is trained on."""
    digest = hashlib.blake2b(question_key(question).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32 < share


def split(sources: Iterable[Source]) -> tuple[list[Source], list[Source]]:
    """(what is trained on, what is held out).

    A hop goes with the question that it comes from. What is not held out, but shares a hop with a question that is,
    is in neither.
    """
    told = list(sources)
    held = [one for one in told if is_held_out(one.family or one.question)]
    spoken: set[str] = set().union(*(one.hops for one in held))
    kept = [one for one in told if not is_held_out(one.family or one.question) and not one.hops & spoken]
    return kept, held


def draw(source: Source, rng: random.Random, *, none: float = 0.15) -> Example:
    """Passages for one reading of a question.

    Several gold passages come together, with one to three others for questions of many hops and fewer for one; all
    shuffled. With chance `none` a passage that is needed is left out, and the question cannot be answered here.
    """
    others = [text for text in source.others if not _holds(text, source.answers)]
    gold = list(source.gold)
    kind: Kind = "span"
    if source.answers[0] in ("yes", "no"):
        kind = "yes" if source.answers[0] == "yes" else "no"
    if others and rng.random() < none:
        holders = [text for text in gold if kind != "span" or _holds(text, source.answers)]
        gold = [text for text in gold if text not in (holders if kind == "span" else holders[:1])]
        kind = "none"
    wanted = rng.choice((0, 1, 1, 2, 3)) if len(source.gold) > 1 else rng.choice((0, 0, 0, 1, 2))
    wanted = max(wanted, int(not gold))
    nearest = others[: max(4, wanted)]
    drawn = [(text, False) for text in rng.sample(nearest, min(wanted, len(nearest)))]
    mixed = [(text, kind != "none") for text in gold] + drawn
    rng.shuffle(mixed)
    passages = tuple(text if needed or kind != "none" else _unmarked(text) for text, needed in mixed)
    held = frozenset(n for n, (_, needed) in enumerate(mixed) if needed)
    return Example(source.id, source.set, source.question, source.answers, kind, passages, held)


def _holds(text: Text, answers: tuple[str, ...]) -> bool:
    whole = f"{text.title} {text.text}".lower()
    return any(answer.lower() in whole for answer in answers if answer not in ("yes", "no"))


def _unmarked(text: Text) -> Text:
    """A passage of a question that has no answer here: nobody says what its sentences are worth."""
    return Text(text.title, text.text)
