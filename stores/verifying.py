"""Compares everything in a namespace with everything else: what `lookahead verify` prints.

Knows nothing about repair: derived parts are rebuilt by deleting the folder `index`, the truth by ingesting again.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator

import numpy as np

from stores.chunking import chunk_id
from stores.derived import Parts, read_vectors
from stores.link_rules import find_mentions
from stores.links import NameSet, words
from stores.records import IngestSpec
from stores.schema import Namespace, need_namespace
from stores.token_scan import hash_words
from stores.vector_index import unit_rows

_OUR_ID = re.compile(r"[0-9a-f]{32}")


def verify(db: sqlite3.Connection, name: str, parts: Parts) -> list[str]:
    """One sentence for each thing lost, doubled, stray or out of step; `parts` were caught up just before."""
    db.execute("BEGIN")
    try:
        namespace = need_namespace(db, name)
        checks = (_check_file, _check_counts, _check_chunks, _check_names, _check_links)
        found = [sentence for check in checks for sentence in check(db, namespace)]
        if parts.generation == namespace.generation:
            found += _check_parts(db, namespace, parts)
        elif parts.generation < namespace.generation:
            found.append(
                f"The derived parts reflect generation {parts.generation}, the store is at {namespace.generation}: it "
                "was written to while being verified; verify again."
            )
        return found
    finally:
        db.execute("COMMIT")


def _check_file(db: sqlite3.Connection, namespace: Namespace) -> Iterator[str]:
    for (said,) in db.execute("PRAGMA integrity_check(5)"):
        if said != "ok":
            yield f"SQLite finds its file damaged: {said}."
    for table in ("vectors", "tokens"):  # which tell of no namespace, only of a passage
        (stray,) = db.execute(f"SELECT count(*) FROM {table} WHERE chunk NOT IN (SELECT row FROM chunks)").fetchone()
        if stray:
            yield f"The {table} of {stray} passages are stored that are not stored themselves, in whatever namespace."


def _check_counts(db: sqlite3.Connection, namespace: Namespace) -> Iterator[str]:
    for table, counted in (("documents", namespace.documents), ("chunks", namespace.passages)):
        (there,) = db.execute(f"SELECT count(*) FROM {table} WHERE namespace = ?", (namespace.id,)).fetchone()
        if there != counted:
            yield f"{there} {table} are stored, {counted} were counted."
    query = """SELECT d.key, d.passages, count(c.row), coalesce(max(c.position) + 1, 0), count(DISTINCT c.position)
               FROM documents d LEFT JOIN chunks c ON c.document = d.id
               WHERE d.namespace = ? GROUP BY d.id"""
    for key, expected, there, last, different in db.execute(query, (namespace.id,)):
        if not expected == there == last == different:
            yield f"Document {key!r} should have {expected} passages, numbered without a gap; {there} are stored."
    orphans = """SELECT c.id FROM chunks c LEFT JOIN documents d ON d.id = c.document AND d.namespace = c.namespace
                 WHERE c.namespace = ? AND d.id IS NULL"""
    for (id_,) in db.execute(orphans, (namespace.id,)):
        yield f"Passage {id_!r} belongs to no document."


def _check_chunks(db: sqlite3.Connection, namespace: Namespace) -> Iterator[str]:
    """Ids made by `chunk_id` are made again; vectors and tokens must be there and fit."""
    query = """SELECT c.id, d.key, c.text, v.vector, t.hashes FROM chunks c JOIN documents d ON d.id = c.document
               LEFT JOIN vectors v ON v.chunk = c.row LEFT JOIN tokens t ON t.chunk = c.row
               WHERE c.namespace = ? ORDER BY c.document, c.position"""
    equal: Counter[tuple[str, str]] = Counter()
    for row in db.execute(query, (namespace.id,)):
        yield from chunk_faults(namespace.name, namespace.spec, equal, row)


def chunk_faults(
    name: str,
    spec: IngestSpec,
    equal: Counter[tuple[str, str]],
    chunk: tuple[str, str, str, bytes | None, bytes | None],
) -> Iterator[str]:
    """What is wrong with one passage by itself.

    Args:
        name: of the namespace.
        spec: of the namespace.
        equal: how often each (document key, text) came before, in order of position; kept up to date.
        chunk: id, document key, text, vector as float32, token hashes.
    """
    id_, key, text, vector, hashes = chunk
    if _OUR_ID.fullmatch(id_) and id_ != chunk_id(name, key, text, equal[key, text]):
        yield f"Passage {id_!r} of document {key!r} does not have the text that its id was made from."
    equal[key, text] += 1
    if vector is None or len(vector) != 4 * spec.embedder.dimension:
        yield f"Passage {id_!r} has no vector of dimension {spec.embedder.dimension}."
    elif not np.isfinite(np.frombuffer(vector, dtype="<f4")).all():
        yield f"The vector of passage {id_!r} is not finite."
    if hashes != hash_words(words(text)):
        yield f"The token hashes of passage {id_!r} do not fit its text."


def _check_names(db: sqlite3.Connection, namespace: Namespace) -> Iterator[str]:
    """That whoever bears or mentions a name is stored, and the names that a passage bears or mentions."""
    for table, joint in (("bearers", "borne"), ("mentions", "mentioned")):
        query = f"""SELECT n.key, count(*) FROM names n JOIN {table} x ON x.name = n.id
                    LEFT JOIN chunks c ON c.row = x.chunk AND c.namespace = n.namespace
                    WHERE n.namespace = ? AND c.row IS NULL GROUP BY n.id"""
        for key, stray in db.execute(query, (namespace.id,)):
            yield f"Name {key!r} is {joint} by {stray} passages that are not stored."
        query = f"""SELECT c.id, count(*) FROM chunks c JOIN {table} x ON x.chunk = c.row
                    LEFT JOIN names n ON n.id = x.name AND n.namespace = c.namespace
                    WHERE c.namespace = ? AND n.id IS NULL GROUP BY c.row"""
        for id_, stray in db.execute(query, (namespace.id,)):
            yield f"{stray} names are {joint} by passage {id_!r} that are not stored."


def _check_links(db: sqlite3.Connection, namespace: Namespace) -> Iterator[str]:
    """All links found again from the texts and names."""
    query = """SELECT n.key, n.id, n.bearers, count(b.chunk) FROM names n LEFT JOIN bearers b ON b.name = n.id
               WHERE n.namespace = ? GROUP BY n.id"""
    names = NameSet()
    for key, number, counted, there in db.execute(query, (namespace.id,)):
        names.add(key, number)
        if counted != there or not there:
            yield f"Name {key!r} should be borne by {counted} passages; {there} are recorded."
    texts = {
        row: words(text)
        for row, text in db.execute("SELECT row, text FROM chunks WHERE namespace = ?", (namespace.id,))
    }
    expected = {(row, names.ids[key], place) for row, key, place in find_mentions(texts, names)}
    query = "SELECT m.chunk, m.name, m.place FROM names n JOIN mentions m ON m.name = n.id WHERE n.namespace = ?"
    stored = set(db.execute(query, (namespace.id,)).fetchall())
    if expected != stored:
        yield f"{len(expected - stored)} links are missing, {len(stored - expected)} are stored that no text supports."


def _check_parts(db: sqlite3.Connection, namespace: Namespace, parts: Parts) -> Iterator[str]:
    query = "SELECT row FROM chunks WHERE namespace = ? ORDER BY row"
    rows = np.fromiter((row for (row,) in db.execute(query, (namespace.id,))), dtype=np.int64)
    if parts.text.rows() != rows.tolist():
        yield f"The text index holds {len(parts.text.rows())} passages, the store {len(rows)}: not the same ones."
    held = parts.vectors.rows
    if not np.array_equal(held[held != 0], rows):
        yield f"The vector matrix holds {int((held != 0).sum())} passages, the store {len(rows)}: not the same ones."
        return
    places = np.flatnonzero(held)
    start = 0
    for block in read_vectors(db, namespace, rows):
        here = places[start : start + len(block)]
        if not np.allclose(parts.vectors.matrix[here], unit_rows(block), atol=1e-6):
            yield f"Vectors in the matrix differ from those stored, among passages {start + 1} to {start + len(block)}."
        start += len(block)
