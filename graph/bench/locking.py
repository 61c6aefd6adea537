"""One process at a time writes into a folder of results. The system gives the lock up for a process that dies.

The lock is on an open file, not in what the file holds: one that a killed run left behind locks nothing. It is the
process that holds it: several runs inside one, as in Studio's server, are not kept apart. Where the system or the disk
knows no such locks (Windows, some network disks), nothing is guarded.
"""

import asyncio
import errno
import functools
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from stores.errors import InputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
"""The file; it stays, as a process that waits to open it must find the same one."""
Step = Callable[..., Awaitable[dict[str, Any]]]

_files: dict[Path, int] = {}
_changing = threading.Lock()


def hold(folder: Path) -> None:
    """Keep other processes from writing into a folder that exists, until `release` or the end of this process. Blocks.

    Raises:
        InputError: another process holds it.
        OSError: the folder cannot be written.
    """
    folder = folder.resolve()
    with _changing:
        if fcntl is None or folder in _files:
            return
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            writer = os.pread(file, 20, 0).decode("ascii", "replace").strip()
            os.close(file)
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                return  # a disk without locks
            raise InputError(
                f"bench: another run (process {writer or 'unknown'}) is writing into {str(folder)!r}: wait until it "
                "is over, or name another folder with --out"
            ) from None
        _files[folder] = file
        with suppress(OSError):  # who holds it is only for the message
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)


def release(folder: Path) -> None:
    """Let other processes write into the folder; does not block."""
    with _changing:
        file = _files.pop(folder.resolve(), None)
        if file is not None:
            with suppress(OSError):
                os.close(file)


@contextmanager
def released_on_error(folder: Path) -> Iterator[None]:
    """Give the folder up when what is done in it raises: the process, a server perhaps, may live on."""
    try:
        yield
    except BaseException:
        release(folder)
        raise


def holding(step: Step) -> Step:
    """A step after `load`, which runs only while this process holds the folder of the run."""

    @functools.wraps(step)
    async def held(state: Any, runtime: Any, *, deps: Any) -> dict[str, Any]:
        folder = Path(state["out"])
        await asyncio.to_thread(hold, folder)
        with released_on_error(folder):
            return await step(state, runtime, deps=deps)

    return held
