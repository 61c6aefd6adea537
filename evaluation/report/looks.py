"""How methods look, the same in every picture and table: a colour, a marker and a line for each. Knows no library.

Colours are those of Okabe and Ito, "Color Universal Design", 2008, without the yellow, which is too pale on white:
people with each kind of colour blindness can tell them apart. Markers tell them apart in black and white. Every colour
has a brother for dark pages.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Look(NamedTuple):
    """How one method looks."""

    colour: str
    """For white paper, #rrggbb."""
    marker: str
    """In matplotlib's letters."""
    line: str
    """Solid "-", dashed "--", dash-dot "-." or dotted ":"."""
    hollow: bool
    """A marker with an empty inside: a variant of another method, or a bound that is none to compete with."""


DARK = {
    "#0072b2": "#58b1ec",
    "#d55e00": "#ff8a45",
    "#009e73": "#35cfa0",
    "#cc79a7": "#e79bc6",
    "#e69f00": "#f0b429",
    "#56b4e9": "#8fd0f5",
    "#7a5195": "#b594d6",
    "#6b7280": "#a3abb8",
}
"""Colours of methods on white paper, and on a dark page."""
INK, MUTED, GRID, PAPER = "#1f2328", "#5b6470", "#dfe3e8", "#ffffff"
DARK_PAGE = {INK: "#e6e9ee", MUTED: "#a0a9b5", GRID: "#333a44", PAPER: "#14171c"}
"""What else pictures are drawn in, on a dark page."""

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, VIOLET, GREY = DARK
KNOWN = {
    "lookahead": Look(BLUE, "o", "-", False),
    "react": Look(VERMILION, "s", "-", False),
    "ranked_rag": Look(GREEN, "^", "-", False),
    "standard_rag": Look(ORANGE, "v", "-", False),
    "sequential_plan": Look(PINK, "D", "-", False),
    "multi_query": Look(SKY, "P", "-", False),
    "closed_book": Look(GREY, "x", ":", False),
    "oracle": Look(GREY, "*", ":", True),
}
"""Looks of the methods that come with the program, so that two reports look alike."""
BOUND = "oracle"
"""Is shown the gold passages: no method to compete with."""
COLOURS = (VIOLET, BLUE, VERMILION, GREEN, PINK, ORANGE, SKY)
MARKERS = "pdhX<>"
LINES = ("--", "-.", ":")


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """A look for each method; a variant ("react_3", "lookahead −prune") has the colour of its method.

    >>> looks(["react", "react_3"])["react_3"]
    Look(colour='#d55e00', marker='p', line='--', hollow=True)
    """
    found: dict[str, Look] = {}
    others = [name for name in methods if name not in KNOWN]
    for number, name in enumerate(others):
        base = next((known for known in KNOWN if name.startswith(known)), None)
        colour = KNOWN[base].colour if base else COLOURS[number % len(COLOURS)]
        found[name] = Look(colour, MARKERS[number % len(MARKERS)], LINES[number % len(LINES)], base is not None)
    return {name: KNOWN.get(name) or found[name] for name in methods}


def variable(colour: str) -> str:
    """A colour as the page's style sheet knows it.

    >>> variable("#0072b2")
    'var(--c-0072b2)'
    """
    return f"var(--c-{colour.removeprefix('#')})"


def variables(*, dark: bool) -> str:
    """Declarations of all colours for the page's style sheet."""
    table = {**DARK, **DARK_PAGE}
    return "".join(f"--c-{light[1:]}:{table[light] if dark else light};" for light in table)
