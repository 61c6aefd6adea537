"""Connections to the embedded store's SQLite file: one for each thread at work, transactions, the turn of the writers.

Readers never wait for writers. Writers of one process queue on a lock; those of other processes wait in SQLite, which
polls. Knows nothing about what is read or written. Every method blocks: call it in a worker thread.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stores.errors import StoreBusy, StoreError
from stores.failures import store_failures
from stores.schema import connect


class Connections:
    """A pool of connections to one file; the file is made by the first `writing`.

    Args:
        file: the SQLite file.
        read_only: refuse to write.
        busy_seconds: how long a writer waits for others before `StoreBusy`.
    """

    def __init__(self, file: Path, *, read_only: bool, busy_seconds: float) -> None:
        self.file = file
        self._address = str(file.parent)
        self._read_only = read_only
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._open = True
        self._turn = threading.Lock()

    def open(self) -> None:
        """Allow connections to be kept (again)."""
        self._open = True

    def close(self) -> None:
        """Close idle connections; those at work are closed when their work is done."""
        self._open = False
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def using(self, stage: str) -> Iterator[sqlite3.Connection]:
        """A connection outside a transaction; failures inside become errors that begin with `stage`."""
        with store_failures(stage, self._address):
            try:
                db = self._idle.pop()
            except IndexError:
                db = connect(self.file, self._busy_seconds)
            try:
                yield db
            finally:
                if self._open:
                    self._idle.append(db)
                else:
                    db.close()

    @contextmanager
    def reading(self, stage: str) -> Iterator[sqlite3.Connection]:
        """A read transaction: everything inside sees one state."""
        with self.using(stage) as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("COMMIT")

    @contextmanager
    def writing(self, stage: str) -> Iterator[sqlite3.Connection]:
        """A write transaction: all or nothing, on the disk when left.

        Raises:
            StoreBusy: others kept the lock for `busy_seconds`.
            StoreFull: no room, or not writable.
            StoreError: opened for reading only.
        """
        if self._read_only:
            raise StoreError(f"{stage}: {self._address!r} was opened for reading only. Open it without read_only.")
        with store_failures(stage, self._address):
            self.file.parent.mkdir(parents=True, exist_ok=True)
        with self._my_turn(stage), self.using(stage) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def _my_turn(self, stage: str) -> Iterator[None]:
        if not self._turn.acquire(timeout=self._busy_seconds):
            raise StoreBusy(
                f"{stage}: another thread has been writing to {self._address!r} for {self._busy_seconds:g} s. "
                "Try again later."
            )
        try:
            yield
        finally:
            self._turn.release()
