"""Typed spans of a passage: names, titles, quotations, dates, numbers with their unit, nationalities, noun phrases.

It knows nothing about the question: what a passage offers as answers is found once and kept, and the reader chooses.
How they are found is `models.span_patterns`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from models.span_patterns import Kind, dates, is_nation, names, numbers, phrases
from models.words import FUNCTION_WORDS, canon
from stores.sentences import split_sentences

REMEMBERED = 256
"""Passages kept with their spans: a run reads some ten, and each takes many times the memory of its text."""

_TOKEN = re.compile(
    r"(?:[A-Z]\.){2,}|[A-Z]\.(?=\s*[A-Z])|(?:Jr|Sr|St|Dr|Mr|Mrs|Ms|Lt|Col|Gen|Capt|Mt)\."
    r"|\d+(?:[,.:]\d+)*(?:st|nd|rd|th|s)?"
    r"|['’]s\b|[^\W\d_]+(?:['’](?!s\b)[^\W\d_]+|[-][^\W_]+|\d+)*|\S"
)
_QUOTE = re.compile(r"[\"“«](?=\w)([^\"“”«»]{2,80})[\"”»]")


_PREVIOUS = frozenset(
    {"^", "by", "in", "at", "of", "from", "with", "as", "called", "named", "for", "to", "on", "the", "a", "an", "and",
     "(", ",", '"', "is", "was", "near", ":", "since"}
)  # fmt: skip
_JOINED = frozenset({"in", "and", "for", "at", "on", "to", "or", "with", ",", "of"})
_FOLLOWING = frozenset({",", ".", "(", ")", "is", "was", "and", "of", "who", "$"})


class Span(NamedTuple):
    """One possible answer. `start` and `end` are token numbers in its sentence, end exclusive."""

    text: str
    kind: Kind
    start: int
    end: int
    key: str
    """Lowercase words without articles and punctuation: two spellings of one answer have the same key."""
    terms: tuple[str, ...]
    signs: tuple[str, ...]
    """What can be said of it without a question: its kind and its neighbours, as names of features."""


class Sentence(NamedTuple):
    """A sentence with its tokens (parallel tuples) and spans; `position` 0 opens the passage."""

    text: str
    tokens: tuple[str, ...]
    lower: tuple[str, ...]
    terms: tuple[str, ...]
    """Canonical term of each token, "" for function words and punctuation."""
    spans: tuple[Span, ...]
    position: int


@lru_cache(maxsize=REMEMBERED)
def analyse(text: str) -> tuple[Sentence, ...]:
    """Sentences of a passage with their spans; kept, because several hops and the synthesizer read one passage."""
    return tuple(_sentence(sentence, number) for number, sentence in enumerate(split_sentences(text)))


def answer_key(text: str) -> str:
    """Lowercase words without articles and punctuation: two spellings of one answer have the same key.

    >>> answer_key("The Shins!")
    'shins'
    """
    return " ".join(word for word in re.findall(r"\w+", text.lower()) if word not in ("the", "a", "an"))


def bare_title(title: str) -> str:
    """The title without its parenthesis: "Arizona (song)" is "Arizona"."""
    return re.sub(r"\s*\([^)]*\)\s*$", "", title).strip() or title


def terms_of(text: str) -> list[str]:
    """Canonical terms of a text, function words and punctuation left out, in order."""
    return [term for term in _terms(tuple(match.group().lower() for match in _TOKEN.finditer(text))) if term]


def _terms(lower: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("" if word in FUNCTION_WORDS or not word[0].isalnum() else canon(word) for word in lower)


def _sentence(text: str, position: int) -> Sentence:
    matches = list(_TOKEN.finditer(text))
    tokens = tuple(match.group() for match in matches)
    lower = tuple(token.lower() for token in tokens)
    starts = {match.start(): number for number, match in enumerate(matches)}
    ends = {match.end(): number + 1 for number, match in enumerate(matches)}
    offsets = [(match.start(), match.end()) for match in matches]
    found: dict[tuple[int, int], Kind] = {}
    dated: set[int] = set()

    def add(kind: Kind, start: int, end: int) -> None:
        if 0 <= start < end and (start, end) not in found:
            found[start, end] = kind

    for kind, begin, finish in dates(text):
        if begin in starts and finish in ends:
            add(kind, starts[begin], ends[finish])
            dated.update(range(starts[begin], ends[finish]))
    for match in _QUOTE.finditer(text):
        inner = match.group(1).rstrip(",. ")
        begin, finish = match.start(1), match.start(1) + len(inner)
        if begin in starts and finish in ends:
            add("quote", starts[begin], ends[finish])
    for kind, start, end in numbers(tokens, lower, dated):
        add(kind, start, end)
    for start, end in names(tokens, lower, dated):
        add("nation" if is_nation(lower[start:end]) else "name", start, end)
    for start, end in phrases(tokens, lower, dated):
        add("phrase", start, end)
    terms = _terms(lower)
    whole = [place for place, kind in found.items() if kind in ("name", "quote")]
    spans = tuple(
        Span(
            text[offsets[start][0] : offsets[end - 1][1]], kind, start, end, answer_key(" ".join(tokens[start:end])),
            tuple(term for term in terms[start:end] if term),
            tuple(_signs(lower, start, end, kind, position, inner=_is_inner(start, end, kind, whole))),
        )
        for (start, end), kind in found.items()
    )  # fmt: skip
    return Sentence(text, tokens, lower, terms, tuple(span for span in spans if span.key), position)


def _is_inner(start: int, end: int, kind: Kind, whole: Sequence[tuple[int, int]]) -> bool:
    """Whether it stands inside a longer name."""
    if kind not in ("name", "phrase", "nation"):
        return False
    return any(a <= start and end <= b and (a, b) != (start, end) for a, b in whole)


def _signs(lower: Sequence[str], start: int, end: int, kind: Kind, position: int, *, inner: bool) -> Iterator[str]:
    """Names of features that hold whatever is asked; those that end in "|" are joined with what is wanted."""
    previous = lower[start - 1] if start else "^"
    following = lower[end] if end < len(lower) else "$"
    yield f"k:{kind}{'-' if inner else ''}|"
    yield f"p:{previous if previous in _PREVIOUS else 'other'}|"
    yield f"n:{min(end - start, 5)}:{'phrase' if kind == 'phrase' else 'other'}"
    yield f"f:{following if following in _FOLLOWING else 'other'}"
    if kind == "name":
        yield from (f"j:{word}|" for word in lower[start + 1 : end - 1] if word in _JOINED)
    if following == "," and previous == ",":
        yield "f:between|"
    if sum((word == "(") - (word == ")") for word in lower[:start]) > 0:
        yield "x:paren|"
    if position == 0 and not {"is", "was", "are", "were"}.isdisjoint(lower[max(0, start - 6) : start]):
        yield "x:definition|"
    if start == 0:
        yield "x:subject"
