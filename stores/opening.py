"""Chooses the store that an address means. Knows the schemes, nothing else."""

from pathlib import Path

from stores.base import PassageStore
from stores.errors import StoreError


def open_store(address: str, *, read_only: bool = False) -> PassageStore:
    """The store at `address`, not yet opened: use it as an async context manager.

    Args:
        address: a folder's path (`~` is the home folder), or `file:PATH`.
        read_only: refuse to write documents.

    Raises:
        StoreError: the scheme is unknown or the address empty.
    """
    scheme, separator, rest = address.partition("://")
    match scheme if separator else "":
        case "" if address.strip():
            from stores.embedded import EmbeddedStore

            return EmbeddedStore(Path(address.removeprefix("file:")).expanduser(), read_only=read_only)
        case "file" if rest:
            from stores.embedded import EmbeddedStore

            return EmbeddedStore(Path(rest).expanduser(), read_only=read_only)
        case _:
            raise StoreError(f"Opening the store: {address!r} is no address of a store. Give the path of a folder.")
