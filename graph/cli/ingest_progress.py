"""How far an ingestion or a migration is: a bar on a terminal, a line now and then elsewhere."""

import time
from collections import deque
from typing import Any, Self

from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from graph.cli.output import err, plural

SECONDS_BETWEEN_LINES = 10.0
RATE_SECONDS = 20.0


class IngestProgress:
    """Shows the events of `nodes.ingest`, or what it is told."""

    def __init__(self) -> None:
        self._terminal = err().is_terminal
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeRemainingColumn(compact=True),
            console=err(),
            transient=True,
            disable=not self._terminal,
        )
        self._task = self._bar.add_task("starting", total=None, detail="")
        self._past: deque[tuple[float, int]] = deque()
        self._line_at = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.stop()

    def update(self, event: dict[str, Any]) -> None:
        """Show one progress event."""
        self.show(
            event["stage"],
            event["bytes"],
            event["bytes_total"],
            passages=event["passages"],
            unchanged=event["counts"]["unchanged"],
        )

    def show(self, what: str, done: int, total: int, *, passages: int, unchanged: int) -> None:
        """Show how much of what is done, with the passages made so far and the documents passed over."""
        detail = plural(passages, "passage") + self._rate(passages) if passages else ""
        detail += f"{', ' if detail else ''}{unchanged:,} unchanged" if unchanged else ""
        self._bar.update(self._task, description=f"{what:<5}", completed=done, total=max(total, 1), detail=detail)
        now = time.monotonic()
        if not self._terminal and now - self._line_at >= SECONDS_BETWEEN_LINES:
            self._line_at = now
            err().print(f"{done / max(total, 1):.0%}: {detail}")

    def _rate(self, passages: int) -> str:
        """Passages a second of late: cached vectors at the start must not gild it."""
        now = time.monotonic()
        self._past.append((now, passages))
        while len(self._past) > 2 and now - self._past[0][0] > RATE_SECONDS:
            self._past.popleft()
        seconds, number = now - self._past[0][0], passages - self._past[0][1]
        return f", {number / seconds:,.0f}/s" if seconds > 1 and number > 0 else ""
