"""Addresses of model servers, as people write them, made into the form that clients take.

Knows the spellings and the defaults; opens nothing.
"""

import base64
import ipaddress
import re
from urllib.parse import SplitResult, unquote, urlsplit

from stores.errors import InputError

GROQ = "https://api.groq.com"
OLLAMA = "http://127.0.0.1:11434"
_ANY = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where a server listens on every interface, a client must name one."""


def ollama_address(text: str) -> tuple[str, str]:
    """The address that OLLAMA_HOST means, and the Authorization header of the credentials in it, if there are any.

    Without a scheme it is http and port 11434, with one the scheme's own port, as Ollama's own client takes it.

    >>> ollama_address("0.0.0.0:11434"), ollama_address("https://me:x@box/ollama/")
    (('http://127.0.0.1:11434', ''), ('https://box/ollama', 'Basic bWU6eA=='))

    Raises:
        InputError: it is no address.
    """
    text = text.strip() or OLLAMA
    given = "://" in text
    parts = _parts(text if given else f"http://{text}", "OLLAMA_HOST", "127.0.0.1:11434")
    host = _ANY.get(parts.hostname or "", parts.hostname or "")
    port = parts.port if parts.port or given else 11434
    where = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    basic = "" if login == ":" else f"Basic {base64.b64encode(login.encode()).decode()}"
    return f"{parts.scheme}://{where}{parts.path.rstrip('/')}", basic


def groq_address(text: str) -> str:
    """The address that GROQ_API_BASE means; the path that every request adds is taken off.

    >>> groq_address("https://api.groq.com/openai/v1/")
    'https://api.groq.com'

    Raises:
        InputError: it is no address, or it holds a login.
    """
    text = text.strip().rstrip("/") or GROQ
    if _parts(text, "GROQ_API_BASE", GROQ).username is not None:
        raise InputError(
            f"environment: GROQ_API_BASE={_shown(text)!r} holds a login, which would be sent in place of the key: "
            "take it out"
        )
    return text.removesuffix("/openai/v1").rstrip("/")


def is_loopback(address: str) -> bool:
    """Whether it is this machine, as far as the address tells.

    >>> is_loopback("http://127.0.0.1:11434"), is_loopback("http://gpu.lan:11434")
    (True, False)
    """
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _parts(address: str, variable: str, example: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        bad_port = parts.port == 0
    except ValueError:  # a port that is no number, brackets that do not close
        bad_port, parts = True, urlsplit("")
    if bad_port or parts.scheme not in ("http", "https") or re.search(r"\s", address):
        raise InputError(
            f"environment: {variable}={_shown(address)!r} is no address of a server: write it as {example!r}"
        )
    return parts


def _shown(address: str) -> str:
    """The address without a login, however it is written: a password may hold a slash."""
    return re.sub(r"^([a-z]+://)?.*@", r"\1***@", address, flags=re.IGNORECASE | re.DOTALL)
