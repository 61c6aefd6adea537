"""The latency waterfall: where a method's time goes, stage after stage on one axis, one lane for each method."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from evaluation.formats import tick_text
from evaluation.report.canvas import mark_simulated, sheet
from evaluation.report.lanes import KINDS, Segment, segments
from evaluation.report.looks import GRID, INK, MUTED

LANE = 0.27
"""Height of a lane, in inches."""
PALE, HATCH = 0.25, "////"
"""How simulated waits are drawn: they take most of the room, and are not what the method itself does."""


def draw_waterfall(results: Mapping[str, Any]) -> Figure:
    """Draw it from a results.json, for the methods that were timed."""
    timed = {name: stages for name, stages in results["stages"].items() if "total" in stages}
    lanes = {name: segments(stages, results["waits"].get(name, {})) for name, stages in timed.items()}
    figure = sheet(1.05 + LANE * len(lanes), columns=2)
    axes = figure.subplots()
    axes.grid(axis="y", visible=False)
    for row, lane in enumerate(lanes.values()):
        for segment in lane:
            _draw(axes, row, segment)
    for row, (name, stages) in enumerate(timed.items()):
        _write_total(axes, row, stages["total"]["mean"], lanes[name])
    axes.set_yticks(range(len(lanes)), list(lanes))
    axes.set_ylim(len(lanes) - 0.45, -0.55)
    axes.set_xlim(0, max(stages["total"]["mean"] for stages in timed.values()) * 1.1)
    axes.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: tick_text(ms)))
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("mean time to the answer, one question at a time")
    mark_simulated(axes, results["simulated"])
    _legend(figure, lanes)
    return figure


def _draw(axes: Axes, row: int, segment: Segment) -> None:
    """Side by side: the shorter one below, narrow."""
    y, height = (row + 0.38, 0.14) if segment.beside else (row, 0.6)
    colour = KINDS[segment.kind][0]
    own = segment.start + segment.waiting
    axes.barh(y, segment.length - segment.waiting, height, own, color=colour, linewidth=0)
    if segment.waiting:
        axes.barh(y, segment.waiting, height, segment.start, color=colour, alpha=PALE, linewidth=0)
        axes.barh(y, segment.waiting, height, segment.start, color="none", edgecolor=colour, hatch=HATCH, linewidth=0)


def _write_total(axes: Axes, row: int, total: float, lane: list[Segment]) -> None:
    end = max([total, *(segment.start + segment.length for segment in lane)])
    waited = sum(segment.waiting for segment in lane)
    text = f" {total / 1000:.2f} s" if total >= 1000 else f" {total:.0f} ms"
    axes.annotate(text, (end, row), va="center", fontsize=7, color=INK)
    if waited:
        axes.annotate(f" own {total - waited:.0f} ms", (end, row + 0.33), va="center", fontsize=5.5, color=MUTED)


def _legend(figure: Figure, lanes: Mapping[str, list[Segment]]) -> None:
    used = {segment.kind for lane in lanes.values() for segment in lane}
    handles = [Patch(color=colour, label=kind) for kind, (colour, _) in KINDS.items() if kind in used]
    if any(segment.waiting for lane in lanes.values() for segment in lane):
        handles.append(Patch(facecolor=GRID, edgecolor=MUTED, hatch=HATCH * 2, linewidth=0, label="simulated wait"))
    figure.legend(handles=handles, loc="outside lower center", ncols=-(-len(handles) // 2), columnspacing=1.2)
