"""The service on its own, in a process of uvicorn's. Knows hosts and ports; nothing of what is served."""

import contextlib
import logging
import socket

import uvicorn

from graph.web.app import create_app
from graph.web.gate import is_loopback
from graph.web.service import gate_of
from graph.web.settings import WebSettings
from nodes.deps import Deps
from stores.errors import InputError

GRACE_SECONDS = 5
"""How long a request may go on when the service is being stopped."""
IDLE_CONNECTIONS = 2048


def serve(host: str, port: int, store: str | None, namespace: str) -> None:
    """Serve until stopped.

    Args:
        host: address to listen at.
        port: 0 takes a free one, which the log names.
        store: address of the store; None takes that of the environment.
        namespace: of a request that names none.

    Raises:
        InputError: no token is set and the address is not this machine's own, or the port is taken.
    """
    settings = WebSettings()
    if not gate_of(settings).tokens and not is_loopback(host):
        raise InputError(
            f"serve: --host {host} would answer other machines, and no token is set: set LOOKAHEAD_TOKENS="
            "token=namespace, or leave --host out"
        )
    listening = _listen(host, port)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:     %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    config = uvicorn.Config(
        create_app(Deps(store), settings, namespace=namespace, warm=True), timeout_graceful_shutdown=GRACE_SECONDS
    )
    with listening, contextlib.suppress(KeyboardInterrupt):  # which uvicorn hands on when it has stopped in order
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=IDLE_CONNECTIONS)
    except (OSError, OverflowError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(
            f"serve: {host}:{port} cannot be listened at ({said}): take another --port or --host"
        ) from None
