"""What a model's server says of itself: one short question, one answer, no client library.

Knows the few requests of Groq's and Ollama's HTTP interface that tell what is there; nothing of chat models.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

from models.addresses import is_loopback
from stores.errors import ModelError

CONNECT_SECONDS = 0.5
"""Longest wait for a connection, so that a machine without network says so at once."""


class NotReached(ModelError):
    """No usable answer; the message says in a few words why, to stand behind the server's name."""


class Fetch(Protocol):
    """Asks a server for JSON."""

    async def __call__(
        self,
        url: str,
        *,
        seconds: float,
        connect: float = CONNECT_SECONDS,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> Any:
        """The answer of a GET, or of a POST where there is a body.

        Args:
            url: what is asked for.
            seconds: longest wait for the answer of a server that has been connected to.
            connect: longest wait for the connection.
            headers: may hold a secret.
            body: sent as JSON.

        Raises:
            NotReached: there was none in time, or none that is JSON.
        """
        ...


async def fetch_json(
    url: str,
    *,
    seconds: float,
    connect: float = CONNECT_SECONDS,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> Any:
    """See `Fetch`. A port where nobody listens costs a millisecond and imports nothing."""
    waited = f"connection within {connect:.1f} s"
    try:
        if not _through_proxy(url):
            async with asyncio.timeout(connect):
                await _knock(url)
        await get_ready()
        waited = f"answer within {seconds:.1f} s"
        async with asyncio.timeout(seconds):
            status, answer = await _request(url, headers, body)
    except TimeoutError:
        raise NotReached(f"no {waited}") from None
    except OSError as error:
        raise NotReached("nobody listens there" if isinstance(error, ConnectionRefusedError) else str(error)) from error
    if status != 200:
        raise NotReached(f"it answers with status {status}")
    return answer


async def ollama_models(
    host: str,
    headers: Mapping[str, str],
    seconds: float,
    fetch: Fetch = fetch_json,
    connect: float = CONNECT_SECONDS,
) -> list[str]:
    """Names of the models that an Ollama server has. Raises NotReached."""
    answer = await fetch(f"{host}/api/tags", seconds=seconds, connect=connect, headers=headers)
    return _names(answer, "models", "name")


async def ollama_version(host: str, headers: Mapping[str, str], seconds: float, fetch: Fetch = fetch_json) -> str:
    """Version of an Ollama server. Raises NotReached."""
    answer = await fetch(f"{host}/api/version", seconds=seconds, headers=headers)
    return str(answer.get("version", "")) if isinstance(answer, dict) else ""


async def context_length(
    host: str, headers: Mapping[str, str], model: str, seconds: float, fetch: Fetch = fetch_json
) -> int | None:
    """Tokens that a model of an Ollama server was made for; None where the server does not tell. Raises NotReached."""
    answer = await fetch(f"{host}/api/show", seconds=seconds, headers=headers, body={"model": model})
    info = answer.get("model_info") if isinstance(answer, dict) else None
    lengths = (value for key, value in (info or {}).items() if key.endswith(".context_length"))
    return next((length for length in lengths if isinstance(length, int) and length > 0), None)


async def groq_models(base: str, key: str, seconds: float, fetch: Fetch = fetch_json) -> list[str]:
    """Names of the models that Groq offers for this key. Raises NotReached."""
    headers = {"Authorization": f"Bearer {key}"}
    answer = await fetch(f"{base}/openai/v1/models", seconds=seconds, headers=headers)
    return sorted(_names(answer, "data", "id"))


def has_model(names: list[str], wanted: str) -> bool:
    """Whether an Ollama server with these models has the wanted one; no tag means ":latest".

    >>> has_model(["llama3.2:latest"], "llama3.2"), has_model(["llama3.2:1b"], "llama3.2")
    (True, False)
    """
    tag = wanted if ":" in wanted.rsplit("/", 1)[-1] else f"{wanted}:latest"
    return wanted in names or tag in names


def _names(answer: Any, items: str, key: str) -> list[str]:
    found = answer.get(items) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise NotReached("it answers with something else than a list of models")
    return [item[key] for item in found if isinstance(item, dict) and isinstance(item.get(key), str)]


async def get_ready() -> None:
    """Import what a request needs: 0.1 s of CPU in a fresh process, which is not to be counted as the server's."""
    import anyio.lowlevel
    import httpx  # noqa: F401

    await anyio.lowlevel.checkpoint()  # its first use imports the half of it that httpx works with


def http_options(address: str) -> dict[str, Any]:
    """Options of an httpx client for this address.

    A proxy is of no use on the way to this machine, and a certificate store is read (20 ms) only where it is needed;
    without one no certificate is trusted.
    """
    import ssl

    options: dict[str, Any] = {"trust_env": not is_loopback(address)}
    if not address.startswith("https:"):
        options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return options


async def _request(url: str, headers: Mapping[str, str] | None, body: Any) -> tuple[int, Any]:
    import httpx

    try:
        async with httpx.AsyncClient(timeout=None, **http_options(url)) as client:
            response = await client.request("GET" if body is None else "POST", url, headers=headers, json=body)
            return response.status_code, response.json() if response.status_code == 200 else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:  # ValueError: it is no JSON
        raise NotReached(f"{type(error).__name__}{f': {error}' if str(error) else ''}") from error


def _through_proxy(url: str) -> bool:
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    return not is_loopback(url) and parts.scheme in getproxies() and not proxy_bypass(parts.hostname or "")


async def _knock(url: str) -> None:
    """Connect and hang up. Raises OSError."""
    parts = urlsplit(url)
    error: OSError = OSError("its name has no address")
    for address in await _addresses(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)):
        try:
            _, writer = await asyncio.open_connection(*address)
        except OSError as refused:
            error = refused
            continue
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return
    raise error


async def _addresses(host: str, port: int) -> list[tuple[str, int]]:
    """Addresses of a name. Raises OSError.

    Looked up in a daemon thread: without network a lookup may take many seconds, for which asyncio would wait at exit
    if it were one of its own threads.
    """
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[tuple[str, int]]] = loop.create_future()

    def finish(addresses: list[tuple[str, int]] | None, error: OSError | None) -> None:
        if found.done():  # given up meanwhile
            return
        if error is None:
            found.set_result(addresses or [])
        else:
            found.set_exception(OSError(f"the name {host!r} cannot be looked up"))

    def look_up() -> None:
        addresses: list[tuple[str, int]] | None = None
        problem: OSError | None = None
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = [(str(info[4][0]), port) for info in infos]
        except OSError as error:
            problem = error
        with contextlib.suppress(RuntimeError):  # the loop is closed meanwhile
            loop.call_soon_threadsafe(finish, addresses, problem)

    threading.Thread(target=look_up, name="look up", daemon=True).start()
    return await found
