"""What went wrong with a language model, in a sentence for people: model, error and remedy, never a secret."""

from typing import TYPE_CHECKING

from models.failures import (
    Failure,
    error_body,
    failed_generation,
    is_final,
    is_too_long,
    provider_of,
    read_failure,
    status_of,
)
from models.redacting import redact

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "Failure",
    "explain",
    "failed_generation",
    "is_final",
    "is_too_long",
    "provider_of",
    "read_failure",
    "redact",
    "remedy",
    "said",
    "status_of",
]

MAX_MESSAGE = 300
"""Characters of a provider's message that are quoted."""


def explain(name: str, error: BaseException, model: "BaseChatModel | None" = None, note: str = "") -> str:
    """One sentence: which model, what error, what to do; a note, such as how often it was tried, stands between."""
    return f"{name!r} failed with {said(error, model)}{note}; {remedy(name, error, model)}"


def said(error: BaseException, model: "BaseChatModel | None" = None) -> str:
    """The error's class and message, cut and without secrets."""
    told = error_body(error).get("message")
    message = " ".join(redact(told if isinstance(told, str) and told else str(error), model).split()).rstrip(".")
    if len(message) > MAX_MESSAGE:
        message = message[: MAX_MESSAGE - 1] + "…"
    return f"{type(error).__name__}{': ' + message if message else ''}"


def remedy(name: str, error: BaseException, model: "BaseChatModel | None" = None) -> str:
    """What to do about an error."""
    status, failure = status_of(error), read_failure(error)
    if is_too_long(error):
        return "set a smaller context_tokens" + _PLAN_OF_GROQ.get((provider_of(name, model), status or 0), "")
    match provider_of(name, model):
        case "groq" if status in _GROQ:
            return _GROQ[status]
        case "ollama" if failure.kind == "no connection":
            return "start it with `ollama serve`, or set OLLAMA_HOST to where it runs"
        case "ollama" if status == 404 and "not found" in str(error):
            return f"get it with `ollama pull {_served(name, model)}`"
        case "ollama" if "system memory" in str(error):
            return "take a smaller model, or a smaller OLLAMA_NUM_CTX"
    match status:
        case 401 | 403:
            return "check its API key"
        case 404:
            return "check the model's name, and that the server has it"
        case 402 | 429 | 498:
            return "wait, or take another model"
        case int(code) if code >= 500:
            return "the server is in trouble: try again later, or take another model"
    if failure.kind == "timeout":
        return "set a longer model_timeout_ms, or take a faster model"
    if is_final(error):
        return "check that its server is running and can be reached"
    if isinstance(error, AttributeError | KeyError | TypeError | ValueError) and provider_of(name, model) in _ADDRESSES:
        address = _ADDRESSES[provider_of(name, model)]
        return f"what answers may not be the server that it should be: check {address}, or take another model"
    return "try again, or take another model or 'embedded'"


_ADDRESSES = {"groq": "GROQ_API_BASE", "ollama": "OLLAMA_HOST"}
_GROQ = {
    401: "check GROQ_API_KEY: keys are made at console.groq.com/keys",
    403: "check GROQ_API_KEY, and that the organisation may use this model",
    404: "check the model's name: `lookahead models` and console.groq.com/docs/models list them",
    429: "the rate limit of this key is used up: wait, or take another model",
    498: "Groq has no free capacity at this moment: wait, or take another model",
}
"""What to do where Groq answers with this status."""
_PLAN_OF_GROQ = {("groq", 413): ": the question needs more tokens than this key's plan allows in a minute"}


def _served(name: str, model: "BaseChatModel | None") -> str:
    """The model's name as its server knows it."""
    served = getattr(model, "model", None)
    return served if isinstance(served, str) and served else name.removeprefix("ollama:")
