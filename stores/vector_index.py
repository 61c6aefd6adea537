"""Exact cosine search over the vectors of one namespace: a matrix of unit rows in a file that only grows.

The file is mapped into memory, so that processes share it. Beside it lies, for each state, a small file of row
numbers; 0 marks a row that is gone. Knows nothing about SQLite, generations or passage ids.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stores.records import Matrix, Vector

Rows = NDArray[np.int64]


def unit_rows(matrix: Matrix) -> Matrix:
    """Each row divided by its length; a row of zeros stays."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def append_vectors(file: Path, count: int, dimension: int, blocks: Iterable[Matrix]) -> None:
    """Write unit rows behind the first `count` ones; whatever stood there (an interrupted append) is overwritten."""
    with file.open("r+b" if count else "wb") as out:
        out.truncate(count * dimension * 4)
        out.seek(count * dimension * 4)
        for block in blocks:
            out.write(unit_rows(block).astype("<f4", copy=False).tobytes())
        out.flush()
        os.fsync(out.fileno())


def write_rows(file: Path, rows: Rows) -> None:
    """Write the row numbers of a state."""
    with file.open("wb") as out:
        np.save(out, rows)
        out.flush()
        os.fsync(out.fileno())


class VectorIndex:
    """A state of the matrix; later appends do not change it. Any number of threads may search at once."""

    def __init__(self, vectors: Path, rows: Path, dimension: int) -> None:
        self.rows: Rows = np.load(rows)
        self._dead = np.flatnonzero(self.rows == 0)
        shape = (len(self.rows), dimension)
        self.matrix: Matrix = (
            np.memmap(vectors, dtype="<f4", mode="r", shape=shape) if len(self.rows) else np.zeros(shape, np.float32)
        )

    def search(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """(row, cosine) of the best `limit` rows and of those that tie with the last one, best first."""
        alive = len(self.rows) - len(self._dead)
        count = min(limit, alive)
        if count < 1:
            return []
        query = unit_rows(vector[None, :])[0]
        cosines = np.asarray(self.matrix @ query)
        cosines[self._dead] = -2
        lowest = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        places = np.flatnonzero(cosines >= lowest - 1e-6)
        # Computed again in double precision: the product above differs in the last bit with the place in the matrix.
        exact = np.round(np.asarray(self.matrix[places], dtype=np.float64) @ query.astype(np.float64), 6)
        order = np.argsort(-exact, kind="stable")
        return [(int(self.rows[places[n]]), float(exact[n])) for n in order if self.rows[places[n]]]
