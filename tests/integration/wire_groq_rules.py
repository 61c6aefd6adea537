"""What Groq refuses: key, address, model, and requests that do not fit its API.

By its documentation (console.groq.com/docs: api-reference, errors, structured-outputs) and published error texts. It
knows no replies: a refusal is (status, text, code).
"""

import json
from collections.abc import Callable
from typing import Any

from tests.integration.wire_http import Request

KEY = "gsk_PlantedByATest0123456789abcdef"
"""The only key the server takes; no test may find it in anything that people read."""
MODEL = "openai/gpt-oss-20b"
MODELS = (MODEL, "openai/gpt-oss-120b", "qwen/qwen3-32b")
STRICT = ("openai/gpt-oss-20b", "openai/gpt-oss-120b")
"""Models that take "strict": true; the others refuse it."""
SCHEMA = ("openai/gpt-oss-20b", "openai/gpt-oss-120b")
"""Models that take a JSON schema; the others have JSON mode only."""
PATH = "/openai/v1/chat/completions"


def refusal(request: Request) -> tuple[int, str, str | None] | None:
    """What Groq says to a request that it does not take: status, text and code; None for one that it takes."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return 401, "Invalid API Key", "invalid_api_key"
    if (request.method, request.path) == ("GET", "/openai/v1/models"):
        return None
    if (request.method, request.path) != ("POST", PATH):
        text = f"Unknown request URL: {request.method} {request.path}. Please check the URL for typos"
        return 404, text, "unknown_url"
    body = request.json
    if not isinstance(body, dict) or not request.headers.get("content-type", "").startswith("application/json"):
        return 400, "request body is not valid JSON", None
    if isinstance(body.get("model"), str) and body["model"] and body["model"] not in MODELS:
        return 404, f"The model `{body['model']}` does not exist or you do not have access to it.", "model_not_found"
    wrong = next((text for text in (check(body) for check in _CHECKS) if text), None)
    return (400, wrong, None) if wrong is not None else None


def _messages_fit(body: dict[str, Any]) -> str | None:
    if not isinstance(body.get("model"), str) or not body["model"]:
        return "'model' : property 'model' is missing"
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "'messages' : minimum number of items is 1"
    for at, one in enumerate(messages):
        if not isinstance(one, dict) or one.get("role") not in ("system", "user", "assistant", "tool"):
            return f"'messages.{at}' : discriminator property 'role' has invalid value"
        if not isinstance(one.get("content"), str | list):
            return f"'messages.{at}.content' : value must be a string"
    return None


def _numbers_fit(body: dict[str, Any]) -> str | None:
    ranges = {"temperature": (0, 2), "top_p": (0, 1), "max_tokens": (1, 131_072), "max_completion_tokens": (1, 131_072)}
    for name, (low, high) in ranges.items():
        value = body.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            return f"'{name}' : value must be a number"
        if value is not None and not low <= value <= high:
            return f"'{name}' : value must be between {low} and {high}"
    if body.get("n") not in (None, 1):
        return "'n' : number must be at most 1"
    known = {"low", "medium", "high", "none", "default", None}
    return None if body.get("reasoning_effort") in known else "'reasoning_effort' : value is not one of the allowed"


def _format_fits(body: dict[str, Any]) -> str | None:
    asked = body.get("response_format")
    if asked is None:
        return None
    kind = asked.get("type") if isinstance(asked, dict) else None
    if kind not in ("text", "json_object", "json_schema"):
        return "'response_format.type' : value is not one of the allowed values ['text','json_object','json_schema']"
    if kind == "text":
        return None
    if body.get("stream"):
        return "response_format` does not support streaming"
    if body.get("tools"):
        return f"response_format` {kind} cannot be combined with tool/function calling"
    if kind == "json_object":
        said = json.dumps(body["messages"]).casefold()
        wanted = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        return None if "json" in said else wanted
    return _schema_fits(body["model"], asked.get("json_schema"))


def _schema_fits(model: str, given: Any) -> str | None:
    if model not in SCHEMA:
        return f"This model does not support response format `json_schema`. See supported models: {', '.join(SCHEMA)}"
    if not isinstance(given, dict) or not given.get("name") or not isinstance(given.get("schema"), dict):
        return "'response_format.json_schema' : properties 'name' and 'schema' are required"
    if given.get("strict") and model not in STRICT:
        return "'response_format.json_schema.strict' : not supported by this model"
    wrong = _loose(given["schema"]) if given.get("strict") else None
    return f"invalid JSON schema for response_format: '{given['name']}': {wrong}" if wrong else None


def _loose(schema: Any, at: str = "") -> str | None:
    """What keeps a schema from being strict."""
    if isinstance(schema, list):
        return next((text for text in (_loose(one, at) for one in schema) if text), None)
    if not isinstance(schema, dict):
        return None
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return f"{at or '/'}: `additionalProperties:false` must be set on every object"
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            return f"{at or '/'}: `required` is required to be supplied and to list every key in properties"
    if unsupported := {"minItems", "maxItems", "minLength", "maxLength", "pattern", "default"} & schema.keys():
        return f"{at}: {sorted(unsupported)[0]} is not supported"
    inner = [*schema.get("properties", {}).items(), ("items", schema.get("items")), ("anyOf", schema.get("anyOf"))]
    return next((text for text in (_loose(one, f"{at}/{name}") for name, one in inner) if text), None)


def _tools_fit(body: dict[str, Any]) -> str | None:
    for at, tool in enumerate(body.get("tools") or ()):
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        if not isinstance(function, dict) or not function.get("name"):
            return f"'tools.{at}.function' : properties 'name' and 'type' are required"
    return None


_CHECKS: tuple[Callable[[dict[str, Any]], str | None], ...] = (_messages_fit, _numbers_fit, _format_fits, _tools_fit)
