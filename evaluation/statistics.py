"""How sure a figure is: paired bootstrap intervals of means, percentiles and differences over questions.

Knows values by question id; what they measure does not matter. None means that the question has no value (no gold, no
answer): it is left out and counted. Two methods are compared on the questions that both have a value for. The same
values and seed give the same interval, in whatever order they come.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from stores.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Values = Mapping[str, float | None]
"""Question id to its value."""
Statistic = Callable[[Floats], Floats]
"""Takes samples of shape (…, questions), gives one figure for each, of shape (…)."""
Row = TypeVar("Row")

RESAMPLES = 10_000
LEVEL = 0.95
CELLS = 2_000_000
"""Indices drawn at a time, so that many questions do not fill the memory."""


class Interval(NamedTuple):
    """A figure with its confidence interval."""

    value: float
    """The figure on the questions as they are."""
    low: float
    high: float
    n: int
    """Questions it rests on."""
    dropped: int
    """Questions left out because a value is missing."""


class Pairs(NamedTuple):
    """Values of two methods on the same questions."""

    ids: list[str]
    """Sorted."""
    a: Floats
    b: Floats
    dropped: int
    """Questions that only one of them has a value for, or that neither has."""


def mean(samples: Floats) -> Floats:
    """Mean over questions."""
    return np.asarray(samples.mean(axis=-1))


def percentile(q: float) -> Statistic:
    """The q-th percentile over questions, q from 0 to 100, interpolated linearly as in `evaluation.latency`."""
    return lambda samples: np.asarray(np.percentile(samples, q, axis=-1))


def align(a: Values, b: Values) -> Pairs:
    """Pair two methods' values by question id.

    >>> align({"q2": 1.0, "q1": 0.0}, {"q1": 1.0, "q2": 1.0, "q3": 0.0})
    Pairs(ids=['q1', 'q2'], a=array([0., 1.]), b=array([1., 1.]), dropped=1)
    """
    ids = sorted(i for i in a.keys() & b.keys() if a[i] is not None and b[i] is not None)
    return Pairs(ids, _array(a, ids), _array(b, ids), len(a.keys() | b.keys()) - len(ids))


def interval(
    values: Values,
    statistic: Statistic = mean,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Bootstrap interval of a figure over questions.

    Questions are drawn with replacement, as many as there are, `resamples` times; the interval runs between the
    (1 ± level)/2 quantiles of the figure on these draws: the percentile method of Efron, Tibshirani, "An Introduction
    to the Bootstrap", 1993, chapter 13. It says how much the choice of questions matters, not the spread of runs.

    Returns:
        None when no question has a value.
    """
    ids = sorted(i for i, value in values.items() if value is not None)
    if not ids:
        return None
    known = _array(values, ids)
    drawn = _concatenate(statistic(known[rows]) for rows in _draws(len(ids), resamples, seed))
    return _interval(float(statistic(known)), drawn, level, len(ids), len(values) - len(ids))


def paired_interval(
    a: Values,
    b: Values,
    statistic: Statistic = mean,
    *,
    ratio: bool = False,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval | None:
    """Bootstrap interval of statistic(a) − statistic(b), or of their ratio, over the questions that both have.

    Each draw takes the same questions for both, so that hard questions, hard for both, cancel out (Efron, Tibshirani
    1993; Koehn, "Statistical Significance Tests for Machine Translation Evaluation", EMNLP 2004).

    Args:
        a: values of one method.
        b: values of the other.
        statistic: what is compared.
        ratio: a / b instead of a − b. A draw where b's figure is 0 gives inf, or 1 when a's is 0 too.
        level: of confidence.
        resamples: number of draws.
        seed: of the draws.

    Returns:
        None when no question has both values.
    """
    pairs = align(a, b)
    if not pairs.ids:
        return None
    compare = _ratio if ratio else np.subtract
    drawn = _concatenate(
        compare(statistic(pairs.a[rows]), statistic(pairs.b[rows])) for rows in _draws(len(pairs.ids), resamples, seed)
    )
    value = float(compare(statistic(pairs.a), statistic(pairs.b)))
    return _interval(value, drawn, level, len(pairs.ids), pairs.dropped)


def rows_interval(
    rows: Sequence[Row],
    statistic: Callable[[Sequence[Row]], float | None],
    *,
    level: float = LEVEL,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Bootstrap interval of any figure of whole questions: AUROC, ECE, AULC, or one that compares two methods.

    As `interval`, one draw at a time and so with fewer of them. Draws on which the figure is not defined (an AUROC
    without a wrong answer) are left out.

    Args:
        rows: what is known of each question, in an order of its own (say, by id).
        statistic: the figure, None where it is not defined.
        level: of confidence.
        resamples: number of draws.
        seed: of the draws.

    Returns:
        None when the figure is not defined on the rows, or on any draw.
    """
    value = statistic(rows) if rows else None
    if value is None:
        return None
    figures = (statistic([rows[i] for i in row]) for chunk in _draws(len(rows), resamples, seed) for row in chunk)
    drawn = np.array([figure for figure in figures if figure is not None], dtype=np.float64)
    return _interval(value, drawn, level, len(rows), 0) if len(drawn) else None


def _draws(questions: int, resamples: int, seed: int) -> Iterator[Ints]:
    """Indices with replacement, shape (some, questions), `resamples` rows in all."""
    rng = np.random.default_rng(seed)
    at_once = max(1, CELLS // questions)
    for start in range(0, resamples, at_once):
        yield rng.integers(0, questions, (min(at_once, resamples - start), questions), dtype=np.int32)


def _concatenate(parts: Iterator[Floats]) -> Floats:
    return np.concatenate(list(parts))


def _ratio(a: Floats, b: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a == b, 1.0, a / b)


def _interval(value: float, drawn: Floats, level: float, n: int, dropped: int) -> Interval:
    low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), method="inverted_cdf")
    return Interval(value, float(low), float(high), n, dropped)


def _array(values: Values, ids: list[str]) -> Floats:
    known = np.array([values[i] for i in ids], dtype=np.float64)
    if not np.isfinite(known).all():
        wrong = ids[int(np.flatnonzero(~np.isfinite(known))[0])]
        raise InputError(f"Statistics: the value of question {wrong!r} is {values[wrong]!r}; give a number, or none.")
    return known
