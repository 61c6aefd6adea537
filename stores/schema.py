"""The embedded store's SQLite schema, and how a connection to it is opened.

Knows nothing about what is written or searched: only tables, version and connection settings.
"""

import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from stores.checks import namespace_not_found
from stores.errors import StoreError, StoreVersionError
from stores.records import IngestSpec, spec_from_json

SCHEMA_VERSION = 1
APPLICATION_ID = 0x4C414845
"""Marks the file as ours ("LAHE")."""

DDL = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES ('generation', 0);
CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL,
    generation INTEGER NOT NULL,
    deletions INTEGER NOT NULL DEFAULT 0,      -- chunks ever deleted: when equal, only newer rows need catching up
    names_removed INTEGER NOT NULL DEFAULT 0,  -- the same for names
    vector_epoch INTEGER NOT NULL DEFAULT 0,   -- grows when every vector is replaced
    documents INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    key TEXT NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    metadata TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    passages INTEGER NOT NULL,
    UNIQUE (namespace, key)
);
-- AUTOINCREMENT: a row number is never used twice, so that derived parts can tell old from new by number alone.
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    document INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (namespace, id)
);
CREATE INDEX chunks_of_document ON chunks (document, position);
CREATE INDEX chunks_of_namespace ON chunks (namespace);
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE tokens (chunk INTEGER PRIMARY KEY, hashes BLOB NOT NULL);
CREATE TABLE names (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace INTEGER NOT NULL,
    key TEXT NOT NULL,
    bearers INTEGER NOT NULL,
    UNIQUE (namespace, key)
);
-- rank is a hash of the chunk's id: reading by rank is cheap, and the same whatever the order of ingestion.
CREATE TABLE bearers (
    name INTEGER NOT NULL, rank INTEGER NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (name, rank, chunk)
) WITHOUT ROWID;
CREATE INDEX bearers_of_chunk ON bearers (chunk);
CREATE TABLE mentions (
    name INTEGER NOT NULL, rank INTEGER NOT NULL, chunk INTEGER NOT NULL, place INTEGER NOT NULL, own INTEGER NOT NULL,
    PRIMARY KEY (name, rank, chunk)
) WITHOUT ROWID;
CREATE INDEX mentions_of_chunk ON mentions (chunk, place, name);
"""


@dataclass(frozen=True, slots=True)
class Namespace:
    """One row of `namespaces`."""

    id: int
    name: str
    spec: IngestSpec
    generation: int
    deletions: int
    names_removed: int
    vector_epoch: int
    documents: int
    passages: int


def connect(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Open an existing or new file and bring it to the current schema; one thread at a time may use it.

    Raises:
        StoreVersionError: a newer version of this program wrote the file.
        StoreError: the file is something else.
    """
    db = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    try:
        _use_wal(db, busy_seconds)
        db.execute("PRAGMA synchronous=FULL")
        db.execute("PRAGMA cache_size=-32000")
        if _version(db, path) == 0:
            _create_tables(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _use_wal(db: sqlite3.Connection, busy_seconds: float) -> None:
    """Change to WAL, again while another process is doing so: SQLite's own timeout does not cover that."""
    until = time.monotonic() + busy_seconds
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _version(db: sqlite3.Connection, path: Path) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    ours = db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    if version > SCHEMA_VERSION and ours:
        raise StoreVersionError(
            f"Opening the store: {str(path)!r} was written by a newer version (schema {version}, this program knows "
            f"{SCHEMA_VERSION}). Upgrade lookahead-rag, or choose another folder with --store."
        )
    if not ours and (version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]):
        raise StoreError(
            f"Opening the store: {str(path)!r} belongs to another program. Choose another folder with --store."
        )
    return version


def _create_tables(db: sqlite3.Connection, path: Path) -> None:
    """All tables in one transaction; another process may have been faster."""
    db.execute("BEGIN IMMEDIATE")
    try:
        if _version(db, path) == 0:
            for statement in DDL.split(";\n"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


COLUMNS = "id, name, spec, generation, deletions, names_removed, vector_epoch, documents, passages"


def read_namespaces(db: sqlite3.Connection) -> list[Namespace]:
    """All namespaces, by name."""
    return [_namespace(row) for row in db.execute(f"SELECT {COLUMNS} FROM namespaces ORDER BY name")]


def last_namespace(db: sqlite3.Connection) -> int:
    """The highest number that a namespace ever had."""
    number: int = db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'namespaces'").fetchone()[
        0
    ]
    return number


def find_namespace(db: sqlite3.Connection, name: str) -> Namespace | None:
    """The namespace of this name, or None."""
    row = db.execute(f"SELECT {COLUMNS} FROM namespaces WHERE name = ?", (name,)).fetchone()
    return _namespace(row) if row else None


def need_namespace(db: sqlite3.Connection, name: str) -> Namespace:
    """The namespace of this name.

    Raises:
        NamespaceNotFound: there is none.
    """
    found = find_namespace(db, name)
    if found is None:
        raise namespace_not_found(name)
    return found


def _namespace(row: tuple[int, str, str, int, int, int, int, int, int]) -> Namespace:
    return Namespace(row[0], row[1], spec_from_json(row[2]), *row[3:])
