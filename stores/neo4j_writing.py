"""Write transactions of the Neo4j store: documents added, replaced and deleted, and links kept as they must be.

One transaction for each call, in statements of bounded size. Its first statement locks the namespace's node, so that
several processes may write; what a process remembers (`Memory`) is brought up to date behind the lock, and trusted
until the commit. Links follow the rule told in `stores.linking`: when names come or go, exactly those passages are
matched again that contain a new one or mention a lost one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from stores import cypher
from stores.checks import check_dimension
from stores.link_rules import find_mentions
from stores.links import NameSet, words
from stores.neo4j_connection import Rows, Server, Transaction
from stores.neo4j_memory import Memory, refreshed
from stores.neo4j_names import chunk_label, entity_id
from stores.neo4j_namespaces import Namespace, lock
from stores.neo4j_rows import FreshRows, Row, fresh_rows, mention_row
from stores.ready import ReadyDocument
from stores.records import UpsertCounts

T = TypeVar("T")
_SLICE = 100
"""Rows with a vector that one statement takes: packing them keeps the event loop for some milliseconds."""
_MANY = 2000
"""Rows of a few numbers that one statement takes."""


class Writer:
    """Writes to one namespace, one transaction after the other. Made for one event loop."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name
        self._turn = asyncio.Lock()
        self._memory: Memory | None = None

    async def upsert(self, ready: Sequence[ReadyDocument]) -> UpsertCounts:
        """Add or replace documents; of two with one key the last counts."""
        latest = list({item.document.key: item for item in ready}.values())

        async def work(transaction: Transaction, namespace: Namespace) -> tuple[UpsertCounts, Memory | None]:
            stored = await _hashes(transaction, namespace, [item.document.key for item in latest])
            changed = [item for item in latest if stored.get(item.document.key) != item.content_hash]
            check_dimension(namespace.name, namespace.spec, changed)
            old = [item.document.key for item in changed if item.document.key in stored]
            counts = UpsertCounts(len(changed) - len(old), len(old), len(latest) - len(changed))
            return counts, await self._replace(transaction, namespace, old, changed)

        return await self._write("Storing", work)

    async def delete(self, keys: Iterable[str]) -> int:
        """Delete documents; returns how many there were."""
        wanted = list(dict.fromkeys(keys))

        async def work(transaction: Transaction, namespace: Namespace) -> tuple[int, Memory | None]:
            stored = list(await _hashes(transaction, namespace, wanted))
            return len(stored), await self._replace(transaction, namespace, stored, [])

        return await self._write("Deleting", work)

    async def _write(
        self, stage: str, work: Callable[[Transaction, Namespace], Awaitable[tuple[T, Memory | None]]]
    ) -> T:
        """Do it behind the lock, and remember what was committed."""

        async def locked(transaction: Transaction) -> tuple[T, Memory | None]:
            return await work(transaction, await lock(self._server, transaction, self._name))

        async with self._turn:
            done, memory = await self._server.write(stage, locked)
            if memory is not None:
                await asyncio.to_thread(memory.settle)
                self._memory = memory
            return done

    async def _replace(
        self, transaction: Transaction, namespace: Namespace, old: Sequence[str], new: Sequence[ReadyDocument]
    ) -> Memory | None:
        """Returns what to remember after the commit; None when there is nothing to do."""
        if not old and not new:
            return None
        self._memory = await refreshed(self._memory, transaction, namespace)
        fresh = await asyncio.to_thread(fresh_rows, new, namespace.last_row, namespace.epoch)
        change = _Change(transaction, namespace, self._memory, old, fresh)
        await change.plan()
        before = await change.count_links()
        await change.delete()
        await change.insert()
        await change.relink()
        links = namespace.links - before + await change.count_links()
        return await change.finish(links)


class _Change:
    """One replacement of documents by others, inside a transaction."""

    def __init__(
        self, transaction: Transaction, namespace: Namespace, memory: Memory, old: Sequence[str], fresh: FreshRows
    ) -> None:
        self._transaction = transaction
        self._namespace = namespace
        self._memory = memory
        self._old = old
        self._fresh = fresh
        self._gone: list[int] = []
        self._stale: list[int] = []
        self._added: list[str] = []
        self._lost: list[str] = []
        self._touched: list[str] = []
        self._names = memory.names

    async def plan(self) -> None:
        """Find out which passages and names go, which come, and which stored passages must be matched again."""
        self._gone = [row for (row,) in await self._each(cypher.CHUNKS_OF, keys=self._old)]
        leaving = {key: all_of_them for key, all_of_them in await self._each(cypher.NAMES_OF, keys=self._old)}
        names = self._fresh.names
        self._added = sorted(names - self._memory.names.ids.keys())
        self._lost = sorted(key for key, all_of_them in leaving.items() if all_of_them and key not in names)
        self._touched = [entity_id(key) for key in sorted(names | leaving.keys())]
        self._names = await asyncio.to_thread(self._memory.names.changed, self._added, self._lost)
        mentioning = await self._each(cypher.MENTIONING, names=[entity_id(key) for key in self._lost])
        stale = {row for (row,) in mentioning} | await asyncio.to_thread(self._memory.scan.rows_with, self._added)
        self._stale = sorted(stale.difference(self._gone))

    async def count_links(self) -> int:
        """Links of the passages and names that this change can concern, as they are at the moment."""
        rows = [*self._gone, *self._stale, *self._fresh.ids]
        [[number]] = await self._run(cypher.COUNT_LINKS, rows=rows, names=self._touched)
        return int(number)

    async def delete(self) -> None:
        """Take away old documents and lost names; a name that others bear stays."""
        await self._each(cypher.DELETE_DOCUMENTS, keys=self._old)
        await self._each(cypher.DELETE_NAMES, names=[entity_id(key) for key in self._lost])

    async def insert(self) -> None:
        """Add documents, passages, names and who bears them."""
        first = self._namespace.last_entity + 1
        added = [{"id": entity_id(key), "key": key, "number": n} for n, key in enumerate(self._added, start=first)]
        await self._send(cypher.CREATE_DOCUMENTS, self._fresh.documents)
        for part in _parts(self._fresh.chunks, _SLICE):
            await self._run(cypher.CREATE_CHUNKS, rows=part, label=chunk_label(self._namespace.number))
        await self._send(cypher.CREATE_ORDER, self._fresh.followed)
        await self._send(cypher.CREATE_NAMES, added)
        await self._send(cypher.CREATE_BEARERS, self._fresh.bearers)

    async def relink(self) -> None:
        """Match the new passages, and the stale ones anew."""
        found = [text for part in _parts(self._stale) for text in await self._run(cypher.TEXTS, rows=part)]
        mentions = await asyncio.to_thread(_mention_rows, found, self._fresh, self._names)
        for part in _parts(self._stale):
            await self._run(cypher.DELETE_MENTIONS, rows=part)
        await self._send(cypher.CREATE_MENTIONS, mentions)

    async def finish(self, links: int) -> Memory:
        """Bring the namespace's node up to date."""
        namespace, fresh = self._namespace, self._fresh
        memory = replace(
            self._memory,
            names=self._names,
            last_entity=namespace.last_entity + len(self._added),
            names_removed=namespace.names_removed + len(self._lost),
            unsettled=fresh.tokens,
        )
        properties = {
            "generation": namespace.generation + 1,
            "documents": namespace.documents + len(fresh.documents) - len(self._old),
            "passages": namespace.passages + len(fresh.chunks) - len(self._gone),
            "links": links,
            "last_row": namespace.last_row + len(fresh.chunks),
            "last_entity": memory.last_entity,
            "names_removed": memory.names_removed,
        }
        await self._run(cypher.UPDATE_NAMESPACE, properties=properties)
        return memory

    async def _run(self, statement: str, **parameters: Any) -> Rows:
        return await self._transaction.run(statement, number=self._namespace.number, **parameters)

    async def _each(self, statement: str, **values: Sequence[str]) -> Rows:
        """Run a statement for each of some values, if there are any."""
        return await self._run(statement, **values) if any(values.values()) else []

    async def _send(self, statement: str, rows: Sequence[Row | int], size: int = _MANY) -> None:
        for part in _parts(rows, size):
            await self._run(statement, rows=part)


async def _hashes(transaction: Transaction, namespace: Namespace, keys: Sequence[str]) -> dict[str, str]:
    found = await transaction.run(cypher.STORED_HASHES, number=namespace.number, keys=keys)
    return {key: content_hash for key, content_hash in found}


def _mention_rows(stale: Iterable[Sequence[Any]], fresh: FreshRows, names: NameSet) -> list[Row]:
    """Mentions in stale passages (row, id, text) and in fresh ones."""
    texts, ids = dict(fresh.words), dict(fresh.ids)
    for row, id_, text in stale:
        texts[row], ids[row] = words(text), id_
    return [mention_row(row, key, place, ids[row]) for row, key, place in find_mentions(texts, names)]


def _parts(rows: Sequence[T], size: int = _MANY) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
