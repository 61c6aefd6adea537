"""The recall picture: which hop's passage is found, and how recall depends on the kind of question."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from evaluation.formats import shortened
from evaluation.report.canvas import percent_axis, sheet
from evaluation.report.looks import GRID, PAPER, Look

METRIC = "recall@5"
SMALLEST = 10
"""Groups of fewer questions are left out: their intervals would say nothing."""
LONGEST = 24
"""Characters of a type's name."""
ROW = 0.055
"""Height for each method within a row, in inches."""

Rows = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Row to method to figure."""


def draw_recall(results: Mapping[str, Any], looks: Mapping[str, Look]) -> Figure:
    """Panels of rows with a mark and interval for each method: hops where their order is known, and groups."""
    panels = {
        title: rows for title, rows in (("by hop", by_hop(results)), ("by kind of question", by_group(results))) if rows
    }
    methods = [name for name in looks if any(name in row for rows in panels.values() for row in rows.values())]
    tallest = max(map(len, panels.values()))
    figure = sheet(0.85 + tallest * (0.1 + ROW * len(methods)) + 0.13 * -(-len(methods) // 6), columns=2)
    for axes, (title, rows) in zip(figure.subplots(1, len(panels), squeeze=False).flat, panels.items(), strict=True):
        _draw(axes, title, rows, methods, looks)
    handles = [_handle(name, looks[name]) for name in methods]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(6, len(methods)), columnspacing=1.2)
    return figure


def by_hop(results: Mapping[str, Any]) -> Rows:
    """Recall@5 of the first hop's passage, the second's, …; empty where no data set told the order of hops."""
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for name, curves in results["curves"].items():
        for hop, (value, low, high, n) in enumerate(curves["recall_by_hop"], start=1):
            if n >= SMALLEST:
                rows.setdefault(f"hop {hop} (n={n:,})", {})[name] = {"value": value, "low": low, "high": high}
    return rows


def by_group(results: Mapping[str, Any]) -> Rows:
    """Recall@5 by type, then by number of hops."""
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for prefix in ("type=", "hops="):
        for name, groups in results["groups"].items():
            for group, found in groups.items():
                if group.startswith(prefix) and METRIC in found and found[METRIC]["n"] >= SMALLEST:
                    label = shortened(group.removeprefix("type=").replace("hops=", "hops: "), LONGEST)
                    rows.setdefault(f"{label} (n={found[METRIC]['n']:,})", {})[name] = found[METRIC]
    return rows


def _draw(axes: Axes, title: str, rows: Rows, methods: Sequence[str], looks: Mapping[str, Look]) -> None:
    step = 0.78 / max(len(methods), 1)
    for row, figures in enumerate(rows.values()):
        for number, name in enumerate(methods):
            if name in figures:
                _draw_mark(axes, row + (number - (len(methods) - 1) / 2) * step, figures[name], looks[name])
    for edge in range(1, len(rows)):
        axes.axhline(edge - 0.5, color=GRID, lw=0.8)
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 1)
    axes.set_xlabel("recall@5 (%)")
    axes.set_title(title, loc="left")
    percent_axis(axes.xaxis)


def _draw_mark(axes: Axes, y: float, figure: Mapping[str, float], look: Look) -> None:
    axes.plot([figure["low"], figure["high"]], [y, y], color=look.colour, lw=0.8, alpha=0.8)
    face = PAPER if look.hollow else look.colour
    axes.plot(figure["value"], y, look.marker, ms=3.4, mfc=face, mec=look.colour, mew=0.7, clip_on=False)


def _handle(name: str, look: Look) -> Line2D:
    face = PAPER if look.hollow else look.colour
    style: dict[str, Any] = {"marker": look.marker, "markersize": 4, "markerfacecolor": face, "color": look.colour}
    return Line2D([], [], lw=0.8, label=name, **style)
