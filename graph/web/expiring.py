"""Takes plans that nobody decided out of the file when their time is over. Knows LangGraph's two tables; no graph."""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Collection
from pathlib import Path

from graph.checkpoint_file import RESTING, TABLES, first_id

log = logging.getLogger("lookahead.web")

SECONDS_PER_HOUR = 3600
MOST_SECONDS = 600.0
"""Longest time between two looks."""
LOCKED_SECONDS = 5.0
"""How long to wait for others that write."""


async def keep_clean(path: str, hours: float, going_on: Callable[[], Collection[str]]) -> None:
    """Look again and again, until cancelled; what goes wrong is logged, and tried again.

    Args:
        path: the SQLite file; it need not be there.
        hours: how long a plan may wait.
        going_on: runs that are under way, and stay.
    """
    seconds = hours * SECONDS_PER_HOUR
    while True:
        try:
            gone = await asyncio.to_thread(forget_older, path, time.time() - seconds, list(going_on()))
            if gone:
                log.info("%s plans that nobody decided within %g hours are forgotten", f"{gone:,}", hours)
        except (OSError, sqlite3.Error) as error:
            log.warning("plans that wait cannot be looked through (%s): mend LOOKAHEAD_RUNS=%s", error, path)
        await asyncio.sleep(min(max(seconds / 4, 1.0), MOST_SECONDS))


def forget_older(path: str, moment: float, going_on: Collection[str] = ()) -> int:
    """Delete the runs whose last checkpoint is older than a moment; blocks.

    Args:
        path: the SQLite file.
        moment: in seconds since the epoch.
        going_on: runs that stay.

    Returns:
        How many were deleted.
    """
    if not Path(path).is_file():
        return 0
    with contextlib.closing(sqlite3.connect(path, timeout=LOCKED_SECONDS)) as db:
        db.execute("PRAGMA secure_delete = ON")  # a question is its owner's, and they were told that it is forgotten
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'").fetchone():
            return 0
        rows = db.execute(RESTING, (first_id(moment),))
        old = [(run,) for (run,) in rows if run not in going_on]
        with db:
            for table in TABLES:
                db.executemany(f"DELETE FROM {table} WHERE thread_id = ?", old)
    return len(old)
