"""A vector as Neo4j holds it, and back. Knows nothing about statements or servers."""

from typing import NamedTuple

import numpy as np

from stores.records import Vector


class Stored(NamedTuple):
    """Both properties of a passage."""

    floats: list[float] | None
    """For the index, which takes no vector without a direction: none for zeros."""
    exact: bytes
    """float32, little-endian: for whoever reads the vector."""


def vector_values(vector: Vector) -> Stored:
    """Both forms of a vector."""
    exact = np.asarray(vector, dtype="<f4")
    return Stored(exact.tolist() if exact.any() else None, exact.tobytes())


def vector_of(exact: bytes) -> Vector:
    """The inverse."""
    return np.frombuffer(exact, dtype="<f4")


def cosine_of(score: float) -> float:
    """Cosine of a score of Neo4j, which is (1 + cosine) / 2, to six places."""
    return round(2 * score - 1, 6)
