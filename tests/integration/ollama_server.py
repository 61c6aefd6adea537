"""A real Ollama server of a test's own, with the model `tiny`. Knows how to start and end it, not how it was built.

It listens on loopback alone, has a home folder of its own, calls nobody, and dies with the process that started it.
"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from tests.integration.server_process import ServerProcess, free_port
from tests.integration.tiny_model import write_tiny_model

MODEL = "tiny"
START_SECONDS = 60
STOP_SECONDS = 20


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
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._process = ServerProcess([program, "serve"], folder, self._environment(), self.log)

    @property
    def running(self) -> bool:
        return self._process.running

    def start(self) -> None:
        """Start it and wait until it answers; the first time, give it the model.

        Raises:
            RuntimeError: it did not come up; the message holds its log.
        """
        if self.running:
            return
        self._process.start()
        try:
            self._wait_until_up()
            self._create_model()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it as its owner would; it ends the model's process itself."""
        self._process.stop(STOP_SECONDS)

    def kill(self) -> None:
        """End it and the model's process at once, in the middle of whatever they do."""
        self._process.kill()

    def kill_model(self) -> None:
        """End the process that runs the model, as the system does when memory is short; the server stays."""
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
        with httpx.Client(trust_env=False, timeout=5) as client:
            for _ in range(START_SECONDS * 20):
                if not self.running:
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
