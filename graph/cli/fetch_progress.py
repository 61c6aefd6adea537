"""How far a question set is: a bar on a terminal, nothing elsewhere. Knows the stages of `datasets.fetching`."""

from typing import Self

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from graph.cli.output import err


class FetchProgress:
    """Shows the file that is being fetched, checked or unpacked."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(compact=True),
            console=err(),
            transient=True,
            disable=not err().is_terminal,
        )
        self._shown = ("", "")
        self._task = self._bar.add_task("starting", total=None)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.stop()

    def __call__(self, stage: str, name: str, done: int, total: int) -> None:
        """Show how many bytes of a file are done."""
        if (stage, name) != self._shown:
            # A task of its own for each stage: speed and remaining time are those of the stage.
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(f"{stage} {name}", total=total or None)
            self._shown = (stage, name)
        self._bar.update(self._task, completed=done)
