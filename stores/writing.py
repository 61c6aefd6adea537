"""Write transactions of the embedded store: SQL only, in a transaction that the caller has begun.

Knows nothing about threads, files or derived parts.
"""

import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from stores.errors import EmbedderMismatch, StoreError
from stores.linking import NameCache, add_bearers, count_bearers, drop_lost_names, rank_of, refresh_scan, relink
from stores.links import NameSet, name_key, words
from stores.records import Chunk, Document, IngestSpec, Matrix, PreparedDocument, UpsertCounts, Vector
from stores.schema import Namespace, find_namespace, need_namespace, spec_to_json
from stores.token_scan import TokenScan, hash_words


@dataclass(frozen=True, slots=True)
class ReadyDocument:
    """A document with everything about it that can be worked out before the write lock is taken."""

    document: Document
    content_hash: str
    chunks: Sequence[Chunk]
    words: Sequence[list[str]]
    vectors: Matrix


def make_ready(prepared: PreparedDocument) -> ReadyDocument:
    """Check a document and split its chunks into words.

    Raises:
        StoreError: vectors and chunks differ in number, or a vector is not finite.
    """
    document, chunks = prepared.document, [_encodable(chunk) for chunk in prepared.chunks]
    vectors = np.ascontiguousarray(prepared.vectors, dtype="<f4")
    if len(vectors) != len(chunks) or (len(chunks) and vectors.ndim != 2):
        raise StoreError(
            f"Storing {document.key!r}: {len(chunks)} chunks came with vectors of shape {vectors.shape}. "
            "Give one row for each."
        )
    if not np.isfinite(vectors).all():
        raise StoreError(f"Storing {document.key!r}: a vector holds NaN or infinity. Check the embedder.")
    return ReadyDocument(document, document.content_hash, chunks, [words(chunk.text) for chunk in chunks], vectors)


def _encodable(chunk: Chunk) -> Chunk:
    """Half a surrogate pair cannot be stored as UTF-8."""
    return replace(chunk, text=_clean(chunk.text), title=_clean(chunk.title))


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


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
        _check_dimension(namespace, changed)
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


def next_generation(db: sqlite3.Connection, namespace: Namespace) -> None:
    """Every commit gives its namespace a number that no namespace ever had."""
    db.execute("UPDATE counters SET value = value + 1 WHERE name = 'generation'")
    db.execute(
        "UPDATE namespaces SET generation = (SELECT value FROM counters WHERE name = 'generation') WHERE id = ?",
        (namespace.id,),
    )


def content_hashes(db: sqlite3.Connection, namespace: Namespace, keys: Sequence[str]) -> dict[str, str]:
    """Content hash of each stored document among `keys`."""
    found = db.execute(
        "SELECT key, content_hash FROM documents WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))",
        (namespace.id, json.dumps(keys)),
    )
    return dict(found.fetchall())


def create(db: sqlite3.Connection, name: str, spec: IngestSpec) -> Namespace:
    """Create a namespace or check an existing one. Its recorded chunk size and overlap hold, whatever `spec` says."""
    found = find_namespace(db, name)
    if found is None:
        db.execute("INSERT INTO namespaces (name, spec, generation) VALUES (?, ?, 0)", (name, spec_to_json(spec)))
        found = need_namespace(db, name)
        next_generation(db, found)
    elif found.spec.embedder != spec.embedder:
        raise EmbedderMismatch(
            f"Storing: namespace {name!r} was embedded by {_describe(found.spec)}, not by {_describe(spec)}. "
            f"Use the first, or run `lookahead reembed --namespace {name} --embedder {spec.embedder.name}`."
        )
    return need_namespace(db, name)


def _describe(spec: IngestSpec) -> str:
    it = spec.embedder
    prefixes = "".join(
        f", {kind} prefix {prefix!r}"
        for kind, prefix in (("query", it.query_prefix), ("passage", it.passage_prefix))
        if prefix
    )
    return f"{it.name!r} (dimension {it.dimension}{prefixes}{'' if it.normalized else ', not normalised'})"


def clear(db: sqlite3.Connection, namespace: Namespace) -> None:
    """Delete everything of a namespace, and the namespace."""
    chunks = "(SELECT row FROM chunks WHERE namespace = ?)"
    names = "(SELECT id FROM names WHERE namespace = ?)"
    statements = [f"DELETE FROM {table} WHERE chunk IN {chunks}" for table in ("vectors", "tokens")]
    statements += [f"DELETE FROM {table} WHERE name IN {names}" for table in ("bearers", "mentions")]
    statements += [f"DELETE FROM {table} WHERE namespace = ?" for table in ("names", "chunks", "documents")]
    for statement in [*statements, "DELETE FROM namespaces WHERE id = ?"]:
        db.execute(statement, (namespace.id,))


def replace_vectors(
    db: sqlite3.Connection, namespace: Namespace, spec: IngestSpec, vectors: Mapping[str, Vector]
) -> None:
    """Swap every vector and record the embedder; the namespace keeps its chunk size and overlap."""
    rows = dict(db.execute("SELECT id, row FROM chunks WHERE namespace = ?", (namespace.id,)).fetchall())
    if rows.keys() != vectors.keys():
        different = sorted(rows.keys() ^ vectors.keys())
        raise StoreError(
            f"Re-embedding {namespace.name!r}: the passages stored and the vectors given differ in {len(different)} "
            f"ids, {different[0]!r} for one. Nothing was changed; read the passage ids again and repeat."
        )
    expected = (spec.embedder.dimension,)
    for id_, vector in vectors.items():
        if vector.shape != expected or not np.isfinite(vector).all():
            raise StoreError(
                f"Re-embedding {namespace.name!r}: the vector of {id_!r} has shape {vector.shape} or is not finite, "
                f"expected {expected}. Nothing was changed."
            )
    db.executemany(
        "UPDATE vectors SET vector = ? WHERE chunk = ?",
        ((np.asarray(vector, dtype="<f4").tobytes(), rows[id_]) for id_, vector in vectors.items()),
    )
    kept = replace(namespace.spec, embedder=spec.embedder)
    db.execute(
        "UPDATE namespaces SET spec = ?, vector_epoch = vector_epoch + 1 WHERE id = ?",
        (spec_to_json(kept), namespace.id),
    )
    next_generation(db, namespace)


def _check_dimension(namespace: Namespace, ready: Sequence[ReadyDocument]) -> None:
    expected = namespace.spec.embedder.dimension
    for item in ready:
        if len(item.chunks) and item.vectors.shape[1] != expected:
            raise StoreError(
                f"Storing {item.document.key!r}: its vectors have dimension {item.vectors.shape[1]}, namespace "
                f"{namespace.name!r} has {expected} ({namespace.spec.embedder.name!r}). Embed with that model."
            )


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
            _clean(document.title),
            _clean(document.source),
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
