"""Paper for pictures: size, type and axes, and the way from a drawing to SVG and PNG. Needs matplotlib (extra `bench`).

The same results give the same bytes: letters are paths, ids are made from the drawing, and no date is written. Nothing
here uses pyplot, so nothing is global but the style, which is set for the time of drawing only.
"""

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from evaluation.formats import tick_text
from evaluation.report.looks import DARK, DARK_PAGE, GRID, INK, MUTED, PAPER, variable

WIDTH = 3.5
"""Inches: one column of a paper; wide pictures take two."""
DPI = 300
STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "legend.handlelength": 1.9,
    "legend.borderaxespad": 0.2,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "text.parse_math": False,  # a method may be called "$x$"
    "svg.fonttype": "path",
    "svg.hashsalt": "lookahead",
}


class Picture(NamedTuple):
    """A picture in both forms."""

    name: str
    """File name without its suffix."""
    title: str
    caption: str
    """What is drawn and how to read it: also the text for those who do not see it."""
    svg: str
    png: bytes
    wide: bool
    """Two columns of a paper wide."""


@contextmanager
def style() -> Iterator[None]:
    """The style of all pictures, for the time of drawing."""
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; the tables have it in full.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def picture(name: str, title: str, caption: str, draw: Callable[[], Figure]) -> Picture:
    """Draw a picture and keep it as SVG and PNG."""
    with style():
        figure = draw()
        svg, png = io.StringIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    return Picture(name, title, caption, svg.getvalue(), png.getvalue(), figure.get_figwidth() > WIDTH)


def sheet(height: float, *, columns: int = 1) -> Figure:
    """An empty sheet, one or two columns of a paper wide."""
    return Figure(figsize=(WIDTH * columns, height))


def mark_simulated(axes: Axes, preset: str | None) -> None:
    """Say in the picture itself that times are simulated, since pictures travel without their captions."""
    if preset:
        axes.set_title(f"language calls simulated: {preset}", loc="right", fontsize=6.5, color=MUTED, style="italic")


def percent_axis(axis: Any) -> None:
    """Ticks of shares, as percents."""
    axis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{round(100 * value, 1):g}"))


def time_axis(axis: Any) -> None:
    """Ticks of milliseconds on a log axis: 100 ms, 200 ms, 500 ms, 1 s and so on."""
    low, high = axis.get_view_interval()
    steps = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(base=10, subs=steps))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda ms, _: tick_text(ms)))


def for_page(picture: Picture) -> str:
    """The SVG as a part of a page: its own ids, the page's colours for light and dark, and words for screen readers."""
    svg = picture.svg[picture.svg.index("<svg") :]
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{picture.name}-\1"', svg)
    svg = re.sub(r'href="#([^"]+)"', rf'href="#{picture.name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{picture.name}-\1)", svg)
    for colour in (*DARK, *DARK_PAGE):
        svg = svg.replace(colour, variable(colour))
    wide = " data-wide" if picture.wide else ""
    return re.sub(r"<svg[^>]*?viewBox", f'<svg aria-hidden="true"{wide} viewBox', svg, count=1)
