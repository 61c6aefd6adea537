"""Turns what SQLite, tantivy and the operating system say into errors that the user can act on.

Knows nothing about what was being done except the stage's name.
"""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from stores.errors import LookaheadError, StoreBusy, StoreError, StoreFull

_NO_ROOM = ("disk is full", "disk i/o error", "no space left", "quota exceeded", "file too large")
_NOT_WRITABLE = ("readonly database", "unable to open database file", "permission denied", "read-only file system")
_BUSY = ("database is locked", "database table is locked")


@contextmanager
def store_failures(stage: str, address: str) -> Iterator[None]:
    """Translate failures of the block; `stage` begins the sentence ("Writing to the store").

    Raises:
        StoreFull: no room, or not writable.
        StoreBusy: another process kept the write lock for too long.
        StoreError: the file is damaged or no store.
    """
    try:
        yield
    except LookaheadError:
        raise
    except (sqlite3.Error, OSError, ValueError) as error:
        translated = _translate(error, stage, address)
        if translated is None:
            raise
        raise translated from error


def _translate(error: Exception, stage: str, address: str) -> StoreError | None:
    said = str(error).lower()
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or any(text in said for text in _NO_ROOM):
        return StoreFull(
            f"{stage}: no room left for {address!r} ({error}). Everything stored before is intact; free some space and "
            "run the same command again."
        )
    if number in (errno.EACCES, errno.EPERM, errno.EROFS) or any(text in said for text in _NOT_WRITABLE):
        return StoreFull(
            f"{stage}: {address!r} cannot be written ({error}). Make it writable, or choose another "
            "folder with --store."
        )
    if any(text in said for text in _BUSY):
        return StoreBusy(
            f"{stage}: another process is writing to {address!r}. Nothing was changed; wait for it and run the "
            "same command again."
        )
    if isinstance(error, (NotADirectoryError, FileExistsError)):
        return StoreError(f"{stage}: {address!r} is not a folder. Choose another one with --store.")
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.IntegrityError):
        return StoreError(
            f"{stage}: {address!r} is damaged or no store of this program ({error}). Restore it from a backup, or "
            "delete the folder and ingest again."
        )
    if isinstance(error, OSError):
        return StoreError(f"{stage}: {address!r} cannot be used ({error}). Check that the folder is there and yours.")
    return None
