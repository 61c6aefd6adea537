"""A SQLite file of checkpoints in which a large value of a thread stands once, however many checkpoints hold it.

LangGraph's saver writes the whole state at every step: documents given to an ingest, or hops already searched, again
and again. Here a checkpoint, and what a task returned, name such a value by its digest. What the plain saver wrote is
read as it is.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.constants import START

LARGE = 1024
"""Bytes; smaller values stay in their checkpoint."""
NAMED = "lookahead: kept apart"
"""The only key of what stands for a value that is kept apart; its digest is the value."""
TABLES = ("writes", "checkpoints")
"""In the order in which rows are deleted: the second tells whose the first are."""
RESTING = "SELECT thread_id FROM checkpoints GROUP BY thread_id HAVING MAX(checkpoint_id) < ?"
"""Threads without a checkpoint since a moment, given as `first_id`."""
GREGORIAN = 0x01B21DD213814000
"""Of the clock in a UUID, in 100 ns, at the beginning of 1970."""
KEPT = """CREATE TABLE IF NOT EXISTS kept (
thread_id TEXT NOT NULL, digest TEXT NOT NULL, type TEXT, value BLOB, PRIMARY KEY (thread_id, digest))"""
OF_RUN = """(thread_id, checkpoint_ns, checkpoint_id) IN (
SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints
WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?)"""
THREADS_OF_RUN = """SELECT DISTINCT thread_id FROM checkpoints
WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"""
OLD = """thread_id = :thread AND (checkpoint_ns, checkpoint_id) NOT IN (
SELECT checkpoint_ns, MAX(checkpoint_id) FROM checkpoints WHERE thread_id = :thread GROUP BY checkpoint_ns)"""
UNNAMED = """thread_id = :thread AND NOT EXISTS (SELECT 1 FROM checkpoints
WHERE checkpoints.thread_id = :thread AND instr(checkpoint, CAST(kept.digest AS BLOB))) AND NOT EXISTS (SELECT 1
FROM writes WHERE writes.thread_id = :thread AND instr(writes.value, CAST(kept.digest AS BLOB)))"""


def first_id(moment: float) -> str:
    """What no checkpoint of that moment or later is under: their ids are UUIDs of version 6, which sort by time.

    >>> first_id(0.0)
    '1b21dd21-3814-6000-0000-000000000000'
    """
    ticks = int(moment * 10_000_000) + GREGORIAN
    return f"{ticks >> 28:08x}-{ticks >> 12 & 0xFFFF:04x}-6{ticks & 0xFFF:03x}-0000-000000000000"


class Checkpoints(AsyncSqliteSaver):
    """Checkpoints that can be taken out by run, and cut down to the latest of a thread, as the server asks."""

    def __init__(self, conn: Any, **options: Any) -> None:
        super().__init__(conn, **options)
        self._whole = asyncio.Lock()
        """Held while values and what names them are written or deleted: none is taken out in between."""

    # The plain saver's own reads rows past `aget_tuple`, which alone knows the values that are kept apart.
    aget_delta_channel_history = BaseCheckpointSaver.aget_delta_channel_history

    async def setup(self) -> None:
        """Make the tables where they are missing."""
        made = self.is_setup
        await super().setup()
        if not made:
            await self.conn.execute(KEPT)
            await self.conn.commit()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write a checkpoint, and those of its large values that the thread does not hold yet."""
        await self.setup()
        thread = str(config["configurable"]["thread_id"])
        async with self._whole:
            values = await self._apart(thread, checkpoint["channel_values"])
            small: Checkpoint = {**checkpoint, "channel_values": values}
            return await super().aput(config, small, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Write what a task returned, large values apart."""
        await self.setup()
        thread = str(config["configurable"]["thread_id"])
        async with self._whole:
            small = [(channel, await self._name(thread, value)) for channel, value in writes]
            await super().aput_writes(config, small, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that is asked for, or the latest, with all its values."""
        found = await super().aget_tuple(config)
        return found and await self._filled(found)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints with all their values, the latest first."""
        async for found in super().alist(config, filter=filter, before=before, limit=limit):
            yield await self._filled(found)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of a thread."""
        async with self._whole:
            await self.conn.execute("DELETE FROM kept WHERE thread_id = ?", (str(thread_id),))
            await super().adelete_thread(thread_id)

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints that these runs wrote, and what their tasks returned."""
        async with self._whole, self.lock:
            for run_id in map(str, run_ids):
                threads = await self.conn.execute_fetchall(THREADS_OF_RUN, (run_id,))
                for table in TABLES:
                    await self.conn.execute(f"DELETE FROM {table} WHERE {OF_RUN}", (run_id,))
                for (thread_id,) in threads:
                    await self.conn.execute(f"DELETE FROM kept WHERE {UNNAMED}", {"thread": thread_id})
            await self.conn.commit()

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of these threads but the latest, or with `delete_all` that one too."""
        for thread_id in map(str, thread_ids):
            if strategy == "delete_all":
                await self.adelete_thread(thread_id)
                continue
            async with self._whole, self.lock:
                for table in TABLES:
                    await self.conn.execute(f"DELETE FROM {table} WHERE {OLD}", {"thread": thread_id})
                await self.conn.execute(f"DELETE FROM kept WHERE {UNNAMED}", {"thread": thread_id})
                await self.conn.commit()

    async def _apart(self, thread: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values by channel, large ones named; of the input, which is one value, each key is looked at."""
        return {
            channel: await self._apart(thread, value)
            if channel == START and isinstance(value, dict)
            else await self._name(thread, value)
            for channel, value in values.items()
        }

    async def _name(self, thread: str, value: Any) -> Any:
        """What stands for the value: itself, or where it is large its digest, and then it is kept."""
        kind, data = self.serde.dumps_typed(value)
        if len(data) < LARGE:
            return value
        digest = hashlib.sha256(kind.encode() + b"\0" + data).hexdigest()
        await self.conn.execute("INSERT OR IGNORE INTO kept VALUES (?, ?, ?, ?)", (thread, digest, kind, data))
        return {NAMED: digest}

    async def _filled(self, found: CheckpointTuple) -> CheckpointTuple:
        """The same with the values that it only names."""
        thread = str(found.config["configurable"]["thread_id"])
        values = dict(found.checkpoint["channel_values"])
        given = values.get(START)
        if isinstance(given, dict):
            values[START] = {key: await self._value(thread, value) for key, value in given.items()}
        values = {channel: await self._value(thread, value) for channel, value in values.items()}
        writes = [
            (task, channel, await self._value(thread, value)) for task, channel, value in found.pending_writes or []
        ]
        checkpoint: Checkpoint = {**found.checkpoint, "channel_values": values}
        return found._replace(checkpoint=checkpoint, pending_writes=writes)

    async def _value(self, thread: str, value: Any) -> Any:
        """The value that this stands for; a thread names none but its own."""
        if not isinstance(value, dict) or value.keys() != {NAMED}:
            return value
        rows = list(
            await self.conn.execute_fetchall(
                "SELECT type, value FROM kept WHERE thread_id = ? AND digest = ?", (thread, value[NAMED])
            )
        )
        return self.serde.loads_typed(tuple(rows[0])) if rows else value
