"""A real Ollama server of a test's own, with the model `tiny`. Knows how to start and end it, not how it was built.

It listens on loopback alone, has a home folder of its own, calls nobody, and dies with the process that started it.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from tests.integration.tiny_model import write_tiny_model

MODEL = "tiny"
START_SECONDS = 60
STOP_SECONDS = 20
_PORTS = range(20_000, 32_000)
"""Below the ports that systems give to outgoing calls: none of those takes the port of a server that is down."""
_WITH_ITS_PARENT = 'exec 3<&0; { cat <&3 >/dev/null; kill -KILL 0; } & exec "$@" 3<&- </dev/null'
"""Runs a command whose process group is killed when standard input closes: however the parent ends, it closes then."""


class OllamaServer:
    """A server that can be killed and started again, on the same port and with the same models.

    A context manager: started on entry, stopped on exit.
    """

    def __init__(self, program: Path, folder: Path) -> None:
        """Take the built program, and an empty folder for models, home and log."""
        self.program = program
        self.folder = folder
        self.log = folder / "ollama.log"
        """What the server wrote, of all its starts."""
        self.port = _free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it answers; the first time, give it the model.

        Raises:
            RuntimeError: it did not come up; the message holds its log.
        """
        if self.running:
            return
        self.kill()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _WITH_ITS_PARENT, "sh", self.program, "serve"],
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self._wait_until_up()
            self._create_model()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it as its owner would; it ends the model's process itself."""
        if self._process is not None and self.running:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it and the model's process at once, in the middle of whatever they do."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdin is not None
        process.stdin.close()

    def kill_model(self) -> None:
        """End the process that runs the model, as the system does when memory is short; the server stays."""
        assert self._process is not None
        for child in _children(self._process.pid):
            if b"runner" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _environment(self) -> dict[str, str]:
        """Nothing of the machine's but PATH: no proxy, no key, no other models. Two cores are enough."""
        (self.folder / "home").mkdir(exist_ok=True)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder),
            "OLLAMA_HOST": f"127.0.0.1:{self.port}",
            "OLLAMA_MODELS": str(self.folder / "models"),
            "OLLAMA_NO_CLOUD": "1",
            "OLLAMA_NUM_PARALLEL": "2",
            "OLLAMA_MAX_LOADED_MODELS": "1",
        }

    def _wait_until_up(self) -> None:
        assert self._process is not None
        with httpx.Client(trust_env=False, timeout=5) as client:
            for _ in range(START_SECONDS * 20):
                if self._process.poll() is not None:
                    break
                try:
                    if client.get(f"{self.address}/api/version").is_success:
                        return
                except httpx.TransportError:
                    pass
                time.sleep(0.05)
        raise RuntimeError(f"Ollama did not come up on {self.address}:\n{self.log.read_text()[-3000:]}")

    def _create_model(self) -> None:
        source = self.folder / "source"
        if source.exists():
            return
        source.mkdir()
        write_tiny_model(source)
        command = [str(self.program), "create", MODEL, "-f", "Modelfile"]
        made = subprocess.run(command, cwd=source, env=self._environment(), capture_output=True, text=True, check=False)
        if made.returncode != 0:
            shutil.rmtree(source)
            raise RuntimeError(f"ollama create failed: {made.stderr[-1000:]}\n{self.log.read_text()[-3000:]}")


def _free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port in {_PORTS}")


def _children(parent: int) -> list[int]:
    """Ids of a process's children, from Linux's process table: after the name in brackets come state and parent."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found
