"""`lookahead reembed`: all passages of a namespace through another embedder, under a progress bar."""

import asyncio
from collections.abc import Callable

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from graph.cli.output import err, warn

Report = Callable[[int, int], None]


def reembed_namespace(store: str | None, namespace: str, name: str) -> tuple[int, str]:
    """Embed and replace all vectors at once.

    Returns:
        Number of passages, and the embedder's name.

    Raises:
        StoreError: the namespace does not exist, or it changed meanwhile.
        ModelError: there is no such embedder.
    """
    columns = (
        TextColumn("embedding"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=err(), transient=True, disable=not err().is_terminal) as bar:
        task = bar.add_task("embedding", total=None)
        return asyncio.run(
            _run(store, namespace, name, lambda done, total: bar.update(task, completed=done, total=total))
        )


async def _run(address: str | None, namespace: str, name: str, report: Report) -> tuple[int, str]:
    from nodes.deps import Deps
    from nodes.ingest_batch import cached
    from nodes.reembed import reembed

    async with Deps(address) as deps:
        embedder = await asyncio.to_thread(cached, await deps.embedder(name))
        passages = await reembed(await deps.store(), namespace, embedder, report)
        if embedder.problem:
            warn(embedder.problem)
        return passages, embedder.spec.name
