"""Links inside a write transaction: which names there are, and which stored passages name them.

The rule that makes links independent of the order of ingestion: a passage's mentions are a function of its text and
of the set of names alone. When names come or go, exactly those passages are matched again that contain a new name
(found by `TokenScan`) or mention a lost one. One row is stored for each passage and name, so that a name borne by
many documents and found in many passages does not multiply; which of its bearers are linked is decided when links are
read.
"""

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from stores.link_rules import find_mentions, rank_of
from stores.links import NameSet, words
from stores.schema import Namespace
from stores.token_scan import TokenScan


class NameCache:
    """The committed names of one namespace, brought up to date before each use. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names = NameSet()
        self._generation = -1
        self._removed = 0
        self._last = 0

    def refresh(self, db: sqlite3.Connection, namespace: Namespace) -> NameSet:
        """Names as `db` sees them, or newer ones that another thread has seen already."""
        with self._lock:
            if self._generation < namespace.generation:
                if self._removed != namespace.names_removed:
                    self._names, self._last = NameSet(), 0
                query = "SELECT key, id FROM names WHERE namespace = ? AND id > ? ORDER BY id"
                for key, number in db.execute(query, (namespace.id, self._last)):
                    self._names.add(key, number)
                    self._last = number
                self._removed, self._generation = namespace.names_removed, namespace.generation
            return self._names


def refresh_scan(db: sqlite3.Connection, namespace: Namespace, scan: TokenScan) -> None:
    """Let `scan` hold the tokens of every passage of the namespace."""
    query = """SELECT t.chunk, t.hashes FROM chunks c JOIN tokens t ON t.chunk = c.row
               WHERE c.namespace = ? AND c.row > ? ORDER BY c.row"""
    scan.add(db.execute(query, (namespace.id, scan.last_row)))


def count_bearers(db: sqlite3.Connection, chunks: Iterable[int]) -> Counter[int]:
    """How many of these chunks bear each name: what the names lose when the chunks are deleted."""
    found = db.execute(
        "SELECT name, count(*) FROM bearers WHERE chunk IN (SELECT value FROM json_each(?)) GROUP BY name",
        (json.dumps(list(chunks)),),
    )
    return Counter(dict(found.fetchall()))


def add_bearers(db: sqlite3.Connection, namespace: Namespace, bearers: Sequence[tuple[str, int, int]]) -> None:
    """Record (name key, rank, chunk); makes names that do not exist yet."""
    gained = Counter(key for key, _, _ in bearers)
    db.executemany(
        """INSERT INTO names (namespace, key, bearers) VALUES (?, ?, ?)
           ON CONFLICT (namespace, key) DO UPDATE SET bearers = bearers + excluded.bearers""",
        [(namespace.id, key, count) for key, count in gained.items()],
    )
    numbers = name_numbers(db, namespace, gained)
    db.executemany("INSERT INTO bearers VALUES (?, ?, ?)", [(numbers[key], rank, row) for key, rank, row in bearers])


def name_numbers(db: sqlite3.Connection, namespace: Namespace, keys: Iterable[str]) -> dict[str, int]:
    """Number of each of these names."""
    found = db.execute(
        "SELECT key, id FROM names WHERE namespace = ? AND key IN (SELECT value FROM json_each(?))",
        (namespace.id, json.dumps(list(keys))),
    )
    return dict(found.fetchall())


def drop_lost_names(db: sqlite3.Connection, losses: Mapping[int, int]) -> dict[int, str]:
    """Subtract what each name lost; names without a bearer are deleted and returned."""
    db.executemany("UPDATE names SET bearers = bearers - ? WHERE id = ?", [(n, name) for name, n in losses.items()])
    numbers = json.dumps(list(losses))
    query = "FROM names WHERE id IN (SELECT value FROM json_each(?)) AND bearers = 0"
    lost = dict(db.execute(f"SELECT id, key {query}", (numbers,)).fetchall())
    db.execute(f"DELETE {query}", (numbers,))
    return lost


def relink(
    db: sqlite3.Connection,
    namespace: Namespace,
    base: NameSet,
    scan: TokenScan,
    added: Collection[str],
    lost: Mapping[int, str],
    fresh: Mapping[int, Sequence[str]],
) -> None:
    """Match the fresh passages, and those stored ones that the added and lost names concern.

    Args:
        db: in a write transaction in which passages and names already stand as they shall be.
        namespace: of them.
        base: names before the transaction.
        scan: tokens of the passages before the transaction.
        added: keys of names that are new.
        lost: number and key of names that are gone.
        fresh: words of each new passage, by row.
    """
    names = base.changed(added, lost.values())
    stale = {
        row
        for (row,) in db.execute(
            "SELECT chunk FROM mentions WHERE name IN (SELECT value FROM json_each(?))", (json.dumps(list(lost)),)
        )
    }
    stale |= scan.rows_with(list(added))
    texts = {**_words_of(db, stale), **fresh}
    _write_mentions(db, namespace, texts, names)


def _words_of(db: sqlite3.Connection, rows: Collection[int]) -> dict[int, list[str]]:
    query = "SELECT row, text FROM chunks WHERE row IN (SELECT value FROM json_each(?))"
    return {row: words(text) for row, text in db.execute(query, (json.dumps(sorted(rows)),))}


def _write_mentions(
    db: sqlite3.Connection, namespace: Namespace, texts: Mapping[int, Sequence[str]], names: NameSet
) -> None:
    rows = json.dumps(list(texts))
    found = find_mentions(texts, names)
    numbers = name_numbers(db, namespace, {key for _, key, _ in found})
    ranks = dict(
        db.execute("SELECT row, id FROM chunks WHERE row IN (SELECT value FROM json_each(?))", (rows,)).fetchall()
    )
    own = _own_bearers(db, rows)
    db.execute("DELETE FROM mentions WHERE chunk IN (SELECT value FROM json_each(?))", (rows,))
    db.executemany(
        "INSERT INTO mentions VALUES (?, ?, ?, ?, ?)",
        [(numbers[key], rank_of(ranks[row]), row, place, own.get((row, numbers[key]), 0)) for row, key, place in found],
    )


def _own_bearers(db: sqlite3.Connection, rows: str) -> dict[tuple[int, int], int]:
    """For passage and name: how many passages of the same document bear it. They are no link."""
    of_document: dict[int, list[tuple[int, int]]] = {}
    query = """SELECT c.document, b.name, count(*) FROM chunks c JOIN bearers b ON b.chunk = c.row
               WHERE c.document IN (SELECT document FROM chunks WHERE row IN (SELECT value FROM json_each(?)))
               GROUP BY c.document, b.name"""
    for document, name, count in db.execute(query, (rows,)):
        of_document.setdefault(document, []).append((name, count))
    found = db.execute("SELECT row, document FROM chunks WHERE row IN (SELECT value FROM json_each(?))", (rows,))
    return {(row, name): count for row, document in found for name, count in of_document.get(document, ())}
