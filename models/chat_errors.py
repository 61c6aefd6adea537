"""What went wrong with a language model, in a sentence that people may read: model, error and remedy, never a secret.

Clients of providers are not imported: their errors are told apart by what they carry (a status code, a cause).
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import SecretStr

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

MAX_MESSAGE = 300
"""Characters of a provider's message that are quoted."""

_SECRETS = (
    re.compile(r"\b(?:(?:gsk|sk|pk|rk|hf|xai|nvapi|lsv2|ghp|csk|fw|r8|pplx)[-_]|AIza)[A-Za-z0-9_*.\-]{6,}"),
    re.compile(r"(?i)(?<=\bbearer )\s*[^\s,;\"'}]+"),
    re.compile(r"(?i)(?<=\bbasic )\s*[A-Za-z0-9+/=]{8,}"),
    re.compile(
        r"(?i)(?:(?<=api.key)|(?<=authorization)|(?<=token)|(?<=password)|(?<=secret))[\"']?\s*[=:]\s*[^\s,;&}]+"
    ),
    re.compile(r"(?<=://)[^/\s@]+(?=@)"),
)
"""Keys by the prefixes of providers, headers, assignments, and credentials in an address."""

_NO_MORE = frozenset({401, 402, 403, 404, 408, 409, 413, 429})
"""Status codes that another way of asking would not change; so are all from 500 on, but 501."""
_CONNECTION = frozenset({"TransportError", "APIConnectionError"})
"""Errors of httpx and of the clients generated with it, which are no OSError."""


def redact(text: str, model: "BaseChatModel | None" = None) -> str:
    """Return the text without anything like a key, and without the model's own secrets.

    >>> redact("401: Bearer abc, key gsk_0123456789 is wrong")
    '401: Bearer ***, key *** is wrong'
    """
    for secret in _own_secrets(model):
        text = text.replace(secret, "***")
    for pattern in _SECRETS:
        text = pattern.sub("***", text)
    return text


def _own_secrets(model: "BaseChatModel | None") -> list[str]:
    values = vars(model).values() if model is not None else ()
    return [value.get_secret_value() for value in values if isinstance(value, SecretStr) and value.get_secret_value()]


def explain(name: str, error: BaseException, model: "BaseChatModel | None" = None) -> str:
    """One sentence: which model, what error, what to do."""
    message = " ".join(redact(str(error), model).split()).rstrip(".")
    if len(message) > MAX_MESSAGE:
        message = message[: MAX_MESSAGE - 1] + "…"
    return f"{name!r} failed with {type(error).__name__}{': ' + message if message else ''}; {_remedy(error)}"


def is_final(error: BaseException) -> bool:
    """Whether asking in another way is pointless: the server is not there, or refuses who asks, not how."""
    status = status_of(error)
    if status is not None:
        return status in _NO_MORE or (status >= 500 and status != 501)
    return any(
        isinstance(one, OSError) or any(kind.__name__ in _CONNECTION for kind in type(one).__mro__)
        for one in _causes(error)
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status an error carries, itself or in its response."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and 400 <= status <= 599:
            return status
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from."""
    one: BaseException | None = error
    for _ in range(5):
        if one is None:
            return
        yield one
        one = one.__cause__


def _remedy(error: BaseException) -> str:
    match status_of(error):
        case 401 | 403:
            return "check its API key"
        case 404:
            return "check the model's name, and that the server has it"
        case 402 | 429:
            return "wait, or take another model"
        case 413:
            return "set a smaller context_tokens"
        case int(status) if status >= 500:
            return "the server is in trouble: try again later, or take another model"
        case None if is_final(error):
            return "check that its server is running and can be reached"
    return "try again, or take another model or 'embedded'"
