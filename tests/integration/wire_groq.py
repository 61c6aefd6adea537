"""Groq's chat API on the wire: what it sends, what it refuses, and a loopback server that does both.

Formats as its documentation and published traces show them (console.groq.com/docs: api-reference, errors, rate-limits,
structured-outputs; error texts from public reports of 2024 to 2026) and as the client of version 0.37 reads them. The
server refuses what Groq refuses (`wire_groq_rules`), so that our own mistakes show. It knows nothing of plans.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.integration.wire_groq_rules import KEY as KEY
from tests.integration.wire_groq_rules import MODEL as MODEL
from tests.integration.wire_groq_rules import MODELS, refusal
from tests.integration.wire_http import Fault, Piece, Reply, Request, Script, json_bytes
from tests.integration.wire_server import WireServer

NAME = "groq"

LIMITS = {
    "x-ratelimit-limit-requests": "14400",
    "x-ratelimit-limit-tokens": "18000",
    "x-ratelimit-remaining-requests": "14370",
    "x-ratelimit-remaining-tokens": "17997",
    "x-ratelimit-reset-requests": "2m59.56s",
    "x-ratelimit-reset-tokens": "7.66s",
    "x-request-id": "req_01jngbvsctfy0bmjw87yea904b",
}
"""Stand on every reply. Requests are counted by the day, tokens by the minute."""
USAGE = {
    "queue_time": 0.037493,
    "prompt_tokens": 1180,
    "prompt_time": 0.048811,
    "completion_tokens": 96,
    "completion_time": 0.192113,
    "total_tokens": 1276,
    "total_time": 0.240924,
}


def serve(script: Script) -> WireServer:
    """A server that refuses what Groq refuses, lists its models, and asks the script for every completion."""

    def answer(request: Request) -> Reply:
        refused = refusal(request)
        if refused is not None:
            return error(*refused)
        return _models() if request.method == "GET" else script(request)

    return WireServer(answer)


def environment(url: str) -> dict[str, str]:
    """Variables that send Groq's client to this address."""
    return {"GROQ_API_KEY": KEY, "GROQ_API_BASE": url}


def say(request: Request, text: str, **options: Any) -> Reply:
    """The model writes this text, streamed when that was asked for. Options: those of `message` and `stream`."""
    return (
        stream(request, _pieces(text), **options) if request.json.get("stream") else message(request, text, **options)
    )


def message(
    request: Request,
    content: Any,
    *,
    finish_reason: str = "stop",
    usage: Mapping[str, Any] | None = USAGE,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
) -> Reply:
    """A completion in one piece."""
    said: dict[str, Any] = {"role": "assistant", "content": content}
    if reasoning is not None:
        said["reasoning"] = reasoning
    if tool_calls:
        said["tool_calls"] = list(tool_calls)
    choice = {"index": 0, "message": said, "logprobs": None, "finish_reason": finish_reason}
    body = {**_envelope(request, "chat.completion"), "choices": [choice], "usage_breakdown": None}
    body |= {"usage": dict(usage)} if usage is not None else {}
    body |= {"x_groq": {"id": "req_01jbd6g2qdfw2adyrt2az8hz4w"}, "service_tier": "on_demand"}
    return Reply.of(200, body, **LIMITS)


def stream(
    request: Request,
    pieces: Iterable[str | float | Fault],
    *,
    finish_reason: str = "stop",
    usage: Mapping[str, Any] | None = USAGE,
    reasoning: str | None = None,
    done: int = 1,
) -> Reply:
    """A completion as server-sent events; pauses and faults may stand between its pieces.

    Args:
        request: what is answered.
        pieces: of the text.
        finish_reason: in the last chunk.
        usage: in the last chunk, under x_groq, where Groq has it.
        reasoning: thoughts, before the text.
        done: how many times "[DONE]" is said.
    """
    mark = {"id": "req_01jadadp0femyae9kav1gpkhe8"}
    sent: list[Piece] = [_event(_delta(request, {"role": "assistant", "content": ""}, x_groq=mark))]
    if reasoning is not None:
        sent.append(_event(_delta(request, {"reasoning": reasoning, "channel": "analysis"})))
    for piece in pieces:
        sent.append(_event(_delta(request, {"content": piece})) if isinstance(piece, str) else piece)
    end = {**mark, "usage": dict(usage)} if usage is not None else mark
    sent.append(_event(_delta(request, {}, finish_reason, x_groq=end)))
    return sse([*sent, *[b"data: [DONE]\n\n"] * done])


def sse(pieces: Sequence[Piece]) -> Reply:
    """Any bytes as a stream of events."""
    return Reply(200, pieces, LIMITS, "text/event-stream", chunked=True)


def error(status: int, text: str, code: str | None = None, *, kind: str = "", **headers: str) -> Reply:
    """An error: {"error": {"message", "type", "code"}}."""
    kind = kind or ("internal_server_error" if status >= 500 else "invalid_request_error")
    named = {"message": text, "type": kind} | ({"code": code} if code else {})
    return Reply.of(status, {"error": named}, **{**LIMITS, **headers})


def limited(retry_after: float | None = None) -> Reply:
    """429: more tokens in this minute than the plan allows."""
    wait = "" if retry_after is None else f" Please try again in {retry_after}s."
    text = (
        f"Rate limit reached for model `{MODEL}` in organization `org_01hrsvc1b8ey0anvbgha0xckf2` service tier "
        f"`on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443.{wait}"
    )
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return error(429, text, "rate_limit_exceeded", kind="tokens", **headers)


def failed_generation(text: str) -> Reply:
    """400: the model's JSON does not fit the schema; what it wrote stands in the error."""
    said = {
        "message": "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        "type": "invalid_request_error",
        "code": "json_validate_failed",
        "failed_generation": text,
    }
    return Reply.of(400, {"error": said}, **LIMITS)


def _models() -> Reply:
    data = [
        {"id": name, "object": "model", "created": 1754407957, "owned_by": "OpenAI", "active": True}
        | {"context_window": 131_072, "public_apps": None, "max_completion_tokens": 65_536}
        for name in MODELS
    ]
    return Reply.of(200, {"object": "list", "data": data})


def tool_call(name: str, arguments: Any) -> dict[str, Any]:
    """A call of a function; arguments are JSON text on this wire."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "call_d5wg", "type": "function", "function": {"name": name, "arguments": text}}


def _envelope(request: Request, kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-f51b2cd2-bef7-417e-964e-a08f0b513c22",
        "object": kind,
        "created": 1760000000,
        "model": request.json["model"],
        "system_fingerprint": "fp_179b0f92c9",
    }


def _delta(request: Request, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return {**_envelope(request, "chat.completion.chunk"), "choices": [choice], **more}


def _event(data: Any) -> bytes:
    return b"data: " + json_bytes(data) + b"\n\n"


def _pieces(text: str, size: int = 12) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
