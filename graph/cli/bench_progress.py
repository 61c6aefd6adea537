"""How far a benchmark is: a bar with the time that is left on a terminal, a line now and then elsewhere."""

import time
from typing import Any, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from graph.cli.output import err

SECONDS_BETWEEN_LINES = 30.0
WORDS = {
    "load": "reading the questions",
    "index": "preparing the corpus",
    "answer": "asking",
    "latency": "timing, one at a time",
    "score": "scoring",
    "aggregate": "figures and intervals",
    "report": "writing the report",
}
COUNTED = ("answer", "latency")
"""Steps whose numbers are questions times methods."""


class BenchProgress:
    """Shows the events of the benchmark graph.

    Args:
        quiet: show nothing where stderr is no terminal.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._terminal = err().is_terminal
        self._silent = quiet and not self._terminal
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[detail]}", markup=False, style="dim"),
            console=err(),
            transient=True,
            disable=not self._terminal,
        )
        self._task = self._bar.add_task("starting", total=None, detail="")
        self._step = ""
        self._began, self._begun_with, self._line_at = 0.0, 0, 0.0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.stop()

    def update(self, event: dict[str, Any]) -> None:
        """Show one progress event."""
        step, done, total, now = event["step"], event["done"], event["total"], time.monotonic()
        words = WORDS.get(step, step)
        if step != self._step:  # a task of its own for each step: the time that is left is that of the step
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(words, total=total or None, completed=done, detail="")
            self._step, self._began, self._begun_with, self._line_at = step, now, done, now
            self._line(f"{words}{_resumed(step, done, total)}")
        self._bar.update(self._task, total=total or None, completed=done, detail=event["detail"])
        if step in COUNTED and now - self._line_at >= SECONDS_BETWEEN_LINES:
            self._line_at = now
            self._line(f"{words}: {done:,} of {total:,}{self._left(done, total, now)}")

    def _left(self, done: int, total: int, now: float) -> str:
        """The time that is left, by what was done since the step began."""
        fresh = done - self._begun_with
        return f", {duration((now - self._began) / fresh * (total - done))} left" if fresh else ""

    def _line(self, text: str) -> None:
        if not self._terminal and not self._silent:
            err().print(text)


def _resumed(step: str, done: int, total: int) -> str:
    return f": {done:,} of {total:,} are there" if step in COUNTED and done else ""


def duration(seconds: float) -> str:
    """A time, as people say it.

    >>> duration(42), duration(125), duration(7_300)
    ('42 s', '2 min 5 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
