"""LangGraph's dev server over our langgraph.json, as a process of its own."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.integration.test_langgraph_dev import QUIET, ROOT, SCRIPTS, free_port, wait_until_up


@contextmanager
def dev_server(
    folder: Path,
    host: str = "127.0.0.1",
    *,
    config: Path = ROOT / "langgraph.json",
    kill: bool = False,
    **environment: str,
) -> Iterator[tuple[str, Path]]:
    """Address and log of a server that runs in a folder of its own; at the end it is stopped, or killed."""
    port, log = free_port(), folder / "log"
    address = f"http://127.0.0.1:{port}"
    command = [SCRIPTS / "langgraph", "dev", "--config", config, "--port", str(port), "--host", host]
    flags = ["--no-reload", "--no-browser", "--n-jobs-per-worker", "10"]
    with log.open("ab") as output:
        server = subprocess.Popen(
            [*command, *flags],
            cwd=folder,
            env={**os.environ, **QUIET, **environment},
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            wait_until_up(server, address, log)
            yield address, log
        finally:
            if kill:
                os.killpg(server.pid, signal.SIGKILL)
            else:
                server.send_signal(signal.SIGINT)
            server.wait(timeout=30)


def bearer(address: str, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=address, timeout=60, headers=headers)
