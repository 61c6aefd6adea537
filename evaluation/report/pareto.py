"""The Pareto picture: accuracy against latency, with intervals on both axes, every method named and the front drawn."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from evaluation.metric_table import METRICS
from evaluation.report.canvas import mark_simulated, percent_axis, sheet, time_axis
from evaluation.report.front import Point, front
from evaluation.report.looks import BOUND, INK, MUTED, PAPER, Look
from evaluation.report.placing import Box, place

MARGIN = 1.25
"""Room to the left and right of the intervals on the log axis, as a factor."""


def draw_pareto(
    methods: Mapping[str, Mapping[str, Any]], looks: Mapping[str, Look], simulated: str | None, metric: str = "f1"
) -> Figure:
    """Draw it.

    Args:
        methods: figures of each method; those without time or score are left out.
        looks: of all methods.
        simulated: preset of the simulated calls.
        metric: the accuracy.
    """
    points = [Point(name, f["p50_ms"], f[metric]) for name, f in methods.items() if "p50_ms" in f and metric in f]
    figure = sheet(2.75)
    axes = figure.subplots()
    axes.set_xscale("log")
    lows, highs = [p.ms["low"] for p in points], [p.ms["high"] for p in points]
    axes.set_xlim(max(min(lows), 0.01) / MARGIN, max(highs) * MARGIN)
    best = front([point for point in points if point.name != BOUND] or points)
    _draw_front(axes, best)
    for point in points:
        _draw_point(axes, point, looks[point.name])
    axes.set_xlabel("median time to the answer" + (", simulated" if simulated else ""))
    axes.set_ylabel(f"{METRICS[metric].label} (%)")
    percent_axis(axes.yaxis)
    time_axis(axes.xaxis)
    mark_simulated(axes, simulated)
    _write_names(figure, axes, points, best, looks)
    return figure


def _draw_front(axes: Axes, points: list[Point]) -> None:
    """A staircase: up to each point's time, no method is better than the one before."""
    xs, ys = [p.ms["value"] for p in points], [p.score["value"] for p in points]
    axes.plot(
        [*xs, axes.get_xlim()[1]], [*ys, ys[-1]], drawstyle="steps-post", color=MUTED, lw=0.8, ls=(0, (4, 2)), zorder=1
    )


def _draw_point(axes: Axes, point: Point, look: Look) -> None:
    (x, y), colour = (point.ms["value"], point.score["value"]), look.colour
    across = [[x - point.ms["low"]], [point.ms["high"] - x]]
    along = [[y - point.score["low"]], [point.score["high"] - y]]
    axes.errorbar(x, y, xerr=across, yerr=along, fmt="none", ecolor=colour, elinewidth=0.7, alpha=0.75, zorder=2)
    face = PAPER if look.hollow else colour
    edge = {"mec": colour, "mew": 1.1} if look.hollow or look.marker == "x" else {"mec": PAPER, "mew": 0.5}
    axes.plot(x, y, look.marker, ms=6, mfc=face, zorder=3, **edge)


def _write_names(figure: Figure, axes: Axes, points: list[Point], best: list[Point], looks: Mapping[str, Look]) -> None:
    """The first method's name in bold; all with a rim, so that lines do not run through them."""
    figure.draw_without_rendering()  # constrained layout moves the axes: only now do places on the sheet stand
    inverse = axes.transData.inverted()
    rim = [withStroke(linewidth=1.8, foreground=PAPER)]
    names = [axes.text(p.ms["value"], p.score["value"], p.name, size=7, color=INK, path_effects=rim) for p in points]
    names[0].set_weight("bold")
    extents = [name.get_window_extent() for name in names]
    centres = [tuple(axes.transData.transform((p.ms["value"], p.score["value"]))) for p in points]
    gap = figure.dpi * 0.075
    taken = [box for point, centre in zip(points, centres, strict=True) for box in _covered(axes, point, centre, gap)]
    taken += _covered_by_front(axes, best, gap)
    frame = Box(*axes.get_window_extent().extents)
    places = place(centres, [(e.width, e.height) for e in extents], taken, frame, gap)
    for name, box, point, centre in zip(names, places, points, centres, strict=True):
        name.set_position(inverse.transform((box.x0, (box.y0 + box.y1) / 2)))
        name.set_va("center")
        _lead(axes, inverse, centre, box, looks[point.name].colour, gap)


def _covered(axes: Axes, point: Point, centre: tuple[float, float], gap: float) -> list[Box]:
    """Marker and intervals of a point on the sheet."""
    x, y = centre
    left, low = axes.transData.transform((max(point.ms["low"], 1e-3), point.score["low"]))
    right, high = axes.transData.transform((point.ms["high"], point.score["high"]))
    marker, thin = gap * 0.6, gap * 0.25
    return [
        *[Box(x - marker, y - marker, x + marker, y + marker)] * 4,  # to hide a marker is worse than a line
        Box(left, y - thin, right, y + thin),
        Box(x - thin, low, x + thin, high),
    ]


def _covered_by_front(axes: Axes, best: list[Point], gap: float) -> list[Box]:
    """The staircase on the sheet."""
    corners = [tuple(axes.transData.transform((p.ms["value"], p.score["value"]))) for p in best]
    corners.append((axes.get_window_extent().x1, corners[-1][1]))
    thin = gap * 0.25
    level = [Box(x, y - thin, after, y + thin) for (x, y), (after, _) in pairwise(corners)]
    rises = [Box(x - thin, y, x + thin, above) for (_, y), (x, above) in pairwise(corners)]
    return [*level, *rises]


def _lead(axes: Axes, inverse: Any, centre: tuple[float, float], box: Box, colour: str, gap: float) -> None:
    """A thin line from a name to its point, where they are far from each other."""
    near = (min(max(centre[0], box.x0), box.x1), min(max(centre[1], box.y0), box.y1))
    if (near[0] - centre[0]) ** 2 + (near[1] - centre[1]) ** 2 > (1.4 * gap) ** 2:
        ends = inverse.transform([centre, near])
        axes.plot(ends[:, 0], ends[:, 1], color=colour, lw=0.5, zorder=1.5)
