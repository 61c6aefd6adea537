"""Chooses the store that an address means. Knows the schemes, nothing else."""

from pathlib import Path

from stores.base import PassageStore
from stores.errors import StoreError
from stores.neo4j_address import SCHEMES, Neo4jSettings, without_login


def open_store(address: str, *, read_only: bool = False, neo4j: Neo4jSettings | None = None) -> PassageStore:
    """The store at `address`, not yet opened: use it as an async context manager.

    Args:
        address: a folder's path (`~` is the home folder), `file:PATH`, or a Neo4j server, as in
            `neo4j://HOST:7687/DATABASE`.
        read_only: refuse to write documents.
        neo4j: login and knobs of Neo4j.

    Raises:
        StoreError: the scheme is unknown, the address empty, or a login stands in it.
    """
    scheme, separator, rest = address.partition("://")
    match scheme if separator else "":
        case "" if address.strip():
            from stores.embedded import EmbeddedStore

            return EmbeddedStore(Path(address.removeprefix("file:")).expanduser(), read_only=read_only)
        case "file" if rest:
            from stores.embedded import EmbeddedStore

            return EmbeddedStore(Path(rest).expanduser(), read_only=read_only)
        case known if known in SCHEMES:
            from stores.neo4j import Neo4jStore

            return Neo4jStore(address, neo4j, read_only=read_only)
        case _:
            raise StoreError(
                f"Opening the store: {without_login(address)!r} is no address of a store. Give the path of a "
                "folder, or neo4j://HOST."
            )
