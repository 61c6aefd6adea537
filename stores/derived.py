"""Keeps the derived parts of a namespace (text index, vector matrix) in step with the truth in SQLite.

A namespace has a folder `index/<number>/`. Its `manifest.json`, replaced in one move, names the files that belong
together and the generation that they reflect; anything else in the folder is left over from an interruption and is
overwritten or removed. Before each search the manifest's generation is compared with the truth's, and whoever finds
it behind catches up, under a lock of the folder: by the rows added and removed since, or, if the parts are unsound or
have gathered too many removed rows, from scratch. Removed rows distort BM25 until then, hence the low limit.
"""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from stores.records import Matrix
from stores.schema import Namespace, need_namespace
from stores.text_index import TextIndex, commit_number, write_text
from stores.vector_index import Rows, VectorIndex, append_vectors, write_rows

_FORMAT = 1
_MAX_DEAD_SHARE = 0.02
_BLOCK = 1000
_MANY = 2000


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the files in a namespace's folder hold."""

    format: int = _FORMAT
    epoch: int = 0
    """Number of the last rebuild: part of the files' names."""
    generation: int = -1
    deletions: int = 0
    vector_epoch: int = 0
    last_row: int = 0
    count: int = 0
    """Rows in the matrix, with removed ones."""
    dead: int = 0
    commit: int = 0
    """Of the text index."""

    def text(self, folder: Path) -> Path:
        return folder / f"text-{self.epoch}"

    def vectors(self, folder: Path) -> Path:
        return folder / f"vectors-{self.epoch}.f32"

    def rows(self, folder: Path) -> Path:
        return folder / f"rows-{self.epoch}-{self.generation}.npy"


@dataclass(frozen=True, slots=True)
class Parts:
    """The derived parts of a namespace at one generation; never changes."""

    generation: int
    text: TextIndex
    vectors: VectorIndex


class DerivedParts:
    """The parts of every namespace of a store, as last seen by this process. Safe to use from any thread."""

    def __init__(self, folder: Path, busy_seconds: float) -> None:
        self._folder = folder
        self._busy_seconds = busy_seconds
        self._seen: dict[int, Parts] = {}
        self._lock = threading.Lock()

    def current(self, db: sqlite3.Connection, namespace: Namespace) -> Parts:
        """Parts at the namespace's generation or later. `db` must not be in a transaction."""
        seen = self._seen.get(namespace.id)
        if seen is not None and seen.generation >= namespace.generation:
            return seen
        with self._lock:
            seen = self._seen.get(namespace.id)
            if seen is None or seen.generation < namespace.generation:
                seen = self._seen[namespace.id] = self._catch_up(db, namespace)
        return seen

    def lag(self, namespace: Namespace) -> int:
        """Rows that a catch-up would add, roughly: passages that the manifest does not count."""
        manifest = _read_manifest(self._folder / str(namespace.id))
        return namespace.passages - (manifest.count - manifest.dead if manifest else 0)

    def forget(self, namespace_id: int) -> None:
        """Remove what belongs to a namespace that is gone."""
        with self._lock:
            self._seen.pop(namespace_id, None)
            shutil.rmtree(self._folder / str(namespace_id), ignore_errors=True)

    def forget_all_but(self, namespace_ids: Collection[int], newest: int) -> None:
        """Remove folders of namespaces that a killed process had cleared; not those made after `newest`, just now."""
        for folder in self._folder.glob("*/"):
            if folder.name.isdigit() and int(folder.name) <= newest and int(folder.name) not in namespace_ids:
                self.forget(int(folder.name))

    def _catch_up(self, db: sqlite3.Connection, namespace: Namespace) -> Parts:
        folder = self._folder / str(namespace.id)
        manifest = _read_manifest(folder)
        if manifest is None or manifest.generation < namespace.generation or not _sound(folder, manifest):
            folder.mkdir(parents=True, exist_ok=True)
        with _folder_lock(folder, self._busy_seconds), _snapshot(db):
            namespace = need_namespace(db, namespace.name)
            manifest = _read_manifest(folder)
            if manifest is None or not _sound(folder, manifest) or manifest.vector_epoch != namespace.vector_epoch:
                manifest = _rebuild(db, namespace, folder, manifest)
            elif manifest.generation < namespace.generation:
                manifest = _extend(db, namespace, folder, manifest)
            return Parts(
                manifest.generation,
                TextIndex(manifest.text(folder)),
                VectorIndex(manifest.vectors(folder), manifest.rows(folder), namespace.spec.embedder.dimension),
            )


@contextmanager
def _snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """All reads inside see one state of the truth."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("COMMIT")


@contextmanager
def _folder_lock(folder: Path, busy_seconds: float) -> Iterator[None]:
    """One process at a time. SQLite's own lock is used because it works on every system and ends with the process."""
    lock = sqlite3.connect(folder / "lock", timeout=busy_seconds, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()


def _read_manifest(folder: Path) -> Manifest | None:
    try:
        manifest = Manifest(**json.loads((folder / "manifest.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return manifest if manifest.format == _FORMAT else None


def _sound(folder: Path, manifest: Manifest) -> bool:
    """Whether the files are those that the manifest was written for."""
    return commit_number(manifest.text(folder)) == manifest.commit and (
        manifest.rows(folder).exists() and manifest.vectors(folder).exists()
    )


def _rebuild(db: sqlite3.Connection, namespace: Namespace, folder: Path, old: Manifest | None) -> Manifest:
    """Everything anew, under names that no file has."""
    taken = [int(path.name.split("-")[1]) for path in folder.glob("text-*")]
    epoch = 1 + max([old.epoch if old else 0, *taken])
    return _extend(db, namespace, folder, Manifest(epoch=epoch, vector_epoch=namespace.vector_epoch))


def _extend(db: sqlite3.Connection, namespace: Namespace, folder: Path, old: Manifest) -> Manifest:
    """Bring the files from `old` to the namespace's generation."""
    kept, gone = _kept_rows(db, namespace, folder, old)
    fresh = _numbers(db, "SELECT row FROM chunks WHERE namespace = ? AND row > ?", namespace.id, old.last_row)
    rows: Rows = np.concatenate([kept, fresh])
    dead = int((rows == 0).sum())
    if dead > _MAX_DEAD_SHARE * len(rows):
        return _rebuild(db, namespace, folder, old)
    new = replace(
        old,
        generation=namespace.generation,
        deletions=namespace.deletions,
        last_row=int(fresh[-1]) if len(fresh) else old.last_row,
        count=len(rows),
        dead=dead,
    )
    append_vectors(
        new.vectors(folder), old.count, namespace.spec.embedder.dimension, read_vectors(db, namespace, fresh)
    )
    write_rows(new.rows(folder), rows)
    if len(fresh) or len(gone) or not old.commit:
        try:
            commit = write_text(new.text(folder), _texts(db, fresh), gone.tolist(), many=len(fresh) > _MANY)
        except ValueError:
            if not old.commit:
                raise
            # tantivy never overwrites a file: what a commit that was killed left behind bars the way.
            return _rebuild(db, namespace, folder, old)
        new = replace(new, commit=commit)
    _publish(folder, new)
    return new


def _kept_rows(db: sqlite3.Connection, namespace: Namespace, folder: Path, old: Manifest) -> tuple[Rows, Rows]:
    """Rows of the old matrix with 0 for those that are gone now, and the rows that went."""
    if not old.count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    kept: Rows = np.load(old.rows(folder))
    if old.deletions == namespace.deletions:
        return kept, np.zeros(0, np.int64)
    alive = _numbers(db, "SELECT row FROM chunks WHERE namespace = ? AND row <= ?", namespace.id, old.last_row)
    lost = ~np.isin(kept, alive) & (kept != 0)
    return np.where(lost, 0, kept), kept[lost]


def _numbers(db: sqlite3.Connection, query: str, *given: int) -> Rows:
    return np.fromiter((row for (row,) in db.execute(f"{query} ORDER BY row", given)), dtype=np.int64)


def read_vectors(db: sqlite3.Connection, namespace: Namespace, rows: Rows) -> Iterator[Matrix]:
    """Vectors of these rows from the truth, in blocks, in order."""
    for block in _blocks(rows):
        found = db.execute(
            "SELECT vector FROM vectors WHERE chunk IN (SELECT value FROM json_each(?)) ORDER BY chunk", (block,)
        )
        blob = b"".join(vector for (vector,) in found)
        yield np.frombuffer(blob, dtype="<f4").reshape(-1, namespace.spec.embedder.dimension)


def _texts(db: sqlite3.Connection, rows: Rows) -> Iterator[tuple[int, str, str]]:
    for block in _blocks(rows):
        yield from db.execute(
            "SELECT row, title, text FROM chunks WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row", (block,)
        )


def _blocks(rows: Rows) -> Iterator[str]:
    for start in range(0, len(rows), _BLOCK):
        yield json.dumps(rows[start : start + _BLOCK].tolist())


def _publish(folder: Path, manifest: Manifest) -> None:
    """Make the manifest the valid one in one move, then remove what no manifest names any more."""
    draft = folder / "manifest.json.new"
    with draft.open("w") as out:
        json.dump(asdict(manifest), out)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(folder / "manifest.json")
    valid = {manifest.text(folder), manifest.vectors(folder), manifest.rows(folder)}
    for path in folder.iterdir():
        if path.name.startswith(("text-", "vectors-", "rows-")) and path not in valid:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
