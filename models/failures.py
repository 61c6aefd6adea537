"""What kind of failure an error of a chat model is: told by what it carries, so that no provider's client is imported.

Clients wrap each other's errors, so causes are looked at too. It decides whether asking again can help, never when.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

ONCE = 1
"""Repeats after a failure that costs much time, or that mostly comes again."""

_RETRIED = frozenset({408, 409, 425, 429, 498})
"""Status codes below 500 after which the same request may succeed: time-out, conflict of locks (as the clients of Groq
and OpenAI have it), too early, rate limit, and Groq's 498, "flex tier capacity exceeded"."""
_NEVER = frozenset({501, 505})
"""Status codes from 500 on that stay."""
_REFUSED = frozenset({401, 402, 403, 404, 413})
"""Status codes that another way of asking would not change either."""

_TIMEOUTS = frozenset({"TimeoutException", "APITimeoutError"})
_BROKEN = frozenset({"RemoteProtocolError", "ReadError", "IncompleteRead", "ClientPayloadError"})
_CONNECTION = frozenset({"TransportError", "APIConnectionError", "ClientConnectionError"})
"""Classes of httpx, of the clients generated with it, and of aiohttp; none of them is an OSError everywhere."""
_OWN_FAULT = frozenset({"UnsupportedProtocol", "LocalProtocolError", "InvalidURL"})
"""Errors of httpx that come before anything is sent."""
_OF_FILES = (FileNotFoundError, PermissionError, FileExistsError, IsADirectoryError, NotADirectoryError)
_TOO_LONG = (
    "context length",
    "context_length",
    "context window",
    "context size",
    "too large",
    "too long",
    "reduce the length",
    "maximum context",
)
"""What servers say of a prompt that does not fit."""


_EMPTY = ("No generation chunks", "No data received")
"""How LangChain's ValueErrors begin where a stream ended before it began."""


class Failure(NamedTuple):
    """How a call failed."""

    kind: str
    """As it stands in `usage["by_reason"]`: a status ("429"), "no connection", "broken stream", "timeout", "broken
    reply", or "error" for all else."""
    repeats: int
    """How often the same may be asked again after failures of this kind."""
    down: bool
    """Whether it looks as if the server were down: what the circuit breaker counts."""
    answered: bool
    """Whether the server is there and said no."""


def read_failure(error: BaseException) -> Failure:
    """Tell what kind of failure it is."""
    if (status := status_of(error)) is not None:
        again = (status >= 500 and status not in _NEVER) or status in _RETRIED
        down = status >= 500 and status not in _NEVER
        return Failure(str(status), 99 if again else 0, down, answered=not down)
    if any(type(one).__name__ == "ConnectTimeout" for one in causes(error)):  # Groq's client wraps it in a time-out
        return Failure("no connection", ONCE, True, False)
    for one in causes(error):
        names = {kind.__name__ for kind in type(one).__mro__}
        if names & _OWN_FAULT or isinstance(one, _OF_FILES):
            break
        if isinstance(one, TimeoutError) or names & _TIMEOUTS:
            return Failure("timeout", ONCE, True, False)
        if isinstance(one, ConnectionResetError | BrokenPipeError) or names & _BROKEN or _said_in_stream(one):
            return Failure("broken stream", 99, True, False)
        if isinstance(one, OSError) or names & _CONNECTION:
            return Failure("no connection", 99, True, False)
        if isinstance(one, json.JSONDecodeError) or str(one).startswith(_EMPTY):  # half a line, or a proxy's page
            return Failure("broken reply", ONCE, False, False)
    return Failure("error", 0, False, False)


def is_final(error: BaseException) -> bool:
    """Whether asking in another way is pointless: the server is not there, or refuses who asks, not how."""
    status = status_of(error)
    if status is not None:
        return status in _REFUSED or status in _RETRIED or (status >= 500 and status != 501)
    return any(
        isinstance(one, OSError) or any(kind.__name__ in _CONNECTION for kind in type(one).__mro__)
        for one in causes(error)
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status an error carries: itself, in its response, or in the body of an error sent in a stream."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and 400 <= status <= 599:
            return status
    body = error_body(error)
    status = body.get("status_code")
    if isinstance(status, int) and 400 <= status <= 599:
        return status
    return 400 if body.get("failed_generation") is not None else None


def error_body(error: BaseException) -> Mapping[str, Any]:
    """What the server said of an error, as JSON: `{"message": ..., "type": ..., "code": ...}`; empty when nothing."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, Mapping) else {}
    return inner if isinstance(inner, Mapping) else {}


def failed_generation(error: BaseException) -> str | None:
    """What the model wrote when the server found that it breaks the JSON schema (Groq's 400 `json_validate_failed`)."""
    for one in causes(error):
        written = error_body(one).get("failed_generation")
        if isinstance(written, str) and written:
            return written
    return None


def is_too_long(error: BaseException) -> bool:
    """Whether the server refused a prompt for its length."""
    status, told = status_of(error), str(error).lower()
    return status == 413 or (status in (400, 422, 500) and any(words in told for words in _TOO_LONG))


def provider_of(name: str, model: "BaseChatModel | None" = None) -> str:
    """Who serves the model, "groq" or "ollama", by its name or else its class; "" for all others."""
    prefix = name.partition(":")[0]
    if prefix in ("groq", "ollama"):
        return prefix
    classes = {kind.__name__ for kind in type(model).__mro__}
    return "groq" if "ChatGroq" in classes else "ollama" if "ChatOllama" in classes else ""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from."""
    one: BaseException | None = error
    for _ in range(5):
        if one is None:
            return
        yield one
        one = one.__cause__


def _said_in_stream(error: BaseException) -> bool:
    """Whether the server sent it in place of the rest of a reply that had begun well: Ollama's -1, Groq's event."""
    return getattr(error, "status_code", None) == -1 or type(error).__name__ == "APIError"
