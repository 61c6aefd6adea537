"""Write transactions of the embedded store: SQL only, in a transaction that the caller has begun.

Knows nothing about threads, files or derived parts.
"""

import json
import sqlite3
import threading
from collections.abc import Iterable, Sequence

from stores.checks import check_dimension
from stores.errors import StoreError
from stores.link_rules import rank_of
from stores.linking import NameCache, add_bearers, count_bearers, drop_lost_names, refresh_scan, relink
from stores.links import NameSet, name_key
from stores.namespaces import next_generation
from stores.ready import ReadyDocument, clean
from stores.records import UpsertCounts
from stores.schema import Namespace
from stores.token_scan import TokenScan, hash_words


class Writer:
    """What a process remembers between write transactions of one namespace: names and tokens, as committed."""

    def __init__(self, names: NameCache) -> None:
        self.names = names
        self.scan = TokenScan()
        self._lock = threading.Lock()

    def refresh(self, db: sqlite3.Connection, namespace: Namespace) -> NameSet:
        """Catch up with what is committed; done once before the transaction, so that little is left to do in it."""
        with self._lock:
            refresh_scan(db, namespace, self.scan)
            return self.names.refresh(db, namespace)

    def upsert(self, db: sqlite3.Connection, namespace: Namespace, ready: Sequence[ReadyDocument]) -> UpsertCounts:
        """Add or replace documents; of two with one key the last counts."""
        latest = list({item.document.key: item for item in ready}.values())
        stored = content_hashes(db, namespace, [item.document.key for item in latest])
        changed = [item for item in latest if stored.get(item.document.key) != item.content_hash]
        check_dimension(namespace.name, namespace.spec, changed)
        old = [item.document.key for item in changed if item.document.key in stored]
        self._replace(db, namespace, old, changed)
        return UpsertCounts(added=len(changed) - len(old), updated=len(old), unchanged=len(latest) - len(changed))

    def delete(self, db: sqlite3.Connection, namespace: Namespace, keys: Iterable[str]) -> int:
        """Delete documents; returns how many there were."""
        stored = list(content_hashes(db, namespace, list(dict.fromkeys(keys))))
        self._replace(db, namespace, stored, [])
        return len(stored)

    def _replace(
        self, db: sqlite3.Connection, namespace: Namespace, old: Sequence[str], new: Sequence[ReadyDocument]
    ) -> None:
        if not old and not new:
            return
        base = self.refresh(db, namespace)
        gone = _rows_of(db, namespace, old)
        losses = count_bearers(db, gone)
        _delete_rows(db, namespace, old, gone)
        fresh, bearers = _insert_documents(db, namespace, new)
        added = {key for key, _, _ in bearers if key not in base.ids}
        add_bearers(db, namespace, bearers)
        lost = drop_lost_names(db, losses)
        relink(db, namespace, base, self.scan, added, lost, fresh)
        db.execute(
            """UPDATE namespaces SET documents = documents + ?, passages = passages + ?, deletions = deletions + ?,
               names_removed = names_removed + ? WHERE id = ?""",
            (len(new) - len(old), len(fresh) - len(gone), len(gone), len(lost), namespace.id),
        )
        next_generation(db, namespace)


def writer_for(
    db: sqlite3.Connection, namespace: Namespace, writers: dict[int, Writer], names: dict[int, NameCache]
) -> Writer:
    """The namespace's writer among `writers`, up to date."""
    cache = names.setdefault(namespace.id, NameCache())
    writer = writers.setdefault(namespace.id, Writer(cache))
    writer.refresh(db, namespace)
    return writer


def content_hashes(db: sqlite3.Connection, namespace: Namespace, keys: Sequence[str]) -> dict[str, str]:
    """Content hash of each stored document among `keys`."""
    found = db.execute(
        "SELECT key, content_hash FROM documents WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))",
        (namespace.id, json.dumps(keys)),
    )
    return dict(found.fetchall())


def _rows_of(db: sqlite3.Connection, namespace: Namespace, keys: Sequence[str]) -> list[int]:
    query = """SELECT c.row FROM documents d JOIN chunks c ON c.document = d.id
               WHERE d.namespace = ? AND d.key IN (SELECT value FROM json_each(?))"""
    return [row for (row,) in db.execute(query, (namespace.id, json.dumps(keys)))]


def _delete_rows(db: sqlite3.Connection, namespace: Namespace, keys: Sequence[str], rows: Sequence[int]) -> None:
    numbers = json.dumps(rows)
    for table in ("vectors", "tokens", "bearers", "mentions"):
        db.execute(f"DELETE FROM {table} WHERE chunk IN (SELECT value FROM json_each(?))", (numbers,))
    db.execute("DELETE FROM chunks WHERE row IN (SELECT value FROM json_each(?))", (numbers,))
    db.execute(
        "DELETE FROM documents WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))",
        (namespace.id, json.dumps(keys)),
    )


def _next_number(db: sqlite3.Connection, table: str) -> int:
    found = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    return 1 + (found[0] if found else 0)


def _insert_documents(
    db: sqlite3.Connection, namespace: Namespace, new: Sequence[ReadyDocument]
) -> tuple[dict[int, list[str]], list[tuple[str, int, int]]]:
    """Insert documents, chunks, vectors and tokens; returns the words of each row and (name key, rank, row)."""
    number, row = _next_number(db, "documents"), _next_number(db, "chunks")
    fresh: dict[int, list[str]] = {}
    bearers: list[tuple[str, int, int]] = []
    for item in new:
        _insert_document(db, namespace, number, item)
        rows = range(row, row + len(item.chunks))
        _insert_chunks(db, namespace, number, rows, item)
        fresh.update(zip(rows, item.words, strict=True))
        for at, chunk in zip(rows, item.chunks, strict=True):
            keys = {key for name in chunk.names if (key := name_key(name))}
            bearers += [(key, rank_of(chunk.id), at) for key in sorted(keys)]
        number, row = number + 1, row + len(item.chunks)
    return fresh, bearers


def _insert_document(db: sqlite3.Connection, namespace: Namespace, number: int, item: ReadyDocument) -> None:
    document = item.document
    metadata = json.dumps(dict(document.metadata), ensure_ascii=True, default=str)
    db.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            namespace.id,
            document.key,
            clean(document.title),
            clean(document.source),
            metadata,
            item.content_hash,
            len(item.chunks),
        ),
    )


def _insert_chunks(db: sqlite3.Connection, namespace: Namespace, number: int, rows: range, item: ReadyDocument) -> None:
    try:
        db.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (row, namespace.id, number, chunk.position, chunk.id, chunk.title, chunk.text)
                for row, chunk in zip(rows, item.chunks, strict=True)
            ],
        )
    except sqlite3.IntegrityError as error:
        raise StoreError(
            f"Storing {item.document.key!r}: one of its chunk ids exists already in namespace {namespace.name!r}. "
            "Make ids with `stores.chunking.chunk_id`."
        ) from error
    db.executemany(
        "INSERT INTO vectors VALUES (?, ?)", [(row, v.tobytes()) for row, v in zip(rows, item.vectors, strict=True)]
    )
    db.executemany(
        "INSERT INTO tokens VALUES (?, ?)", [(row, hash_words(w)) for row, w in zip(rows, item.words, strict=True)]
    )
