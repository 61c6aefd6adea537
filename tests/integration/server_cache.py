"""Where the servers that tests run against are kept between runs. Knows nothing of any server.

A server is made once, by whoever comes first; it stands there whole or not at all, however the making ends.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs

_LOG_LINES = 30
"""Last lines of a failed command that are shown."""


class BuildError(Exception):
    """A server could not be made; the message says what is missing."""


def _root() -> Path:
    wanted = os.environ.get("LOOKAHEAD_TEST_SERVERS", "").strip()
    cache = Path(platformdirs.user_cache_dir("lookahead-rag"))
    return Path(wanted).expanduser().absolute() if wanted else cache / "test-servers"


ROOT = _root()
"""LOOKAHEAD_TEST_SERVERS, else in the user's cache; read on import, because later each test has a cache of its own."""


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder of a server.

    Args:
        name: says all that the result depends on: another version is another name.
        make: fills an empty folder; it is called when there is no folder of that name yet, by one process at a time.

    Raises:
        BuildError: whatever `make` raises comes through, and nothing is kept.
    """
    folder = ROOT / name
    if folder.is_dir():
        return folder
    ROOT.mkdir(parents=True, exist_ok=True)
    with (ROOT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the system gives it up for a process that dies
        if not folder.is_dir():
            for killed in ROOT.glob(f"{name}.part-*"):
                shutil.rmtree(killed, ignore_errors=True)
            part = Path(tempfile.mkdtemp(prefix=f"{name}.part-", dir=ROOT))
            try:
                make(part)
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    return folder


def run_step(command: Sequence[str], folder: Path) -> None:
    """Run one step of making a server, in a folder.

    Raises:
        BuildError: it failed; the message ends with its last lines.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-_LOG_LINES:])
        raise BuildError(f"{' '.join(command[:3])} failed ({done.returncode}):\n{last}")
