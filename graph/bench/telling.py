"""How far a step is, told to whoever streams the run; and work kept apart from the graph that it is a step of."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from langgraph.runtime import Runtime

Job = TypeVar("Job")
Done = TypeVar("Done")
Tell = Callable[[int, int, str], None]
"""Takes what is done, of how much (0: not known), and a word on what it was."""


def teller(runtime: Runtime[Any], step: str) -> Tell:
    """Tells of a step; may be called from work that is kept apart."""
    context = contextvars.copy_context()  # LangGraph looks up there to which run the event belongs

    def tell(done: int, total: int, detail: str) -> None:
        event = {"type": "progress", "step": step, "done": done, "total": total, "detail": detail}
        context.run(runtime.stream_writer, event)

    return tell


async def apart(work: Coroutine[Any, Any, Done]) -> Done:
    """Run in an empty context: graphs in it do not take the one that runs here for their parent.

    They would use its checkpointer, and write what they stream into its stream.
    """
    return await asyncio.create_task(work, context=contextvars.Context())


async def each(jobs: Iterable[Job], do: Callable[[Job], Awaitable[None]], parallel: int) -> None:
    """Do all jobs in their order, so many at a time, each worker `apart`; the first that raises ends them all."""
    waiting = iter(jobs)

    async def work() -> None:
        for job in waiting:
            await do(job)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(parallel):
                group.create_task(work(), context=contextvars.Context())
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
