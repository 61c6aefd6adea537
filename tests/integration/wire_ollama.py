"""Ollama's API on the wire: what it sends, what it refuses, and a loopback server that does both.

Formats as server/routes.go and api/types.go of Ollama v0.17.4 write them. The server refuses what Ollama refuses, so
that our own mistakes show. It knows nothing of plans; the real server is tested in test_ollama_server.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.integration.wire_http import Fault, Piece, Reply, Request, Script, json_bytes
from tests.integration.wire_server import WireServer

KEY = "PlantedByATest0123456789abcdef"
"""A password in the server's address, which the server does not look at; no test may find it in what people read."""
NAME = "ollama"
MODEL = "llama3.2:3b"
CAPABILITIES: dict[str, tuple[str, ...]] = {
    MODEL: ("completion", "tools"),
    "qwen3:4b": ("completion", "tools", "thinking"),
    "nomic-embed-text:latest": ("embedding",),
}
PATH = "/api/chat"
BUSY = "server busy, please try again.  maximum pending requests exceeded"
COUNTS = {
    "total_duration": 4_883_583_458,
    "load_duration": 1_334_875,
    "prompt_eval_count": 1180,
    "prompt_eval_duration": 342_546_000,
    "eval_count": 96,
    "eval_duration": 4_535_599_000,
}
"""Stand in the last line; durations in nanoseconds."""
_WHEN = "2026-01-20T10:11:12.345678Z"
_DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "llama",
    "families": ["llama"],
    "parameter_size": "3.2B",
    "quantization_level": "Q4_K_M",
}
_OPTIONS: dict[str, type | tuple[type, ...]] = {
    "num_ctx": int,
    "num_predict": int,
    "seed": int,
    "top_k": int,
    "temperature": (int, float),
    "top_p": (int, float),
    "stop": list,
}


def serve(script: Script) -> WireServer:
    """A server that refuses what Ollama refuses, tells of its models, and asks the script for every chat."""

    def answer(request: Request) -> Reply:
        refused = refusal(request)
        if refused is not None:
            return refused
        told = _told(request)
        return told if told is not None else script(request)

    return WireServer(answer)


def environment(url: str) -> dict[str, str]:
    """Variables that send Ollama's client to this address, with a password in it."""
    return {"OLLAMA_HOST": url.replace("//", f"//someone:{KEY}@")}


def say(request: Request, text: str, **options: Any) -> Reply:
    """The model writes this text, streamed unless that was declined. Options: those of `message` and `stream`."""
    if request.json.get("stream") is False:
        return message(request, text, **options)
    return stream(request, [text[at : at + 12] for at in range(0, len(text), 12)], **options)


def message(
    request: Request,
    content: Any,
    *,
    finish_reason: str = "stop",
    usage: Mapping[str, Any] | None = COUNTS,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
) -> Reply:
    """A chat in one piece."""
    said: dict[str, Any] = {"role": "assistant", "content": content}
    said |= {"thinking": reasoning} if reasoning is not None else {}
    said |= {"tool_calls": list(tool_calls)} if tool_calls else {}
    end = {"done": True, "done_reason": finish_reason, **(usage or {})}
    return Reply(200, (json_bytes(_line(request, said, **end)),), content_type="application/json; charset=utf-8")


def stream(
    request: Request,
    pieces: Iterable[str | float | Fault],
    *,
    finish_reason: str = "stop",
    usage: Mapping[str, Any] | None = COUNTS,
    reasoning: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
    done: int = 1,
) -> Reply:
    """A chat as lines of JSON; pauses and faults may stand between its pieces.

    Args:
        request: what is answered.
        pieces: of the text.
        finish_reason: "stop", "length" or "load", in the last line.
        usage: counts in the last line.
        reasoning: thoughts, before the text.
        tool_calls: in a line of their own.
        done: how many last lines there are.
    """
    sent: list[Piece] = []
    if reasoning is not None:
        sent.append(_said(request, {"content": "", "thinking": reasoning}))
    for piece in pieces:
        sent.append(_said(request, {"content": piece}) if isinstance(piece, str) else piece)
    if tool_calls:
        sent.append(_said(request, {"content": "", "tool_calls": list(tool_calls)}))
    last = {"done": True, "done_reason": finish_reason, **(usage or {})}
    sent += [json_bytes(_line(request, {"role": "assistant", "content": ""}, **last)) + b"\n"] * done
    return ndjson(sent)


def ndjson(pieces: Sequence[Piece]) -> Reply:
    """Any bytes as a stream of lines."""
    return Reply(200, pieces, content_type="application/x-ndjson", chunked=True)


def error(status: int, text: str, code: str | None = None, **headers: str) -> Reply:
    """An error: {"error": text}. It knows no codes; the argument is there for likeness with Groq."""
    return Reply.of(status, {"error": text}, **headers)


def error_line(text: str) -> bytes:
    """An error after the reply has begun: the status is out already, so it is a line of the stream."""
    return json_bytes({"error": text}) + b"\n"


def limited(retry_after: float | None = None) -> Reply:
    """429, from a model in Ollama's cloud or a proxy before the server."""
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return error(429, "you have reached your hourly usage limit", **headers)


def refusal(request: Request) -> Reply | None:
    """What Ollama says to a request that it does not take; None for one that it takes."""
    if request.method == "GET":
        return None if request.path in ("/api/tags", "/api/version", "/") else Reply(404, (b"404 page not found",))
    if request.path not in (PATH, "/api/show"):
        return Reply(404, (b"404 page not found",), content_type="text/plain")
    body = request.json
    if not request.body:
        return error(400, "missing request body")
    if not isinstance(body, dict):
        return error(400, "invalid character looking for beginning of value")
    if wrong := _mistyped(body):
        return error(400, f"json: cannot unmarshal {wrong} of type api.ChatRequest")
    if not body.get("model"):
        return error(400, "model is required")
    able = _able(body["model"])
    if able is None:
        return error(404, f"model '{body['model']}' not found")
    return _unable(body, able) if request.path == PATH else None


def _mistyped(body: dict[str, Any]) -> str | None:
    """Go's JSON decoder refuses a value of another type than its struct has."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "model": str,
        "messages": list,
        "stream": bool,
        "options": dict,
        "tools": list,
        "think": (bool, str),
        "keep_alive": (int, float, str),
    }
    wrong = [name for name, kind in kinds.items() if body.get(name) is not None and not isinstance(body[name], kind)]
    for at, one in enumerate(body.get("messages") or () if not wrong else ()):
        if not isinstance(one, dict) or not isinstance(one.get("role"), str):
            wrong.append(f"messages.{at}.role")
        elif not isinstance(one.get("content", ""), str):
            wrong.append(f"messages.{at}.content")
    return f"value into Go struct field ChatRequest.{wrong[0]}" if wrong else None


def _unable(body: dict[str, Any], able: tuple[str, ...]) -> Reply | None:
    name = body["model"]
    if "completion" not in able:
        return error(400, f'"{name}" does not support chat')
    if body.get("tools") and "tools" not in able:
        return error(400, f"registry.ollama.ai/library/{name} does not support tools")
    if body.get("think") and "thinking" not in able:
        return error(400, f'"{name}" does not support thinking')
    for option, value in (body.get("options") or {}).items():
        if option in _OPTIONS and (isinstance(value, bool) or not isinstance(value, _OPTIONS[option])):
            return error(500, f'option "{option}" must be of type {_OPTIONS[option]}')
    asked = body.get("format")
    if asked not in (None, "", "json") and not isinstance(asked, dict):
        return error(500, f'invalid format: "{asked}"; expected "json" or a valid JSON Schema object')
    return None


def _able(name: str) -> tuple[str, ...] | None:
    return CAPABILITIES.get(name if ":" in name else f"{name}:latest")


def _told(request: Request) -> Reply | None:
    """What the server tells of itself and its models; also the reply to a chat without messages: it loads a model."""
    if request.path == "/api/version":
        return Reply.of(200, {"version": "0.17.4"})
    if request.path == "/api/tags":
        models = [
            {
                "name": name,
                "model": name,
                "modified_at": _WHEN,
                "size": 2_019_393_189,
                "digest": "a80c4f17acd5" + "0" * 52,
            }
            | {"details": _DETAILS}
            for name in CAPABILITIES
        ]
        return Reply.of(200, {"models": models})
    if request.path == "/api/show":
        info = {"general.architecture": "llama", "llama.context_length": 131_072, "llama.embedding_length": 3072}
        able = list(_able(request.json["model"]) or ())
        shown = {"modelfile": "FROM llama", "details": _DETAILS, "model_info": info, "capabilities": able}
        return Reply.of(200, {**shown, "modified_at": _WHEN})
    if request.path == "/":
        return Reply(200, (b"Ollama is running",), content_type="text/plain; charset=utf-8")
    if not request.json.get("messages"):
        return Reply.of(200, _line(request, {"role": "assistant", "content": ""}, done=True, done_reason="load"))
    return None


def tool_call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call of a function; arguments are an object on this wire."""
    return {"id": "call_u2f8x1qk", "function": {"index": 0, "name": name, "arguments": dict(arguments)}}


def _said(request: Request, said: dict[str, Any]) -> bytes:
    return json_bytes(_line(request, {"role": "assistant", **said}, done=False)) + b"\n"


def _line(request: Request, said: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": request.json["model"], "created_at": _WHEN, "message": said, **more}
