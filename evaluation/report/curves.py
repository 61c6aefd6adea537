"""Pictures of curves: accuracy within a time, risk and coverage, and reliability."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.report.canvas import mark_simulated, percent_axis, sheet, time_axis
from evaluation.report.looks import INK, MUTED, PAPER, Look

Points = Sequence[Sequence[Any]]
MARKED = 5
"""Markers along a curve."""
LEGEND_COLUMNS = 3
LEGEND_ROW = 0.16
"""Inches."""
FEWEST = 0.05
"""Coverage from which on risk is drawn: of a handful of answers it says nothing."""


def draw_acc_at_t(
    curves: Mapping[str, Mapping[str, Points]], looks: Mapping[str, Look], simulated: str | None
) -> Figure:
    """Strict Acc@T: share of all questions answered rightly within T, T on a log scale."""
    lines = {name: _risen(found["acc_at_t"]) for name, found in curves.items()}
    lines = {name: points for name, points in lines.items() if points}
    figure = sheet(2.3 + LEGEND_ROW * _legend_rows(lines))
    axes = figure.subplots()
    axes.set_xscale("log")
    _draw_lines(axes, lines, looks)
    axes.set_xlim(*_rising(list(lines.values())))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("time budget T" + (", simulated" if simulated else ""))
    axes.set_ylabel("right within T (% of questions)")
    percent_axis(axes.yaxis)
    time_axis(axes.xaxis)
    mark_simulated(axes, simulated)
    _legend(figure)
    return figure


def draw_risk_coverage(curves: Mapping[str, Mapping[str, Points]], looks: Mapping[str, Look]) -> Figure:
    """Share of wrong answers among the surest, against the share of all questions that these are."""
    lines = {
        name: [(coverage, risk) for coverage, risk in found["risk_coverage"] if coverage >= FEWEST]
        for name, found in curves.items()
    }
    lines = {name: points for name, points in lines.items() if len(points) > 1}
    figure = sheet(2.3 + LEGEND_ROW * _legend_rows(lines))
    axes = figure.subplots()
    _draw_lines(axes, lines, looks)
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("coverage: answered, surest first (% of all questions)")
    axes.set_ylabel("risk: wrong among them (%)")
    percent_axis(axes.xaxis)
    percent_axis(axes.yaxis)
    _legend(figure)
    return figure


def draw_reliability(
    curves: Mapping[str, Mapping[str, Points]], methods: Mapping[str, Mapping[str, Any]], looks: Mapping[str, Look]
) -> Figure:
    """A panel for each method: what it says of its answers against what comes true; points as large as their bins."""
    shown = {name: found["reliability"] for name, found in curves.items() if found["reliability"]}
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    figure = sheet(0.5 + 1.5 * rows, columns=2)
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat
    for axes, (name, points) in zip(panels, shown.items(), strict=False):
        _draw_reliability(axes, name, points, methods[name], looks[name])
    for axes in figure.axes[len(shown) :]:
        axes.set_axis_off()
    for axes in figure.axes[max(0, len(shown) - columns) : len(shown)]:
        axes.tick_params(labelbottom=True)  # also where the panel below is empty
    figure.supxlabel("stated confidence (%)", fontsize=7.5)
    figure.supylabel("share right (%)", fontsize=7.5)
    return figure


def _draw_reliability(axes: Axes, name: str, points: Points, figures: Mapping[str, Any], look: Look) -> None:
    stated, right, counts = zip(*points, strict=True)
    axes.plot([0, 1], [0, 1], color=MUTED, lw=0.7, ls=(0, (4, 2)), zorder=1)
    for x, y in zip(stated, right, strict=True):
        axes.plot([x, x], [x, y], color=look.colour, lw=0.7, alpha=0.55, zorder=1.5)
    sizes = [90 * count / sum(counts) + 3 for count in counts]
    axes.scatter(stated, right, s=sizes, color=look.colour, edgecolor=PAPER, linewidth=0.4, zorder=2, clip_on=False)
    axes.set_title(name, loc="left", color=INK)
    if "ece" in figures:
        axes.text(0.04, 0.93, f"ECE {100 * figures['ece']['value']:.1f}", transform=axes.transAxes, va="top", color=INK)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
    percent_axis(axes.xaxis)
    percent_axis(axes.yaxis)


def _draw_lines(axes: Axes, lines: Mapping[str, Points], looks: Mapping[str, Look]) -> None:
    """The first method on top, and a little stronger."""
    for number, (name, points) in enumerate(lines.items()):
        xs, ys = zip(*points, strict=True)
        look = looks[name]
        face = PAPER if look.hollow else look.colour
        every = (number % 3, max(1, len(xs) // MARKED)) if len(xs) > MARKED else 1
        axes.plot(
            *(xs, ys, look.line),
            **{"color": look.colour, "marker": look.marker, "markevery": every, "markerfacecolor": face},
            **{"markersize": 3.6, "lw": 1.1 if number else 1.7, "label": name, "zorder": 3 - number / 100},
        )


def _risen(points: Points) -> Points:
    """A curve from its last zero on."""
    first = next((number for number, (_, strict, _) in enumerate(points) if strict), len(points))
    return [(ms, strict) for ms, strict, _ in points[max(first - 1, 0) :]]


def _rising(lines: list[Points]) -> tuple[float, float]:
    """The budgets between which something changes, and a little more."""
    low = min(points[0][0] for points in lines)
    high = max(next(ms for ms, strict in points if strict == points[-1][1]) for points in lines)
    return low, max(high * 1.6, low * 10)


def _legend_rows(lines: Mapping[str, Points]) -> int:
    return -(-len(lines) // LEGEND_COLUMNS)


def _legend(figure: Figure) -> None:
    figure.legend(loc="outside lower center", ncols=LEGEND_COLUMNS, columnspacing=1.0)
