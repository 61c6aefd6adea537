"""Where `langgraph dev` keeps the checkpoints of runs: a SQLite file, written as they happen. langgraph.json names it.

LangGraph's own are pickled every ten seconds, so that a server that is killed repeats what was done since, or all.
Which threads and runs there are LangGraph still keeps in its own way, in the same folder. Its development server heeds
no `ttl` of langgraph.json: what is old is cut down here.
"""

import asyncio
import contextlib
import logging
import sqlite3
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from pydantic import Field

from graph.checkpoint_file import RESTING, Checkpoints, first_id
from nodes.settings import Settings

log = logging.getLogger("lookahead.checkpoints")

FOLDER = ".langgraph_api"
"""In the current folder; the name is LangGraph's."""
FILE = "checkpoints.sqlite"
SECONDS_PER_DAY = 86_400
LOOK_SECONDS = 3_600.0
"""Between two looks at what is old."""
INCREMENTAL = 2
"""SQLite's number for a file that gives pages back when it is told to."""
OWNERS = "SELECT DISTINCT json_extract(CAST(metadata AS TEXT), '$.owner') FROM checkpoints WHERE thread_id = ?"
"""The auth handler puts the owner into the metadata of each run, and LangGraph those into its checkpoints."""
LONG = f"{RESTING} AND COUNT(*) > COUNT(DISTINCT checkpoint_ns)"


class CheckpointSettings(Settings):
    """How long they are kept."""

    lookahead_checkpoint_days: float = Field(
        7, gt=0, le=36_500, description="Days after which a thread that rests loses all but its latest state"
    )


@asynccontextmanager
async def open_checkpoints() -> AsyncIterator[Checkpoints]:
    """Open the file, making it where there is none, and cut it down now and every hour; the server closes it.

    Raises:
        InputError: LOOKAHEAD_CHECKPOINT_DAYS cannot be used.
    """
    days = (await asyncio.to_thread(CheckpointSettings)).lookahead_checkpoint_days
    await asyncio.to_thread(Path(FOLDER).mkdir, exist_ok=True)
    async with Checkpoints.from_conn_string(str(Path(FOLDER, FILE))) as opened:
        saver = cast(Checkpoints, opened)
        await saver.setup()
        await cut_down(saver, days)
        looking = asyncio.create_task(_look(saver, days))
        try:
            yield saver
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking


async def owners(thread_id: str) -> set[str | None]:
    """Whom the checkpoints of a thread belong to; None stands for a server without tokens. Empty where there are none.

    LangGraph writes down later whose a thread is: of one that it forgot when it was killed, only the file knows it.
    """
    return await asyncio.to_thread(_owners, str(Path(FOLDER, FILE)), thread_id)


def _owners(path: str, thread_id: str) -> set[str | None]:
    if not Path(path).is_file():
        return set()
    with contextlib.closing(sqlite3.connect(path)) as db:
        return {owner for (owner,) in db.execute(OWNERS, (thread_id,))}


async def _look(saver: Checkpoints, days: float) -> None:
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        await cut_down(saver, days)


async def cut_down(saver: Checkpoints, days: float) -> None:
    """Leave threads that rest their latest state, drop those that LangGraph has forgotten, and give the space back.

    Where others hold the file, or the disk is full, it is logged; the next look does it.

    Args:
        saver: the file.
        days: without a checkpoint, after which a thread rests. One that waits to be resumed can still be.
    """
    before = (first_id(time.time() - days * SECONDS_PER_DAY),)
    try:
        known = _known()
        if known is not None:
            resting = {thread for (thread,) in await saver.conn.execute_fetchall(RESTING, before)}
            await saver.aprune(sorted(resting - known), strategy="delete_all")
        await saver.aprune([thread for (thread,) in await saver.conn.execute_fetchall(LONG, before)])
        await _give_back(saver)
    except sqlite3.Error as error:
        log.warning("old checkpoints in %s cannot be taken out (%s); tried again in an hour", FILE, error)


async def _give_back(saver: Checkpoints) -> None:
    """Make the file as small as what it holds; written before it could shrink, it is rewritten once."""
    async with saver.lock:
        ((how,),) = await saver.conn.execute_fetchall("PRAGMA auto_vacuum")
        shrink = "PRAGMA incremental_vacuum" if how == INCREMENTAL else f"PRAGMA auto_vacuum = {INCREMENTAL}; VACUUM"
        # As a script: a cursor takes one step of such a pragma, and a step is one page.
        await saver.conn.executescript(f"{shrink}; PRAGMA wal_checkpoint(TRUNCATE)")


def _known() -> set[str] | None:
    """Ids of the threads that LangGraph knows; None where its development server does not run in this process."""
    server = sys.modules.get("langgraph_runtime_inmem.database")
    return None if server is None else {str(thread["thread_id"]) for thread in server.GLOBAL_STORE["threads"]}
