"""What the reader's network read: the best spans of all windows, the kind of answer, the sentences that support it.

Pure functions over logits. A span is cut out of the passage by the offsets of its tokens, never put together from them.
It knows nothing of typed spans and of calibration (`models.reader_combining`).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.reader_inputs import Piece, Window
from models.reader_model import Floats, Logits
from models.spans import answer_key

STARTS = 30
"""Tokens of a window that are tried as beginnings."""
LONGEST = 24
"""Tokens of a span at most."""
KEPT = 20
"""Distinct answers."""
NEVER = -1e9
LEAST_NONE = 1e-3
"""A window's p(none) is taken for no less: odds stay finite."""


class ReadSpan(NamedTuple):
    """An answer as the network read it; of several places of one answer the most probable."""

    text: str
    key: str
    passage: int
    """Number among the passages read."""
    sentence: int
    """Number in the passage; −1 for its title."""
    probability: float
    """That it begins and ends here, of all places in all windows; summed over the places of the same answer."""


class Reading(NamedTuple):
    """One question read once."""

    spans: tuple[ReadSpan, ...]
    """Distinct answers, most probable first."""
    span: float
    """Probability that the answer stands in the passages, word for word."""
    yes: float
    no: float
    none: float
    """Probability that these passages do not answer the question."""
    sentences: dict[tuple[int, int], float]
    """(passage, sentence) → probability that the sentence supports the answer."""


def reading(windows: Sequence[Logits], passages: Sequence[tuple[str, str]]) -> Reading:
    """Join what the network said of each window.

    A span's probability is its share of Σ exp(start + end) over the spans of its window, times the window's share of
    Σ p(kind = span) / p(none): the odds that it is this one of all windows that answers. The kinds are averaged, each
    window weighing 1 − p(none); none is that of the window most likely to hold the answer.

    Args:
        windows: of one question, in order; may be empty.
        passages: (title, text) as they were read.
    """
    if not windows:
        return Reading((), 0.0, 0.0, 0.0, 1.0, {})
    kinds = np.array([_softmax(one.kind) for one in windows])
    weights = np.maximum(1 - kinds[:, 3], 1e-6)
    mean = (kinds * weights[:, None]).sum(axis=0) / weights.sum()
    none = float(kinds[:, 3].min())
    answered = max(1e-9, float(mean[:3].sum()))
    span, yes, no = (float(p) / answered * (1 - none) for p in mean[:3])
    odds = np.maximum(kinds[:, 0], 1e-9) / np.maximum(kinds[:, 3], LEAST_NONE)
    shares = odds / odds.sum()
    places = [
        (math.log(share) + score, first, last)
        for one, share in zip(windows, shares, strict=True)
        for score, first, last in _places(one, passages)
    ]
    sentences = {
        (m.passage, m.sentence): _sigmoid(float(one.sentence[m.at])) for one in windows for m in one.window.marks
    }
    return Reading(_distinct(places, passages), span, yes, no, none, sentences)


def _places(one: Logits, passages: Sequence[tuple[str, str]]) -> list[tuple[float, Piece, Piece]]:
    """(log probability, first piece, last piece) of spans within a sentence that begin and end with a word."""
    window = one.window
    opens, closes, groups = _edges(window, passages)
    inside = groups >= 0
    start, end = (np.where(inside, logits, NEVER) for logits in (one.start, one.end))
    begins = np.argsort(-np.where(opens, start, NEVER))[:STARTS]
    begins = begins[opens[begins]]
    ends = begins[:, None] + np.arange(LONGEST)[None, :]
    beyond = ends >= len(groups)
    ends = np.minimum(ends, len(groups) - 1)
    wrong = beyond | ~closes[ends] | (groups[ends] != groups[begins][:, None])
    scores = np.where(wrong, NEVER, start[begins][:, None] + end[ends])
    if scores.size == 0 or scores.max() == NEVER:
        return []
    scores = scores - scores.max() - np.log(np.exp(scores - scores.max()).sum())
    best = np.argsort(-scores, axis=None)[: 4 * KEPT]
    found = []
    for place in best:
        row, column = divmod(int(place), LONGEST)
        first, last = window.pieces[begins[row]], window.pieces[ends[row, column]]
        if not wrong[row, column] and first and last:
            found.append((float(scores[row, column]), first, last))
    return found


def _edges(
    window: Window, passages: Sequence[tuple[str, str]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]:
    """Of each token: does a word begin with it, does one end with it, and the number of its sentence (−1: none)."""
    size = len(window.ids)
    opens, closes, groups = np.zeros(size, bool), np.zeros(size, bool), np.full(size, -1)
    for at, piece in enumerate(window.pieces):
        if piece is None:
            continue
        text = passages[piece.passage][0 if piece.sentence < 0 else 1]
        groups[at] = piece.passage * 100_000 + piece.sentence + 1
        opens[at] = piece.start == 0 or not (text[piece.start - 1].isalnum() and text[piece.start].isalnum())
        closes[at] = piece.end >= len(text) or not (text[piece.end - 1].isalnum() and text[piece.end].isalnum())
    return opens, closes, groups


def _distinct(
    places: Sequence[tuple[float, Piece, Piece]], passages: Sequence[tuple[str, str]]
) -> tuple[ReadSpan, ...]:
    best: dict[str, ReadSpan] = {}
    for score, first, last in sorted(places, key=lambda place: -place[0]):
        text = trimmed(passages[first.passage][0 if first.sentence < 0 else 1][first.start : last.end])
        key = answer_key(text)
        if not key:
            continue
        if key in best:
            best[key] = best[key]._replace(probability=best[key].probability + math.exp(score))
        elif len(best) < KEPT:
            best[key] = ReadSpan(text, key, first.passage, first.sentence, math.exp(score))
    return tuple(sorted(best.values(), key=lambda one: -one.probability))


def trimmed(text: str) -> str:
    """Without what cannot belong to an answer: commas around it, a bracket or a quotation mark that has no other.

    >>> trimmed("(film"), trimmed("Big Stone Gap (film),"), trimmed('"Jaws')
    ('film', 'Big Stone Gap (film)', 'Jaws')
    """
    text = text.strip(" \t\n,;:")
    for left, right in ("()", "[]", "“”", '""'):
        if sum(text.count(mark) for mark in {left, right}) == 1:
            text = text.strip(left + right).strip()
    return text


def _softmax(logits: Floats) -> Floats:
    raw = np.exp(logits - logits.max())
    shares: Floats = raw / raw.sum()
    return shares


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
