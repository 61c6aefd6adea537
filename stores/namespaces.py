"""Namespaces of the embedded store: created, given other vectors, cleared; SQL in a transaction begun by the caller.

Knows nothing about threads, files or derived parts.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from stores.checks import check_embedder, check_replacement
from stores.records import IngestSpec, Vector, spec_to_json
from stores.schema import Namespace, find_namespace, need_namespace


def create(db: sqlite3.Connection, name: str, spec: IngestSpec) -> Namespace:
    """Create a namespace or check an existing one. Its recorded chunk size and overlap hold, whatever `spec` says."""
    found = find_namespace(db, name)
    if found is None:
        db.execute("INSERT INTO namespaces (name, spec, generation) VALUES (?, ?, 0)", (name, spec_to_json(spec)))
        found = need_namespace(db, name)
        next_generation(db, found)
    else:
        check_embedder(name, found.spec, spec)
    return need_namespace(db, name)


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
    check_replacement(namespace.name, rows, spec, vectors)
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


def next_generation(db: sqlite3.Connection, namespace: Namespace) -> None:
    """Every commit gives its namespace a number that no namespace ever had."""
    db.execute("UPDATE counters SET value = value + 1 WHERE name = 'generation'")
    db.execute(
        "UPDATE namespaces SET generation = (SELECT value FROM counters WHERE name = 'generation') WHERE id = ?",
        (namespace.id,),
    )
