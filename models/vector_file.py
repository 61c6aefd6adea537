"""A bounded SQLite file of vectors that several processes may use at once, and that may be lost at any time.

It holds bytes by key and knows nothing of texts or models. Nothing here fails: what cannot be read is missing, what
cannot be written is not kept, and a broken file is set aside and begun anew. Only what went wrong is remembered.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors (number INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)"
)
PAGE_BYTES = 16_384
"""Ten vectors of 384 numbers fill such a page; the default of 4,096 would waste a quarter."""
KEYS_AT_ONCE = 500
WAIT_SECONDS = 5.0
"""How long to wait for another process that is writing."""
AGAIN_SECONDS = 0.01
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
"""Damaged, no database at all, or one with other tables."""


class VectorFile:
    """Bytes by key. Each call opens and closes the file, so that threads, forks and processes need no care."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.problem = ""
        """What went wrong last, or empty; the work goes on without the file."""

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is held for these keys; the others are left out."""
        found: dict[bytes, bytes] = {}

        def work(database: sqlite3.Connection) -> None:
            for start in range(0, len(keys), KEYS_AT_ONCE):
                wanted = keys[start : start + KEYS_AT_ONCE]
                marks = ",".join("?" * len(wanted))
                found.update(database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", wanted))

        if self.path.exists():
            self._patiently(work)
        return found

    def write(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep these, replacing earlier ones of the same key; when the file is full, the oldest make room."""

        def work(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", vectors.items())
            _drop_oldest(database, self.max_bytes)
            database.execute("COMMIT")

        self._patiently(work)

    def _patiently(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Do what may be done twice, again while another is making the file or closing it for the last time.

        SQLite's own timeout does not cover these: changing to WAL and removing the WAL want the file alone, at once.
        """
        until = time.monotonic() + WAIT_SECONDS
        with self._forgiving():
            while True:
                try:
                    with self._open() as database:
                        return work(database)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                        raise
                    time.sleep(AGAIN_SECONDS)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # isolation_level None: transactions are begun by hand, above.
        with contextlib.closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as database:
            database.execute(f"PRAGMA page_size={PAGE_BYTES}")
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            database.execute(SCHEMA)
            yield database

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[None]:
        """Remember what went wrong instead of raising it; set a broken file aside."""
        try:
            yield
        except OSError as error:
            self.problem = f"the vector cache {str(self.path)!r} cannot be used ({error})"
        except sqlite3.Error as error:
            self.problem = f"the vector cache {str(self.path)!r} cannot be used ({error})"
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN:
                self._set_aside()

    def _set_aside(self) -> None:
        """Give the broken file another name (one is kept, for those who wonder) and drop its journal."""
        broken = self.path.with_name(self.path.name + ".broken")
        with contextlib.suppress(OSError):  # another process may have done it
            self.path.replace(broken)
            self.problem += f"; it was set aside as {broken.name!r} and is begun anew"
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink()


def _drop_oldest(database: sqlite3.Connection, max_bytes: int) -> None:
    """Delete a tenth at a time until the pages in use fit; SQLite fills the freed ones again before the file grows."""
    while _bytes_used(database) > max_bytes:
        first, last = database.execute("SELECT min(number), max(number) FROM vectors").fetchone()
        if first is None:
            return
        database.execute("DELETE FROM vectors WHERE number <= ?", (first + (last - first) // 10,))


def _bytes_used(database: sqlite3.Connection) -> int:
    pages, free = (database.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "freelist_count"))
    return int(pages - free) * PAGE_BYTES
