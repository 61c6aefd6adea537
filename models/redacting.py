"""Takes secrets out of a text that people will read: keys by the prefixes of providers, headers, addresses."""

import re
from typing import TYPE_CHECKING

from pydantic import SecretStr

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel


class Hidden(str):
    """A secret for a client that takes texts only; its `repr`, which tracers are sent of a model, does not show it."""

    def __repr__(self) -> str:
        return "'***'"


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
