"""Who may come in, and which namespace is theirs. Knows the headers of a request; not what it asks for.

With tokens: whoever brings one, in the namespace that the token is bound to. Without: this machine alone, and of the
pages open in its browser only those that come from it.
"""

import hashlib
import hmac
import ipaddress
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from stores.errors import InputError, LookaheadError

PROXIES = (b"forwarded", b"x-forwarded-for", b"x-real-ip")
"""Headers of a request that came through a proxy: its address says nothing about who sent it."""

SHORT = 16
"""Characters under which a token is called weak."""


class Refused(LookaheadError):
    """The client may not come in."""

    def __init__(self, said: str, status: int) -> None:
        super().__init__(said)
        self.status = status


class Tokens:
    """Hashes of the tokens, and the namespace of each; the tokens themselves are not kept.

    Args:
        text: token=namespace, one for each client, separated by commas.

    Raises:
        InputError: an entry is of another form, or repeats a token; its number is said, and nothing of it.
    """

    def __init__(self, text: str) -> None:
        entries = [entry.strip() for entry in text.split(",") if entry.strip()]
        self._namespaces: list[tuple[bytes, str]] = []
        self.weak: list[str] = []
        """A sentence on each token that can be guessed."""
        for number, entry in enumerate(entries, 1):
            token, equals, namespace = (part.strip() for part in entry.rpartition("="))
            if not equals or not token or not 1 <= len(namespace) <= 100:
                raise InputError(
                    f"tokens: entry {number} of LOOKAHEAD_TOKENS is not of the form token=namespace (a namespace has "
                    "1 to 100 characters); mend it in the environment or in .env"
                )
            if self.namespace(token) is not None:
                raise InputError(
                    f"tokens: entry {number} of LOOKAHEAD_TOKENS has the token of an earlier one: give it another, a "
                    "token opens one namespace"
                )
            if len(token) < SHORT:
                self.weak.append(
                    f"tokens: entry {number} of LOOKAHEAD_TOKENS has fewer than {SHORT} characters and can be guessed: "
                    "take a long random one, as `openssl rand -hex 24` prints"
                )
            self._namespaces.append((_hash(token), namespace))

    def __bool__(self) -> bool:
        return bool(self._namespaces)

    def clients(self) -> int:
        """How many namespaces they open, each of them a client's."""
        return len({namespace for _, namespace in self._namespaces})

    def namespace(self, token: str) -> str | None:
        """The namespace of a token, or None; every one is compared, so that the time taken tells nothing."""
        given, found = _hash(token), None
        for known, namespace in self._namespaces:
            if hmac.compare_digest(known, given):
                found = namespace
        return found


class Gate:
    """Lets clients in.

    Args:
        tokens: none: this machine alone.
        origins: pages of other addresses that may call, as "https://example.org".
        domains: the same, with every name under them.
    """

    def __init__(self, tokens: Tokens, origins: Collection[str] = (), domains: Iterable[str] = ()) -> None:
        self.tokens = tokens
        self._origins = set(origins)
        self._domains = tuple(domains)

    def admit(self, scope: Mapping[str, Any]) -> str | None:
        """The namespace that the client is bound to; None where there are no tokens: it names its own.

        Args:
            scope: of the ASGI request.

        Raises:
            Refused: it may not come in.
        """
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        if not self.tokens:
            self._admit_neighbour(scope, headers)
            return None
        scheme, _, token = headers.get(b"authorization", b"").decode("utf-8", "replace").partition(" ")
        namespace = self.tokens.namespace(token.strip()) if scheme.lower() == "bearer" else None
        if namespace is None:
            raise Refused("access: a token is needed: send the header 'Authorization: Bearer TOKEN'", 401)
        return namespace

    def _admit_neighbour(self, scope: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> None:
        client = (scope.get("client") or ("unknown",))[0]
        if not is_loopback(client) or any(name in headers for name in PROXIES):
            raise Refused(
                f"access: no token is set, so only this machine is answered, and {client!r} is none of its addresses, "
                "or came through a proxy: set LOOKAHEAD_TOKENS",
                403,
            )
        host = headers.get(b"host", b"").decode("latin-1")
        if not is_loopback(host_of(f"//{host}")):  # a name of somebody else's that leads here
            raise Refused(f"access: no token is set, and {host!r} is no name of this machine: call 127.0.0.1", 403)
        origin = headers.get(b"origin", b"").decode("latin-1")
        if origin and not self._may_call(origin):  # a browser sends it with what a page elsewhere asks for
            raise Refused(f"access: a page of {origin!r} may not call: name it in LOOKAHEAD_ORIGINS", 403)

    def _may_call(self, origin: str) -> bool:
        host = host_of(origin)
        return origin in self._origins or is_loopback(host) or any(_under(host, domain) for domain in self._domains)


def host_of(url: str) -> str:
    """The host that a URL names; empty where it names none, or cannot be read.

    >>> [host_of(url) for url in ("http://[::1]:8000", "//example.org", "http://[")]
    ['::1', 'example.org', '']
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _under(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
