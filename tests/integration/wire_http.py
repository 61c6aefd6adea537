"""Requests and replies of the loopback servers, as data: a reply may pause, stall or break anywhere.

A reply is a list of pieces: bytes to send, seconds to wait, or a `Fault`.
"""

import enum
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self


class Fault(enum.Enum):
    """What a server may do in the middle of a reply, or in place of one."""

    HANG = "hang"
    """Says nothing more, and keeps the connection until the client leaves."""
    CLOSE = "close"
    """Ends the connection, as a process does that exits."""
    RESET = "reset"
    """Breaks the connection (TCP RST), as a process does that is killed, or a firewall."""


Piece = bytes | float | Fault


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    at: float
    """`time.monotonic()` when it had arrived."""
    connection: int
    """On which of the server's connections, from 1."""

    @cached_property
    def json(self) -> Any:
        """The body read as JSON; None when it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


@dataclass(frozen=True)
class Reply:
    """What the server says. The status line and headers go out with the first bytes: a pause before them delays all."""

    status: int = 200
    """0 for neither status line nor headers: the pieces are all there is."""
    pieces: Sequence[Piece] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    chunked: bool = False
    """Sent in chunks of one piece each, as streams are; otherwise with a Content-Length, that of all bytes in it."""

    @classmethod
    def of(cls, status: int, body: Any, **headers: str) -> Self:
        """A reply with a JSON body; `retry_after` becomes the header Retry-After."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(status, (json_bytes(body),), named)


def json_bytes(data: Any) -> bytes:
    """JSON as servers write it: UTF-8, and escapes only for half a surrogate pair, which UTF-8 cannot hold."""
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()


Script = Callable[[Request], Reply]
"""Decides each reply. It is called on the server's loop, one request after the other."""


def in_order(*replies: Reply | Script) -> Script:
    """One reply for each request, the last one for all that follow."""
    given = iter(replies)
    last: list[Reply | Script] = []

    def answer(request: Request) -> Reply:
        last[:] = [next(given, *last)]
        return last[0] if isinstance(last[0], Reply) else last[0](request)

    return answer


def slowly(data: bytes, seconds: float, size: int = 16) -> list[Piece]:
    """The bytes with pauses of so many seconds between pieces of so many bytes."""
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    return [piece for part in cut for piece in (part, seconds)]
