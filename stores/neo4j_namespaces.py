"""A namespace in Neo4j as its node describes it: read beside whatever else is read, or locked by a writer.

A namespace has a number that none had before it, and everything of it bears that number. Knows nothing about documents.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stores import cypher
from stores.checks import namespace_not_found
from stores.errors import StoreBusy
from stores.neo4j_connection import Server, Transaction
from stores.records import IngestSpec, NamespaceInfo, spec_from_json


@dataclass(frozen=True, slots=True)
class Namespace:
    """Properties of a namespace's node."""

    number: int
    name: str
    spec: IngestSpec
    generation: int
    epoch: int
    """Of the vectors in use: grows when every one is replaced."""
    names_removed: int
    """Names ever removed: when equal, only newer ones need be read."""
    documents: int
    passages: int
    links: int
    last_row: int
    """Highest number that a passage ever had; none is used twice."""
    last_entity: int
    """The same for names."""
    attempt: int | None
    """Epoch of the vectors that whoever began last lays beside those in use; None when that has ended."""
    out_of_use: tuple[int, ...]
    """Epochs of vectors that will never be in use (again), and may not be removed yet."""

    @property
    def info(self) -> NamespaceInfo:
        """The record that callers get."""
        return NamespaceInfo(self.name, self.spec, self.documents, self.passages, self.links, self.generation)


def namespace_of(properties: Mapping[str, Any]) -> Namespace:
    """The record of a node's properties."""
    special = {"spec", "attempt", "out_of_use"}
    return Namespace(
        spec=spec_from_json(properties["spec"]),
        attempt=properties.get("attempt"),
        out_of_use=tuple(properties.get("out_of_use", ())),
        **{name: properties[name] for name in Namespace.__slots__ if name not in special},
    )


async def all_namespaces(server: Server) -> list[Namespace]:
    """Every namespace, by name."""
    return [namespace_of(found) for (found,) in await server.read("Reading the store", cypher.NAMESPACES)]


async def find(server: Server, name: str) -> Namespace | None:
    """The namespace of this name, or None."""
    found = await server.read("Reading the store", cypher.NAMESPACE, namespace=name)
    return namespace_of(found[0][0]) if found else None


async def need(server: Server, name: str) -> Namespace:
    """The namespace of this name.

    Raises:
        NamespaceNotFound: there is none.
    """
    found = await find(server, name)
    if found is None:
        raise namespace_not_found(name)
    return found


async def read(
    server: Server, name: str, statement: str, *, stage: str = "Reading the store", **parameters: Any
) -> tuple[Namespace, Sequence[Any]]:
    """What a reading statement of `stores.cypher` finds, and the namespace as it was then: one round trip.

    Raises:
        NamespaceNotFound: there is none of this name.
    """
    rows = await server.read(stage, statement, namespace=name, **parameters)
    if not rows:
        raise namespace_not_found(name)
    [[properties, found]] = rows
    return namespace_of(properties), found


async def lock(server: Server, transaction: Transaction, name: str) -> Namespace:
    """The namespace, with all other writers shut out until the transaction ends.

    Raises:
        NamespaceNotFound: there is none of this name.
        StoreBusy: another writer has kept it for too long.
    """
    seconds = server.settings.timeout
    try:
        async with asyncio.timeout(seconds):
            await transaction.run(cypher.LOCK, namespace=name)
    except TimeoutError:
        raise StoreBusy(
            f"Storing: another process has been writing to namespace {name!r} of {server.address.shown!r} for "
            f"{seconds:g} s. Nothing was changed; wait for it and run the same command again."
        ) from None
    rows = await transaction.run(cypher.NAMESPACE, namespace=name)
    if not rows:
        raise namespace_not_found(name)
    return namespace_of(rows[0][0])
