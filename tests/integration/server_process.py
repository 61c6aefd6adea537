"""The process of a server that tests run against: started, ended, killed. Knows nothing of any server.

However the process that started it ends, the server ends with it.
"""

import os
import random
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_PORTS = range(20_000, 32_000)
"""Below the ports that systems give to outgoing calls: none of those takes the port of a server that is down."""
_WITH_ITS_PARENT = 'exec 3<&0; { cat <&3 >/dev/null; kill -KILL 0; } & exec "$@" 3<&- </dev/null'
"""Runs a command whose process group is killed when standard input closes: however the parent ends, it closes then."""


class ServerProcess:
    """A command in a process group of its own, which may be started again once it has ended."""

    def __init__(self, command: Sequence[str | Path], folder: Path, environment: dict[str, str], log: Path) -> None:
        """Take the command, the folder it runs in, all of its environment, and the file that its output goes to."""
        self._command = list(command)
        self._folder = folder
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        self.kill()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _WITH_ITS_PARENT, "sh", *self._command],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def stop(self, seconds: float) -> None:
        """End it as its owner would; kill it when it has not ended after so many seconds."""
        if self._process is not None and self.running:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """End it and its children at once, in the middle of whatever they do."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdin is not None
        process.stdin.close()


def free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port in {_PORTS}")
