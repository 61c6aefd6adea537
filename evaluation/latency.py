"""Scores of speed, and of accuracy within a time: percentiles, Acc@T and the area under its curve.

Knows milliseconds and outcomes, one for each question, however they were measured. A question that was never answered
(an error, a timeout) has None: it is in no percentile, and it is a failure at every budget.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from stores.errors import InputError

BUDGETS_MS = (500, 1000, 2000, 5000, 10000)
"""Budgets that reports show."""
RANGE_MS = (10.0, 100_000.0)
"""Range of AULC: four decades, from a local search to an agent on a CPU."""

Scale = Literal["log", "linear"]


class Latency(NamedTuple):
    """Summary of durations in milliseconds."""

    p50: float
    p95: float
    p99: float
    mean: float
    n: int


class AccuracyAt(NamedTuple):
    """Accuracy under a budget of T milliseconds."""

    budget_ms: float
    strict: float
    """Right and answered within T, as a share of all questions."""
    conditional: float | None
    """Right, as a share of those answered within T; None when none was. It flatters whoever is fast on easy ones."""
    answered: float
    """Share of all questions answered within T."""


def percentile(durations: Iterable[float | None], q: float) -> float | None:
    """The q-th percentile, q from 0 to 100, of the durations that are not None; None without any.

    Between order statistics it is interpolated linearly: with n values sorted from x₀, the value at position
    (n − 1)·q/100 (type 7 of Hyndman, Fan, The American Statistician 50, 1996; NumPy's default).

    >>> percentile([100, 200, 300, 400], 50)
    250.0
    """
    known = _known(durations)
    return float(np.percentile(known, q)) if known else None


def summarise(durations: Iterable[float | None]) -> Latency | None:
    """Percentiles 50, 95 and 99, mean and number of the durations that are not None; None without any."""
    known = _known(durations)
    if not known:
        return None
    p50, p95, p99 = (float(value) for value in np.percentile(known, (50, 95, 99)))
    return Latency(p50, p95, p99, float(np.mean(known)), len(known))


def summarise_stages(runs: Iterable[Mapping[str, float]]) -> dict[str, Latency]:
    """Summary for each stage over the runs that have it, in the order in which stages are first met.

    A stage that some runs skip (a fallback) is summarised over those that took it: its n says how many.

    >>> summarise_stages([{"plan": 2.0}, {"plan": 4.0, "fallback": 9.0}])["plan"].p50
    3.0
    """
    stages: dict[str, list[float]] = {}
    for run in runs:
        for stage, ms in run.items():
            stages.setdefault(stage, []).append(ms)
    return {stage: found for stage, durations in stages.items() if (found := summarise(durations))}


def accuracy_at(outcomes: Sequence[float], durations: Sequence[float | None], budget_ms: float) -> AccuracyAt:
    """Acc@T: accuracy when every answer that takes longer than T milliseconds comes too late.

    strict = Σ outcome·[duration ≤ T] / n; conditional divides by the number answered within T.

    Args:
        outcomes: 1 right, 0 wrong for each question, or a score from 0 to 1 such as F1.
        durations: milliseconds of the same questions; None where no answer came.
        budget_ms: T.

    Raises:
        InputError: there are no questions.

    >>> accuracy_at([1, 0, 1], [100, 200, 900], 500)
    AccuracyAt(budget_ms=500, strict=0.3333333333333333, conditional=0.5, answered=0.6666666666666666)
    """
    _check(outcomes, durations)
    within = [o for o, ms in zip(outcomes, durations, strict=True) if ms is not None and ms <= budget_ms]
    count, right = len(outcomes), math.fsum(within)
    return AccuracyAt(budget_ms, right / count, right / len(within) if within else None, len(within) / count)


def accuracy_curve(
    outcomes: Sequence[float], durations: Sequence[float | None], budgets_ms: Iterable[float]
) -> list[AccuracyAt]:
    """Acc@T for each budget: the curve to draw."""
    return [accuracy_at(outcomes, durations, budget) for budget in budgets_ms]


def aulc(
    outcomes: Sequence[float],
    durations: Sequence[float | None],
    range_ms: tuple[float, float] = RANGE_MS,
    scale: Scale = "log",
) -> float:
    """Area under the latency curve: strict Acc@T averaged over T in a range, 0 to 1.

    The curve is a staircase, so the area is exact: (1/n) Σ outcome · (x(high) − x(t)) / (x(high) − x(low)), where t is
    the duration moved into the range and x is log or identity. On the log scale a method twice as fast gains the same
    wherever it stands. 1: always right, never slower than `low`. Comparable only over the same range and scale.

    Args:
        outcomes: 1 right, 0 wrong for each question, or a score from 0 to 1.
        durations: milliseconds of the same questions; None where no answer came.
        range_ms: lowest and highest budget.
        scale: how budgets are weighed.

    Raises:
        InputError: there are no questions.

    >>> aulc([1, 1], [10, 1000], range_ms=(10, 1000))
    0.5
    """
    _check(outcomes, durations)
    low, high = range_ms
    if not 0 < low < high:
        raise ValueError(f"aulc: the range is {range_ms!r}; give 0 < low < high")

    def x(ms: float) -> float:
        return math.log(ms) if scale == "log" else ms

    gained = (
        outcome * (x(high) - x(min(max(ms, low), high)))
        for outcome, ms in zip(outcomes, durations, strict=True)
        if ms is not None
    )
    return math.fsum(gained) / (x(high) - x(low)) / len(outcomes)


def _known(durations: Iterable[float | None]) -> list[float]:
    return [ms for ms in durations if ms is not None]


def _check(outcomes: Sequence[float], durations: Sequence[float | None]) -> None:
    if not outcomes:
        raise InputError("Accuracy within a time: there are no questions; score at least one.")
    if len(outcomes) != len(durations):
        raise ValueError(f"{len(outcomes)} outcomes but {len(durations)} durations")
