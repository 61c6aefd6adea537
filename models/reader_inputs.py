"""Windows: a question with passages as the token sequences that the trained reader takes.

`[CLS] question [SEP] title : sentences [SEP] title : sentences [SEP]`, passages in order, as many as fit; what does not
fit opens the next window. Training and reading share this file, so that both see the same. Knows nothing about weights.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tokenizers import Tokenizer

from stores.sentences import split_sentences

MAX_TOKENS = 384
"""Longest window."""
MAX_QUESTION = 72
"""Longest question, in tokens; of a longer one the beginning and the end are read: what is asked stands there."""
MAX_WINDOWS = 16
"""Of one reading; what does not fit into them is not read."""
MAX_TITLE = 24


class Piece(NamedTuple):
    """A token of a passage: where it stands."""

    passage: int
    """Number among the passages given."""
    sentence: int
    """Number in the passage; −1 for the title."""
    start: int
    """First character in the passage's text, or in its title."""
    end: int


class Mark(NamedTuple):
    """The token that stands for a whole sentence, its first."""

    at: int
    passage: int
    sentence: int


@dataclass(slots=True)
class Window:
    """One sequence: `ids` and `types` (0 question, 1 passages) are parallel; `pieces` is None outside of passages."""

    ids: list[int]
    types: list[int]
    pieces: list[Piece | None]
    marks: list[Mark] = field(default_factory=list)


class Sentences(NamedTuple):
    """A passage's sentences with the place of each in its text."""

    texts: list[str]
    starts: list[int]


def locate_sentences(text: str) -> Sentences:
    """Sentences of a text and where each begins.

    >>> locate_sentences("It rains.  Go in.").starts
    [0, 11]
    """
    texts = split_sentences(text)
    starts, at = [], 0
    for one in texts:
        at = text.index(one, at)
        starts.append(at)
        at += len(one)
    return Sentences(texts, starts)


def windows(
    tokenizer: Tokenizer, question: str, passages: Sequence[tuple[str, str]], limit: int = MAX_TOKENS
) -> list[Window]:
    """Pack a question with passages.

    Args:
        tokenizer: of the reader's model, without truncation and padding.
        question: any string.
        passages: (title, text) of each, best first.
        limit: longest window in tokens.

    Returns:
        At least one window when any passage holds a token. A longer sentence is cut; none spans two.
    """
    cls, sep, colon = (tokenizer.token_to_id(token) or 0 for token in ("[CLS]", "[SEP]", ":"))
    asked = tokenizer.encode(question, add_special_tokens=False).ids
    if len(asked) > MAX_QUESTION:
        asked = [*asked[: MAX_QUESTION // 3], *asked[-(MAX_QUESTION - MAX_QUESTION // 3) :]]
    head = [cls, *asked, sep]
    room = limit - len(head)
    made: list[Window] = []
    for number, (title, text) in enumerate(passages):
        titled = tokenizer.encode(title, add_special_tokens=False)
        prefix: list[tuple[int, Piece | None]] = [
            (token, Piece(number, -1, *place))
            for token, place in zip(titled.ids[:MAX_TITLE], titled.offsets[:MAX_TITLE], strict=True)
        ]
        prefix.append((colon, None))
        for part in _parts(_sentences(tokenizer, number, text), room - len(prefix) - 1):
            if not made or len(made[-1].ids) + len(prefix) + sum(map(len, part)) + 1 > limit:
                if len(made) == MAX_WINDOWS:
                    return made
                made.append(Window(list(head), [0] * len(head), [None] * len(head)))
            _append(made[-1], prefix, part, sep)
    return made


def _sentences(tokenizer: Tokenizer, number: int, text: str) -> list[list[tuple[int, Piece]]]:
    found = locate_sentences(text)
    sentences = []
    for position, (one, start) in enumerate(zip(*found, strict=True)):
        encoded = tokenizer.encode(one, add_special_tokens=False)
        places = [Piece(number, position, start + a, start + b) for a, b in encoded.offsets]
        sentences.append(list(zip(encoded.ids, places, strict=True)))
    return [sentence for sentence in sentences if sentence]


def _parts(sentences: list[list[tuple[int, Piece]]], room: int) -> Iterator[list[list[tuple[int, Piece]]]]:
    """Runs of sentences that fit into one window."""
    part: list[list[tuple[int, Piece]]] = []
    for sentence in sentences:
        kept = sentence[:room]
        if part and sum(map(len, part)) + len(kept) > room:
            yield part
            part = []
        part.append(kept)
    if part:
        yield part


def _append(
    window: Window, prefix: list[tuple[int, Piece | None]], part: list[list[tuple[int, Piece]]], sep: int
) -> None:
    for token, piece in prefix:
        window.ids.append(token)
        window.pieces.append(piece)
    for sentence in part:
        first = sentence[0][1]
        window.marks.append(Mark(len(window.ids), first.passage, first.sentence))
        for token, place in sentence:
            window.ids.append(token)
            window.pieces.append(place)
    window.ids.append(sep)
    window.pieces.append(None)
    window.types += [1] * (len(window.ids) - len(window.types))
