"""Read queries of the embedded store: SQL only, each on a connection inside a read transaction.

Knows nothing about threads, files or derived parts.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stores.link_rules import MAX_BEARERS, MAX_INCOMING
from stores.linking import NameCache
from stores.links import names_in_question
from stores.records import DocumentInfo, NamespaceInfo, Passage, PassageLinks, Vector
from stores.schema import Namespace


def count_links(db: sqlite3.Connection, namespace: Namespace) -> int:
    """Pairs of a passage and a name in its text that another document bears."""
    query = """SELECT count(*) FROM names n JOIN mentions m ON m.name = n.id
               WHERE n.namespace = ? AND n.bearers > m.own"""
    count: int = db.execute(query, (namespace.id,)).fetchone()[0]
    return count


def describe(namespace: Namespace, links: int) -> NamespaceInfo:
    """The record that callers get."""
    return NamespaceInfo(
        name=namespace.name,
        spec=namespace.spec,
        documents=namespace.documents,
        passages=namespace.passages,
        links=links,
        generation=namespace.generation,
    )


def documents(db: sqlite3.Connection, namespace: Namespace, offset: int, limit: int) -> list[DocumentInfo]:
    """Documents ordered by key."""
    query = """SELECT key, title, source, metadata, content_hash, passages FROM documents
               WHERE namespace = ? ORDER BY key LIMIT ? OFFSET ?"""
    return [_document(row) for row in db.execute(query, (namespace.id, max(0, limit), max(0, offset)))]


def document(db: sqlite3.Connection, namespace: Namespace, key: str) -> tuple[DocumentInfo, list[Passage]] | None:
    """One document and its passages in order."""
    query = """SELECT key, title, source, metadata, content_hash, passages, id FROM documents
               WHERE namespace = ? AND key = ?"""
    found = db.execute(query, (namespace.id, key)).fetchone()
    if found is None:
        return None
    rows = db.execute("SELECT id, title, text FROM chunks WHERE document = ? ORDER BY position, row", (found[6],))
    parts = [_passage((id_, key, title, text, found[3])) for id_, title, text in rows]
    return _document(found), parts


def _document(row: tuple[str, str, str, str, str, int]) -> DocumentInfo:
    return DocumentInfo(
        id=row[0], title=row[1], source=row[2], metadata=json.loads(row[3]), content_hash=row[4], passages=row[5]
    )


def _passage(row: tuple[str, str, str, str, str]) -> Passage:
    return Passage(id=row[0], document_id=row[1], title=row[2], text=row[3], metadata=json.loads(row[4]))


def _array(db: sqlite3.Connection, query: str, *parameters: object) -> list[Any]:
    """The one JSON array that a query gives: one step of SQLite, which lets go of Python's lock at every step."""
    array: list[Any] = json.loads(db.execute(query, parameters).fetchone()[0])
    return array


def passages(db: sqlite3.Connection, namespace: Namespace, ids: Sequence[str]) -> list[Passage]:
    """Passages in the order asked."""
    query = """SELECT json_group_array(json_array(c.id, d.key, c.title, c.text, d.metadata))
               FROM chunks c JOIN documents d ON d.id = c.document
               WHERE c.namespace = ? AND c.id IN (SELECT value FROM json_each(?))"""
    found = {row[0]: row for row in _array(db, query, namespace.id, json.dumps(list(ids)))}
    return [_passage(found[id_]) for id_ in ids if id_ in found]


def vectors(db: sqlite3.Connection, namespace: Namespace, ids: Sequence[str]) -> dict[str, Vector]:
    """Vectors as they were stored."""
    query = """SELECT c.id, v.vector FROM chunks c JOIN vectors v ON v.chunk = c.row
               WHERE c.namespace = ? AND c.id IN (SELECT value FROM json_each(?))"""
    found = db.execute(query, (namespace.id, json.dumps(list(ids))))
    return {id_: np.frombuffer(blob, dtype="<f4") for id_, blob in found}


def passage_ids(db: sqlite3.Connection, namespace: Namespace) -> list[str]:
    """Every passage id, sorted."""
    found = db.execute("SELECT id FROM chunks WHERE namespace = ? ORDER BY id", (namespace.id,))
    return [id_ for (id_,) in found]


def rows_of(db: sqlite3.Connection, namespace: Namespace, ids: Iterable[str]) -> dict[str, int]:
    """Row number of each known passage."""
    query = """SELECT json_group_array(json_array(id, row)) FROM chunks
               WHERE namespace = ? AND id IN (SELECT value FROM json_each(?))"""
    return dict(_array(db, query, namespace.id, json.dumps(list(ids))))


def best(
    db: sqlite3.Connection, found: Sequence[Sequence[tuple[int, float]]], limit: int
) -> list[list[tuple[str, float]]]:
    """(passage id, score) of the best hits of each query; equal scores by id, so that no order of ingestion shows."""
    query = """SELECT json_group_array(json_array(row, id)) FROM chunks
               WHERE row IN (SELECT value FROM json_each(?))"""
    ids: dict[int, str] = dict(_array(db, query, json.dumps(list({row for hits in found for row, _ in hits}))))
    known = [[(ids[row], score) for row, score in hits if row in ids] for hits in found]
    return [sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit] for hits in known]


def named_in(
    db: sqlite3.Connection, namespace: Namespace, caches: dict[int, NameCache], text: str, limit: int
) -> list[tuple[str, str]]:
    """(passage id, name as it stands in the text) of the passages that bear a name in it, longest name first."""
    names = caches.setdefault(namespace.id, NameCache()).refresh(db, namespace)
    found: dict[str, str] = {}
    query = "SELECT c.id FROM bearers b JOIN chunks c ON c.row = b.chunk WHERE b.name = ? ORDER BY b.rank, c.id LIMIT ?"
    for name, key in names_in_question(text, names):
        for (id_,) in db.execute(query, (names.ids[key], limit)):
            found.setdefault(id_, name)
    return list(found.items())[: max(0, limit)]


def names(db: sqlite3.Connection, namespace: Namespace, ids: Sequence[str]) -> dict[str, list[str]]:
    """Keys of the names that each known passage bears, sorted."""
    query = """SELECT c.id, n.key FROM chunks c JOIN bearers b ON b.chunk = c.row JOIN names n ON n.id = b.name
               WHERE c.namespace = ? AND c.id IN (SELECT value FROM json_each(?)) ORDER BY n.key"""
    found: dict[str, list[str]] = {id_: [] for id_ in rows_of(db, namespace, ids)}
    for id_, key in db.execute(query, (namespace.id, json.dumps(list(ids)))):
        found[id_].append(key)
    return found


def links(db: sqlite3.Connection, namespace: Namespace, ids: Sequence[str]) -> dict[str, PassageLinks]:
    """Links of each known passage: outgoing in the order of its text, incoming by rank."""
    return {
        id_: PassageLinks(outgoing=_outgoing(db, row, id_), incoming=_incoming(db, row))
        for id_, row in rows_of(db, namespace, ids).items()
    }


_OUTGOING = """
SELECT c.id FROM mentions m CROSS JOIN bearers b ON b.name = m.name CROSS JOIN chunks c ON c.row = b.chunk
WHERE m.chunk = :row AND c.document != (SELECT document FROM chunks WHERE row = :row)
  AND b.rank <= coalesce((SELECT rank FROM bearers l WHERE l.name = m.name ORDER BY rank LIMIT 1 OFFSET :skip), b.rank)
ORDER BY m.place, b.rank, c.id
"""
_INCOMING = """
SELECT c.id, m.rank FROM mentions m CROSS JOIN chunks c ON c.row = m.chunk
WHERE m.name = :name AND c.document != (SELECT document FROM chunks WHERE row = :row) ORDER BY m.rank, c.id LIMIT :limit
"""


def _outgoing(db: sqlite3.Connection, row: int, id_: str) -> list[str]:
    found = db.execute(_OUTGOING, {"row": row, "skip": MAX_BEARERS - 1})
    return list(dict.fromkeys(other for (other,) in found))


def _incoming(db: sqlite3.Connection, row: int) -> list[str]:
    found: dict[str, int] = {}
    for (name,) in db.execute("SELECT name FROM bearers WHERE chunk = ?", (row,)).fetchall():
        found.update(db.execute(_INCOMING, {"name": name, "row": row, "limit": MAX_INCOMING}).fetchall())
    return sorted(found, key=lambda id_: (found[id_], id_))
