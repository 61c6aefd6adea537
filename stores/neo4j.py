"""Neo4jStore: documents, passages and links as a graph in a Neo4j database, by its async driver.

This file maps the protocol onto its parts: what is read is in `neo4j_reading.py` and `neo4j_searching.py`, what is
written in `neo4j_writing.py`, namespaces in `neo4j_making.py` and `neo4j_reembedding.py`, all Cypher in `cypher.py` and
`cypher_verifying.py`, driver and retries in `neo4j_connection.py`.

A database without a store in it is an empty store; the first `create` makes what is needed. Any number of processes
may use one store at once. A driver belongs to the event loop that opened it: one is opened for each loop that calls.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self
from weakref import WeakKeyDictionary

from stores import neo4j_making, neo4j_namespaces, neo4j_reading, neo4j_reembedding, neo4j_searching, neo4j_verifying
from stores.errors import NamespaceNotFound
from stores.neo4j_address import Neo4jSettings, parse_address
from stores.neo4j_connection import Server
from stores.neo4j_namespaces import Namespace
from stores.neo4j_schema import migrate, open_database
from stores.neo4j_writing import Writer
from stores.ready import make_ready
from stores.records import (
    DocumentInfo,
    IngestSpec,
    NamespaceInfo,
    Passage,
    PassageLinks,
    PreparedDocument,
    UpsertCounts,
    Vector,
)


@dataclass(slots=True)
class _Opened:
    """What one event loop uses."""

    server: Server
    version: int
    """Of the schema in the database."""
    seen: dict[str, Namespace] = field(default_factory=dict)
    writers: dict[str, Writer] = field(default_factory=dict)


class Neo4jStore:
    """Implements `stores.base.PassageStore`; see there for what each method does.

    Args:
        address: `neo4j://HOST[:PORT][/DATABASE]`, or another scheme of the driver.
        settings: login and knobs.
        read_only: refuse to write.

    Raises:
        StoreError: the address cannot be read, or holds a login.
    """

    def __init__(self, address: str, settings: Neo4jSettings | None = None, *, read_only: bool = False) -> None:
        self._settings = settings or Neo4jSettings()
        self._address = parse_address(address, self._settings)
        self.address = self._address.shown
        self._read_only = read_only
        self._loops: dict[asyncio.AbstractEventLoop, _Opened] = {}
        self._opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def __aenter__(self) -> Self:
        await self._opened()
        return self

    async def __aexit__(self, *exc: object) -> None:
        for loop in [loop for loop in self._loops if loop.is_closed()]:
            del self._loops[loop]  # too late to say goodbye to the server: the sockets close with the driver's end
        opened = self._loops.pop(asyncio.get_running_loop(), None)
        if opened is not None:
            await opened.server.close()

    async def namespaces(self) -> list[NamespaceInfo]:
        return [found.info for found in await neo4j_namespaces.all_namespaces(await self._server())]

    async def info(self, namespace: str) -> NamespaceInfo | None:
        found = await neo4j_namespaces.find(await self._server(), namespace)
        return found.info if found else None

    async def create(self, namespace: str, spec: IngestSpec) -> NamespaceInfo:
        """As in the protocol. An existing namespace keeps its chunk size and overlap: chunk with the spec returned."""
        server = await self._writable("Creating the namespace")
        return (await neo4j_making.create(server, namespace, spec)).info

    async def content_hashes(self, namespace: str, keys: Sequence[str]) -> dict[str, str]:
        try:
            return await neo4j_reading.content_hashes(await self._server(), namespace, keys)
        except NamespaceNotFound:
            return {}

    async def upsert(self, namespace: str, documents: Sequence[PreparedDocument]) -> UpsertCounts:
        """As in the protocol. If the connection breaks while the transaction commits, whether it did is not known."""
        ready = await asyncio.to_thread(lambda: [make_ready(document) for document in documents])
        return await (await self._writer("Storing", namespace)).upsert(ready)

    async def delete(self, namespace: str, keys: Sequence[str]) -> int:
        return await (await self._writer("Deleting", namespace)).delete(keys)

    async def clear(self, namespace: str) -> int:
        """As in the protocol. The namespace vanishes at once; interrupted, the rest is deleted by the next call."""
        opened = await self._opened()
        opened.server.check_writable("Clearing the namespace")
        return await neo4j_making.clear(opened.server, namespace) if opened.version else 0

    async def documents(self, namespace: str, *, offset: int = 0, limit: int = 100) -> list[DocumentInfo]:
        return await neo4j_reading.documents(await self._server(), namespace, offset, limit)

    async def document(self, namespace: str, key: str) -> tuple[DocumentInfo, list[Passage]] | None:
        return await neo4j_reading.document(await self._server(), namespace, key)

    async def passages(self, namespace: str, ids: Sequence[str]) -> list[Passage]:
        return await neo4j_reading.passages(await self._server(), namespace, ids)

    async def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, Vector]:
        return await neo4j_reading.vectors(await self._server(), namespace, ids)

    async def search_text(self, namespace: str, query: str, limit: int) -> list[tuple[str, float]]:
        return (await self.search_texts(namespace, [query], limit))[0]

    async def search_texts(self, namespace: str, queries: Sequence[str], limit: int) -> list[list[tuple[str, float]]]:
        return await neo4j_searching.search_texts(await self._server(), namespace, queries, limit)

    async def search_vector(self, namespace: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """As in the protocol; among many passages a neighbour may be missed (`stores.neo4j_searching`)."""
        opened = await self._opened()
        return await neo4j_searching.search_vector(opened.server, opened.seen, namespace, vector, limit)

    async def named_in(self, namespace: str, text: str, limit: int = 50) -> list[tuple[str, str]]:
        return await neo4j_reading.named_in(await self._server(), namespace, text, limit)

    async def links(self, namespace: str, ids: Sequence[str]) -> dict[str, PassageLinks]:
        return await neo4j_reading.links(await self._server(), namespace, ids)

    async def names(self, namespace: str, ids: Sequence[str]) -> dict[str, list[str]]:
        return await neo4j_reading.names(await self._server(), namespace, ids)

    async def replace_vectors(self, namespace: str, spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
        """As in the protocol, but for the transaction: the new ones are laid beside the old, then taken at once."""
        await neo4j_reembedding.replace_vectors(await self._writable("Re-embedding"), namespace, spec, vectors)

    async def passage_ids(self, namespace: str) -> list[str]:
        return await neo4j_reading.passage_ids(await self._server(), namespace)

    async def verify(self, namespace: str) -> list[str]:
        return await neo4j_verifying.verify(await self._server(), namespace)

    async def _opened(self) -> _Opened:
        """What the running loop uses; opened on its first call.

        Raises:
            StoreError: the server cannot be used.
        """
        loop = asyncio.get_running_loop()
        async with self._opening.setdefault(loop, asyncio.Lock()):
            if loop not in self._loops:
                server = await asyncio.to_thread(Server, self._address, self._settings, read_only=self._read_only)
                try:
                    version = await open_database(server)
                except BaseException:
                    await server.close()
                    raise
                self._loops[loop] = _Opened(server, version)
        return self._loops[loop]

    async def _server(self) -> Server:
        return (await self._opened()).server

    async def _writable(self, stage: str) -> Server:
        """The server, with the schema that writing needs."""
        opened = await self._opened()
        opened.server.check_writable(stage)
        opened.version = await migrate(opened.server, opened.version)
        return opened.server

    async def _writer(self, stage: str, namespace: str) -> Writer:
        server = await self._writable(stage)
        return (await self._opened()).writers.setdefault(namespace, Writer(server, namespace))
