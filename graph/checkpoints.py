"""Where `langgraph dev` keeps the checkpoints of runs: a SQLite file, written as they happen. langgraph.json names it.

LangGraph's own are pickled every ten seconds, so that a server that is killed repeats what was done since, or all.
Which threads and runs there are LangGraph still keeps in its own way, in the same folder.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

FOLDER = ".langgraph_api"
"""In the current folder; the name is LangGraph's."""
FILE = "checkpoints.sqlite"
OF_RUN = """(thread_id, checkpoint_ns, checkpoint_id) IN (
SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints
WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?)"""


OLD = """thread_id = :thread AND (checkpoint_ns, checkpoint_id) NOT IN (
SELECT checkpoint_ns, MAX(checkpoint_id) FROM checkpoints WHERE thread_id = :thread GROUP BY checkpoint_ns)"""
TABLES = ("writes", "checkpoints")
"""In the order in which rows are deleted: the second tells whose the first are."""


class Checkpoints(AsyncSqliteSaver):
    """Checkpoints that can be taken out by run, and cut down to the latest of a thread, as the server asks."""

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints that these runs wrote, and what their tasks returned."""
        async with self.lock:
            for run_id in run_ids:
                for table in TABLES:
                    await self.conn.execute(f"DELETE FROM {table} WHERE {OF_RUN}", (str(run_id),))
            await self.conn.commit()

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of these threads but the latest, or with `delete_all` that one too."""
        for thread_id in map(str, thread_ids):
            if strategy == "delete_all":
                await self.adelete_thread(thread_id)
                continue
            async with self.lock:
                for table in TABLES:
                    await self.conn.execute(f"DELETE FROM {table} WHERE {OLD}", {"thread": thread_id})
                await self.conn.commit()


@asynccontextmanager
async def open_checkpoints() -> AsyncIterator[Checkpoints]:
    """Open the file, making it where there is none; the server closes it."""
    await asyncio.to_thread(Path(FOLDER).mkdir, exist_ok=True)
    async with Checkpoints.from_conn_string(str(Path(FOLDER, FILE))) as saver:
        await saver.setup()
        yield cast(Checkpoints, saver)
