"""What may go wrong between a model's server and us: replies that are late, broken, odd or no replies at all.

A fault is made from the right reply: `(wire, request, text) -> Reply`, where the text is what should have been said.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.integration.wire_http import Fault, Piece, Reply, Request, slowly

MEGABYTES_5 = 5_000_000
Breaks = Callable[[Any, Request, str], Reply]


def whole(reply: Reply) -> bytes:
    """The body as it goes over the wire, pauses and faults left out."""
    return b"".join(piece for piece in reply.pieces if isinstance(piece, bytes))


def cut(reply: Reply, *between: Piece) -> Reply:
    """The same reply with something between its two halves; headers promise all of it."""
    body = whole(reply)
    return replace(reply, pieces=(body[: len(body) // 2], *between, body[len(body) // 2 :]))


def instead(reply: Reply, body: bytes, **changes: Any) -> Reply:
    """Another body in place of the right one, of the same type and transfer."""
    return replace(reply, pieces=(body,), **changes)


def page(status: int, text: str) -> Reply:
    """What a proxy sends when it cannot reach the server, or wants somebody to log in."""
    body = f"<!DOCTYPE html><html><head><title>{text}</title></head><body><h1>{text}</h1></body></html>"
    return Reply(status, (body.encode(),), content_type="text/html; charset=utf-8")


def odd_types(wire: Any, request: Request, text: str) -> Reply:
    """Every field there, and none of them of its type."""
    return Reply.of(200, {"id": 7, "choices": 7, "usage": "many", "message": [1], "done": "no", "model": None})


def no_message(wire: Any, request: Request, text: str) -> Reply:
    return Reply.of(200, {"choices": [None], "message": None, "done": True})


def redirect(wire: Any, request: Request, text: str) -> Reply:
    """To itself, for ever."""
    return Reply(307, (), {"location": request.path})


def broken_text(wire: Any, request: Request, text: str) -> Reply:
    """Bytes that are no UTF-8, in the middle."""
    return instead(right := wire.say(request, text), whole(right).replace(b"e", b"\xff\xfe\xed\xa0\x80"))


def endless(wire: Any, request: Request, text: str) -> Reply:
    """Five megabytes of words, streamed in pieces of 4 kB where that was asked for."""
    words = ("again and again " * (MEGABYTES_5 // 16 + 1))[:MEGABYTES_5]
    if b'"stream": true' in request.body or b'"stream":true' in request.body:
        reply: Reply = wire.stream(request, [words[at : at + 4096] for at in range(0, MEGABYTES_5, 4096)])
        return reply
    reply = wire.message(request, words)
    return reply


def endless_json(wire: Any, request: Request, text: str) -> Reply:
    """The same in brackets, which is slow to read for whoever reads them again and again."""
    brackets = '{"nodes": [' * (MEGABYTES_5 // 110)
    reply: Reply = wire.message(request, brackets)
    return reply


def status(number: int) -> Breaks:
    """An error as the API has it."""
    return lambda wire, request, text: wire.error(number, f"the server says {number}")


LATE: dict[str, Breaks] = {
    "hangs before the headers": lambda wire, request, text: Reply(200, (Fault.HANG,)),
    "hangs in the middle": lambda wire, request, text: cut(wire.say(request, text), Fault.HANG),
    "drips": lambda wire, request, text: replace(
        right := wire.say(request, text), pieces=slowly(whole(right), 0.05, 8)
    ),
}
"""Never done within the time that a call may take."""

BROKEN: dict[str, Breaks] = {
    "closes before the headers": lambda wire, request, text: Reply(200, (Fault.CLOSE,)),
    "closes in the middle": lambda wire, request, text: cut(wire.say(request, text), Fault.CLOSE),
    "resets before the headers": lambda wire, request, text: Reply(200, (Fault.RESET,)),
    "resets in the middle": lambda wire, request, text: cut(wire.say(request, text), Fault.RESET),
    "speaks no HTTP": lambda wire, request, text: Reply(0, (b"220 mail.example ESMTP ready\r\n", Fault.CLOSE)),
    "redirects for ever": redirect,
    "lies about gzip": lambda wire, request, text: replace(
        right := wire.say(request, text), headers={**right.headers, "content-encoding": "gzip"}
    ),
}
"""No reply arrives."""

ODD: dict[str, Breaks] = {
    "no body": lambda wire, request, text: instead(wire.say(request, text), b""),
    "no content": lambda wire, request, text: Reply(204),
    "half a JSON": lambda wire, request, text: instead(
        right := wire.message(request, text), whole(right)[: len(whole(right)) // 2]
    ),
    "no JSON": lambda wire, request, text: instead(wire.say(request, text), b"data: {not json\n\n"),
    "null": lambda wire, request, text: instead(wire.say(request, text), b"null"),
    "a list": lambda wire, request, text: instead(wire.say(request, text), b"[1, 2]"),
    "wrong types": odd_types,
    "no message": no_message,
    "a number for text": lambda wire, request, text: wire.message(request, 7),
    "says nothing": lambda wire, request, text: wire.say(request, ""),
    "says spaces": lambda wire, request, text: wire.say(request, " \n\t " * 9),
    "thinks only": lambda wire, request, text: wire.say(request, f"<think>{text}"),
    "a page": lambda wire, request, text: page(200, "Sign in to the guest network"),
    "5 MB": endless,
    "5 MB of brackets": endless_json,
    "no UTF-8": broken_text,
}
"""A reply arrives, and no answer is in it."""

REFUSED: dict[str, Breaks] = {
    f"status {number}": status(number) for number in (400, 401, 403, 404, 408, 413, 422, 429, 498, 500, 501, 503, 529)
} | {
    "echoes the key": lambda wire, request, text: wire.error(
        400, f"bad header Authorization: {request.headers['authorization']}"
    ),
    "a page with 502": lambda wire, request, text: page(502, "Bad Gateway"),
    "a page with 403": lambda wire, request, text: page(403, "Attention Required! | Cloudflare"),
}
"""The server says no."""
