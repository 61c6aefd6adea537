"""What changed between two benchmark runs, method by method and metric by metric, with intervals.

Where both runs keep their predictions, figures are compared question by question on the questions that both asked, with
a paired interval and test. Else, and for figures without a value for each question (AUROC, ECE), the two intervals are
held against each other as those of independent samples, which is too wide: such rows say `unpaired`.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.aggregating import Scored, Timed, values_of
from evaluation.formats import figure_text, p_text
from evaluation.method_comparisons import compare_values
from evaluation.metric_table import METRICS
from evaluation.predictions import by_method, read_latency, read_predictions
from evaluation.results import Results, load_results, scored_by_method
from evaluation.significance import holm

Z95 = 1.959964
"""Standard normal quantile of 95 % intervals."""
IGNORED = ("out", "store", "parallel", "fresh", "created")
"""Settings that say where and how a run was made, not what was measured."""


class Run(NamedTuple):
    """A benchmark's folder, as far as it is there."""

    results: Results
    scored: Mapping[str, Scored]
    """Empty without predictions."""
    timed: Mapping[str, Timed]


class Change(NamedTuple):
    """One figure in both runs."""

    method: str
    metric: str
    before: float
    after: float
    difference: float
    """After − before, on the common questions where it is paired."""
    low: float
    high: float
    p: float | None
    """Corrected by Holm's method over the methods, for each metric."""
    n: int
    paired: bool

    @property
    def better(self) -> bool | None:
        """Whether it got better; None where neither way is better, or the interval holds zero."""
        direction = METRICS[self.metric].higher_is_better
        return None if direction is None or self.low <= 0 <= self.high else (self.difference > 0) == direction


class Comparison(NamedTuple):
    """Everything that differs between two runs."""

    changes: list[Change]
    """Surest first."""
    remarks: list[str]
    """What differs in settings, versions, machine and questions, a sentence each."""


def load_run(path: str | Path) -> Run:
    """A benchmark's results, with predictions and latency rows where they lie beside them.

    Raises:
        InputError: there are no results, or a file is damaged.
    """
    results = load_results(path)
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    predictions, latency = folder / "predictions.jsonl", folder / "latency.jsonl"
    return Run(
        results,
        scored_by_method(read_predictions(predictions).rows) if predictions.exists() else {},
        by_method(read_latency(latency).rows) if latency.exists() else {},
    )


def compare(before: Run, after: Run) -> Comparison:
    """What changed from one run to the other, the surest change first."""
    pairs = [
        (method, metric)
        for method, figures in after.results["methods"].items()
        for metric in figures
        if metric in before.results["methods"].get(method, {})
    ]
    found = [_change(before, after, method, metric) for method, metric in pairs]
    corrected = {
        metric: holm({change.method: change.p for change in found if change.metric == metric})
        for metric in {change.metric for change in found}
    }
    changes = [change._replace(p=corrected[change.metric][change.method]) for change in found]
    return Comparison(sorted(changes, key=_sureness), _remarks(before.results, after.results))


def comparison_text(comparison: Comparison, *, everything: bool = False) -> str:
    """A table for the terminal: the changes whose interval excludes zero, or all of them, and what else differs.

    The rest is counted, so that nobody takes a missing row for a missing metric.
    """
    shown = [c for c in comparison.changes if everything or c.better is not None or not c.low <= 0 <= c.high]
    rows = [("method", "metric", "before", "after", "difference [95 %]", "p (Holm)", "n", ""), *map(_cells, shown)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [_aligned(row, widths) for row in rows] if shown else []
    hidden = len(comparison.changes) - len(shown)
    if hidden or not shown:
        rest = f"{hidden} of {len(comparison.changes)} figures show no change: 0 lies in the 95 % interval."
        lines += ["", rest] if lines else [rest]
    return "\n".join([*comparison.remarks, *([""] if comparison.remarks else []), *lines])


def _change(before: Run, after: Run, method: str, metric: str) -> Change:
    old, new = (run.results["methods"][method][metric] for run in (before, after))
    theirs, mine = (values_of(run.scored.get(method, {}), run.timed.get(method, {}), metric) for run in (before, after))
    paired = compare_values(mine, theirs, metric)
    if paired:
        figures = (paired["difference"], paired["low"], paired["high"], paired["p"], paired["n"], True)
    else:
        figures = (*_unpaired(old, new), min(old["n"], new["n"]), False)
    return Change(method, metric, old["value"], new["value"], *figures)


def _unpaired(old: Mapping[str, float], new: Mapping[str, float]) -> tuple[float, float, float, float]:
    """Difference, interval and p from two intervals, as of independent and normal figures."""
    difference = new["value"] - old["value"]
    half = math.hypot(*((figure["high"] - figure["low"]) / 2 for figure in (old, new)))
    p = math.erfc(Z95 * abs(difference) / half / math.sqrt(2)) if half else float(difference == 0)
    return difference, difference - half, difference + half, p


def _sureness(change: Change) -> tuple[bool, float, float, str, str]:
    width = change.high - change.low
    size = abs(change.difference) / width if width else abs(change.difference) and math.inf
    holds_zero = change.low <= 0 <= change.high
    return holds_zero, 1.0 if change.p is None else change.p, -size, change.method, change.metric


def _remarks(before: Results, after: Results) -> list[str]:
    remarks = []
    if before["ids"] != after["ids"]:
        common = len(set(before["ids"]) & set(after["ids"]))
        asked = f"{len(before['ids']):,} before, {len(after['ids']):,} after, {common:,} in common"
        remarks.append(f"The questions differ: {asked}; differences are paired over those in common.")
    if before["simulated"] != after["simulated"]:
        names = [run["simulated"] or "measured, nothing simulated" for run in (before, after)]
        remarks.append(f"Times cannot be compared: {names[0]} before, {names[1]} after.")
    for key in ("settings", "versions", "machine"):
        remarks += _differences(key, before[key], after[key])
    for run, other, when in ((before, after, "before"), (after, before, "after")):
        if only := [name for name in run["methods"] if name not in other["methods"]]:
            remarks.append(f"Only {when}: {', '.join(only)}.")
    return remarks


def _differences(name: str, before: Any, after: Any) -> list[str]:
    """Leaves of two JSON values that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = [key for key in dict.fromkeys([*before, *after]) if key not in IGNORED]
        return [line for key in keys for line in _differences(f"{name}.{key}", before.get(key), after.get(key))]
    if isinstance(before or after, dict) and None in (before, after):
        return []  # of a method that only one of them has, which is said elsewhere
    return [] if before == after else [f"{name}: {before!r} before, {after!r} after."]


def _cells(change: Change) -> tuple[str, ...]:
    unit = METRICS[change.metric].unit
    difference, low, high = (
        figure_text(value, unit, sign=True) for value in (change.difference, change.low, change.high)
    )
    verdict = {True: "better", False: "worse", None: ""}[change.better]
    return (
        change.method,
        METRICS[change.metric].label,
        figure_text(change.before, unit),
        figure_text(change.after, unit),
        f"{difference} [{low}, {high}]",
        p_text(change.p),
        f"{change.n:,}",
        verdict + ("" if change.paired else " (unpaired)"),
    )


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """First two columns to the left, figures to the right."""
    last = len(cells) - 1
    return "  ".join(
        cell.ljust(width) if number in (0, 1, last) else cell.rjust(width)
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()
