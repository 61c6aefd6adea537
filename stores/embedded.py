"""EmbeddedStore: a folder with one SQLite file as the truth, a text index and a vector matrix made from it.

This file maps the protocol onto its parts: what is read is in `reading.py`, what is written in `writing.py`, how
names become links in `linking.py`, how the derived parts keep step in `derived.py`, transactions and locks in
`connections.py`.

A folder that does not exist is an empty store; the first `create` makes it. Every call runs in a worker thread. Any
number of threads, event loops and processes may use one store at once.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self, TypeAlias, TypeVar

from stores import namespaces, reading, verifying, writing
from stores.blas import one_blas_thread
from stores.checks import checked_query, namespace_not_found
from stores.connections import Connections
from stores.derived import DerivedParts, Parts
from stores.errors import NamespaceNotFound, StoreError
from stores.linking import NameCache
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
from stores.schema import (
    Namespace,
    find_namespace,
    last_namespace,
    need_namespace,
    read_namespaces,
)

T = TypeVar("T")
Search: TypeAlias = Callable[[Namespace, Parts], list[list[tuple[int, float]]]]
"""Finds (row, score) in the derived parts, for several queries."""
MAX_LAG = 5000
"""Passages that an upsert leaves for the next search to index; beyond, it indexes them itself."""


class EmbeddedStore:
    """Implements `stores.base.PassageStore`; see there for what each method does.

    Args:
        path: the store's folder.
        read_only: refuse to write documents; derived parts are still caught up.
        busy_seconds: how long to wait for other writers before `StoreBusy`.
    """

    def __init__(self, path: Path, *, read_only: bool = False, busy_seconds: float = 30) -> None:
        self.address = str(path)
        self._folder = path
        self._connections = Connections(path / "store.sqlite", read_only=read_only, busy_seconds=busy_seconds)
        self._derived = DerivedParts(path / "index", busy_seconds)
        self._names: dict[int, NameCache] = {}
        self._writers: dict[int, writing.Writer] = {}
        self._infos: dict[int, NamespaceInfo] = {}

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._open)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.to_thread(self._close, not any(exc))

    async def namespaces(self) -> list[NamespaceInfo]:
        return await asyncio.to_thread(self._namespaces)

    async def info(self, namespace: str) -> NamespaceInfo | None:
        try:
            return await self._read(namespace, self._describe)
        except NamespaceNotFound:
            return None

    async def create(self, namespace: str, spec: IngestSpec) -> NamespaceInfo:
        """As in the protocol. An existing namespace keeps its chunk size and overlap: chunk with the spec returned."""
        return await asyncio.to_thread(self._create, namespace, spec)

    async def content_hashes(self, namespace: str, keys: Sequence[str]) -> dict[str, str]:
        try:
            return await self._read(namespace, writing.content_hashes, list(keys))
        except NamespaceNotFound:
            return {}

    async def upsert(self, namespace: str, documents: Sequence[PreparedDocument]) -> UpsertCounts:
        return await asyncio.to_thread(self._upsert, namespace, documents)

    async def delete(self, namespace: str, keys: Sequence[str]) -> int:
        return await asyncio.to_thread(self._delete, namespace, list(keys))

    async def clear(self, namespace: str) -> int:
        return await asyncio.to_thread(self._clear, namespace)

    async def documents(self, namespace: str, *, offset: int = 0, limit: int = 100) -> list[DocumentInfo]:
        return await self._read(namespace, reading.documents, offset, limit)

    async def document(self, namespace: str, key: str) -> tuple[DocumentInfo, list[Passage]] | None:
        return await self._read(namespace, reading.document, key)

    async def passages(self, namespace: str, ids: Sequence[str]) -> list[Passage]:
        return await self._read(namespace, reading.passages, ids)

    async def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, Vector]:
        return await self._read(namespace, reading.vectors, ids)

    async def search_text(self, namespace: str, query: str, limit: int) -> list[tuple[str, float]]:
        return (await self.search_texts(namespace, [query], limit))[0]

    async def search_texts(self, namespace: str, queries: Sequence[str], limit: int) -> list[list[tuple[str, float]]]:
        def search(_: Namespace, parts: Parts) -> list[list[tuple[int, float]]]:
            return [parts.text.search(query, limit) for query in queries]

        return await self._search(namespace, limit, search)

    async def search_vector(self, namespace: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        def search(found: Namespace, parts: Parts) -> list[list[tuple[int, float]]]:
            return [parts.vectors.search(checked_query(found.name, found.spec, vector), limit)]

        return (await self._search(namespace, limit, search))[0]

    async def named_in(self, namespace: str, text: str, limit: int = 50) -> list[tuple[str, str]]:
        return await self._read(namespace, reading.named_in, self._names, text, limit)

    async def links(self, namespace: str, ids: Sequence[str]) -> dict[str, PassageLinks]:
        return await self._read(namespace, reading.links, ids)

    async def names(self, namespace: str, ids: Sequence[str]) -> dict[str, list[str]]:
        return await self._read(namespace, reading.names, ids)

    async def replace_vectors(self, namespace: str, spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
        await asyncio.to_thread(self._replace_vectors, namespace, spec, vectors)

    async def passage_ids(self, namespace: str) -> list[str]:
        return await self._read(namespace, reading.passage_ids)

    async def verify(self, namespace: str) -> list[str]:
        return await asyncio.to_thread(self._verify, namespace)

    async def _read(self, namespace: str, query: Callable[..., T], *args: object) -> T:
        return await asyncio.to_thread(self._read_now, namespace, query, *args)

    async def _search(self, namespace: str, limit: int, search: Search) -> list[list[tuple[str, float]]]:
        return await asyncio.to_thread(self._search_now, namespace, limit, search)

    # Below: in a worker thread.
    def _open(self) -> None:
        """Check the file, remove what a killed process left; derived parts catch up when they are first used."""
        if self._folder.exists() and not self._folder.is_dir():
            raise StoreError(f"Opening the store: {self.address!r} is not a folder. Choose another one with --store.")
        one_blas_thread()
        self._connections.open()
        if self._connections.file.exists():
            with self._connections.reading("Opening the store") as db:
                self._derived.forget_all_but({namespace.id for namespace in read_namespaces(db)}, last_namespace(db))

    def _close(self, catch_up: bool) -> None:
        """Index what this process has written, so that no reader has to wait for it."""
        try:
            if catch_up and self._writers:
                with self._connections.using("Indexing") as db:
                    for namespace in read_namespaces(db):
                        if namespace.id in self._writers:
                            self._derived.current(db, namespace)
        finally:
            self._connections.close()

    def _read_now(self, name: str, query: Callable[..., T], *args: object) -> T:
        if not self._connections.file.exists():
            raise namespace_not_found(name)
        with self._connections.reading("Reading the store") as db:
            return query(db, need_namespace(db, name), *args)

    def _search_now(self, name: str, limit: int, search: Search) -> list[list[tuple[str, float]]]:
        if not self._connections.file.exists():
            raise namespace_not_found(name)
        with self._connections.using("Searching") as db:
            namespace = need_namespace(db, name)
            hits = search(namespace, self._derived.current(db, namespace))
            return reading.best(db, hits, limit)

    def _namespaces(self) -> list[NamespaceInfo]:
        if not self._connections.file.exists():
            return []
        with self._connections.reading("Reading the store") as db:
            return [self._describe(db, found) for found in read_namespaces(db)]

    def _describe(self, db: sqlite3.Connection, namespace: Namespace) -> NamespaceInfo:
        """Counting links takes a while: once for each generation."""
        known = self._infos.get(namespace.id)
        if known is None or known.generation != namespace.generation:
            known = reading.describe(namespace, reading.count_links(db, namespace))
            self._infos[namespace.id] = known
        return known

    def _create(self, name: str, spec: IngestSpec) -> NamespaceInfo:
        with self._connections.writing("Creating the namespace") as db:
            return self._describe(db, namespaces.create(db, name, spec))

    def _upsert(self, name: str, documents: Sequence[PreparedDocument]) -> UpsertCounts:
        ready = [make_ready(document) for document in documents]
        writer = self._writer(name)
        with self._connections.writing("Storing") as db:
            counts = writer.upsert(db, need_namespace(db, name), ready)
        with self._connections.using("Indexing") as db:
            namespace = find_namespace(db, name)
            if namespace is not None and self._derived.lag(namespace) > MAX_LAG:
                self._derived.current(db, namespace)
        return counts

    def _delete(self, name: str, keys: Sequence[str]) -> int:
        writer = self._writer(name)
        with self._connections.writing("Deleting") as db:
            return writer.delete(db, need_namespace(db, name), keys)

    def _writer(self, name: str) -> writing.Writer:
        """The namespace's writer, up to date, so that little is left to catch up while the write lock is held."""
        return self._read_now(name, writing.writer_for, self._writers, self._names)

    def _clear(self, name: str) -> int:
        if not self._connections.file.exists():
            return 0
        with self._connections.writing("Clearing the namespace") as db:
            namespace = find_namespace(db, name)
            if namespace is None:
                return 0
            namespaces.clear(db, namespace)
        self._derived.forget(namespace.id)
        return namespace.documents

    def _replace_vectors(self, name: str, spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
        if not self._connections.file.exists():
            raise namespace_not_found(name)
        with self._connections.writing("Re-embedding") as db:
            namespaces.replace_vectors(db, need_namespace(db, name), spec, vectors)

    def _verify(self, name: str) -> list[str]:
        if not self._connections.file.exists():
            raise namespace_not_found(name)
        with self._connections.using("Verifying the store") as db:
            parts = self._derived.current(db, need_namespace(db, name))
            return verifying.verify(db, name, parts)
