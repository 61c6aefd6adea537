"""Where a Neo4j database is, who logs in, and how it is used: read from an address and given settings.

An address never holds a password: that comes from the environment, through `Neo4jSettings`. Imports no driver.
"""

from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from stores.errors import StoreError

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")


@dataclass(frozen=True, slots=True)
class Neo4jSettings:
    """Login and knobs; what the environment says of Neo4j."""

    username: str = "neo4j"
    password: str = field(default="", repr=False)
    """Empty: no login, for a server that asks for none."""
    database: str = ""
    """Empty: the user's home database, `neo4j` on most servers. One named in the address comes first."""
    connections: int = 50
    """At most so many to one server."""
    timeout: float = 30.0
    """Seconds that a reading call may take, with all its retries; and for which failing writes are retried."""
    hnsw_m: int = 16
    """Neighbours of each vector in the index's graph; more find more and take more room."""
    hnsw_ef_construction: int = 100
    """How far the index looks for neighbours when a vector is added."""
    quantization: bool = False
    """Compress the vectors in the index: a quarter of the memory, and cosines that are nearly right."""


@dataclass(frozen=True, slots=True)
class Neo4jAddress:
    """A server and a database, without secrets."""

    shown: str
    """As the user wrote it."""
    uri: str
    """As the driver takes it."""
    database: str | None
    """None: the user's home database."""


def parse_address(address: str, settings: Neo4jSettings) -> Neo4jAddress:
    """Read `SCHEME://HOST[:PORT][/DATABASE][?ROUTING]`.

    Raises:
        StoreError: there is no host, the port is no number, or a login stands in it, which is not shown.
    """
    parts = urlsplit(address)
    if "@" in parts.netloc:
        raise StoreError(
            f"Opening the store: the address of {without_login(address)!r} holds a login, and addresses are shown and "
            "logged. Leave it out, and set NEO4J_USERNAME and NEO4J_PASSWORD in the environment or in .env."
        )
    database = unquote(parts.path.strip("/"))
    try:
        well_formed = bool(parts.hostname) and (parts.port is None or parts.port > 0) and "/" not in database
    except ValueError:
        well_formed = False
    if not well_formed:
        raise StoreError(
            f"Opening the store: {address!r} is no address of a Neo4j server. Write it as neo4j://HOST, "
            "neo4j://HOST:7687/DATABASE, or with neo4j+s:// where the server speaks TLS."
        )
    uri = urlunsplit(SplitResult(parts.scheme, parts.netloc, "", parts.query, ""))
    return Neo4jAddress(address, uri, database or settings.database or None)


def without_login(address: str) -> str:
    """The address as it may be shown: whatever stands before the last `@` of the host is left out.

    >>> without_login("neo4j://me:secret@host/docs")
    'neo4j://host/docs'
    """
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"
