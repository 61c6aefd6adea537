"""Every method held against the first one, question by question: difference, interval, paired test, Holm's correction.

Knows values by question; the figures themselves are in `evaluation.aggregating`. The tests of one metric are a family:
`p_holm` is corrected for as many methods as were compared under it.
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from evaluation.aggregating import Scored, Timed, group_members, statistic_of, values_of
from evaluation.significance import holm, paired_test
from evaluation.statistics import RESAMPLES, Interval, Values, paired_interval

COMPARED = (
    *("em", "f1", "recall@5", "all_gold@5", "context_recall", "citation_precision", "judged_correct", "key_facts"),
    *("llm_calls", "p50_ms", "p95_ms"),
)
GROUPED = ("f1", "recall@5")
SMALLEST = 10
"""Groups of fewer questions are not compared: nothing would come of it."""
GROUP_RESAMPLES = 2000
"""There are many groups, and no headline hangs on them."""
RATIOS = ("em", "f1", "llm_calls", "p50_ms", "p95_ms")
"""Metrics for which "so many times as high" means something."""


def compare_methods(
    scored: Mapping[str, Scored], timed: Mapping[str, Timed], resamples: int = RESAMPLES
) -> list[dict[str, Any]]:
    """Comparisons of the first method with each other one, metric by metric.

    Returns:
        {a, b, metric, difference, low, high, p, p_holm, test, n, ratio}: a is the first method, difference = a − b,
        ratio = {value, low, high} of a / b or None. Metrics that one of the two lacks are left out.
    """
    first, *others = scored
    found = []
    for metric in COMPARED:
        mine = values_of(scored[first], timed.get(first, {}), metric)
        rows = []
        for other in others:
            theirs = values_of(scored[other], timed.get(other, {}), metric)
            if row := compare_values(mine, theirs, metric, resamples):
                rows.append({"a": first, "b": other, **row})
        found += _with_holm(rows)
    return found


def compare_groups(scored: Mapping[str, Scored], resamples: int = RESAMPLES) -> list[dict[str, Any]]:
    """The same within each group of questions, for `GROUPED`; rows have a `group` ("hops=2") as well."""
    first, *others = scored
    members = {group: set(ids) for group, ids in group_members(scored[first]).items() if len(ids) >= SMALLEST}
    found = []
    for group, metric in product(members, GROUPED):
        mine, *theirs = (_within(values_of(rows, {}, metric), members[group]) for rows in scored.values())
        rows = [
            {"a": first, "b": other, "group": group, **row}
            for other, values in zip(others, theirs, strict=True)
            if (row := compare_values(mine, values, metric, min(resamples, GROUP_RESAMPLES)))
        ]
        found += _with_holm(rows)
    return found


def compare_values(a: Values, b: Values, metric: str, resamples: int = RESAMPLES) -> dict[str, Any] | None:
    """Difference of one metric between two sets of values, with interval and test; None without common questions.

    The test of a percentile asks whether the times differ in their mean: a percentile has no value for each question.
    """
    statistic = statistic_of(metric)
    difference = paired_interval(a, b, statistic, resamples=resamples)
    if difference is None:
        return None
    test = paired_test(a, b, resamples=resamples)
    ratio = paired_interval(a, b, statistic, ratio=True, resamples=resamples) if metric in RATIOS else None
    return {
        "metric": metric,
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "p": test.p_value,
        "test": test.method,
        "n": test.n,
        "ratio": _ratio(ratio),
    }


def _within(values: Values, ids: set[str]) -> dict[str, float | None]:
    return {i: value for i, value in values.items() if i in ids}


def _ratio(found: Interval | None) -> dict[str, float] | None:
    """None too where b's figure is 0 on the questions or on many draws: JSON has no infinity."""
    if found is None or not all(map(math.isfinite, found[:3])):
        return None
    return {"value": found.value, "low": found.low, "high": found.high}


def _with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    corrected = holm({row["b"]: row["p"] for row in rows})
    return [{**row, "p_holm": corrected[row["b"]]} for row in rows]
