"""What commands print: results on stdout, everything else on stderr.

Colours and wrapping only on a terminal (NO_COLOR is honoured by rich); a pipe gets whole lines. Nothing printed is read
as rich's markup, since most of it holds words of the user: styles are given beside the text.
"""

import functools
import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

UNWRAPPED = 10_000
"""Columns of a pipe."""


@functools.cache
def out() -> Console:
    """Results."""
    return _console(sys.stdout.isatty(), stderr=False)


@functools.cache
def err() -> Console:
    """Progress, notes and errors."""
    return _console(sys.stderr.isatty(), stderr=True)


def _console(terminal: bool, stderr: bool) -> Console:
    width = None if terminal else UNWRAPPED
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=width)


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object: on one line, or indented where a person reads it."""
    print(json.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))


def fail(message: str) -> None:
    """An error, in a sentence."""
    err().print(Text.assemble(("error: ", "bold red"), message))


def warn(message: str) -> None:
    """Something the user should know that stopped nothing."""
    err().print(Text.assemble(("note: ", "yellow"), message))


def plural(number: int, thing: str) -> str:
    """A number with its noun.

    >>> plural(1, "document"), plural(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def milliseconds(value: float) -> str:
    """A duration, readable at any size.

    >>> milliseconds(0.42), milliseconds(61.3), milliseconds(12_345)
    ('0.4 ms', '61 ms', '12.3 s')
    """
    if value >= 10_000:
        return f"{value / 1000:,.1f} s"
    return f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def listed(items: Iterable[str], most: int) -> list[str]:
    """The first items, and a line on how many more there are.

    >>> listed(["a", "b", "c"], 2)
    ['a', 'b', '… and 1 more']
    """
    everything = list(items)
    rest = len(everything) - most
    return everything if rest <= 0 else [*everything[:most], f"… and {rest:,} more"]


def columns(*names: str) -> Table:
    """A table without lines; a leading ">" marks a column of numbers."""
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name.removeprefix(">"), justify="right" if name.startswith(">") else "left")
    return table
