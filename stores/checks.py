"""What every store refuses, with the sentence that says so. Knows nothing about how anything is kept."""

from collections.abc import Iterable, Mapping

import numpy as np

from stores.errors import EmbedderMismatch, NamespaceNotFound, StoreError
from stores.ready import ReadyDocument
from stores.records import IngestSpec, Vector


def namespace_not_found(name: str) -> NamespaceNotFound:
    """The error with its remedy."""
    return NamespaceNotFound(
        f"Reading the store: there is no namespace {name!r}. Run `lookahead ingest PATH --namespace {name}` first."
    )


def check_embedder(name: str, stored: IngestSpec, wanted: IngestSpec) -> None:
    """Vectors of two embedders do not go together.

    Raises:
        EmbedderMismatch: the namespace was made with another one than is wanted.
    """
    if stored.embedder != wanted.embedder:
        raise EmbedderMismatch(
            f"Storing: namespace {name!r} was embedded by {_describe(stored)}, not by {_describe(wanted)}. "
            f"Use the first, or run `lookahead reembed --namespace {name} --embedder {wanted.embedder.name}`."
        )


def _describe(spec: IngestSpec) -> str:
    it = spec.embedder
    prefixes = "".join(
        f", {kind} prefix {prefix!r}"
        for kind, prefix in (("query", it.query_prefix), ("passage", it.passage_prefix))
        if prefix
    )
    return f"{it.name!r} (dimension {it.dimension}{prefixes}{'' if it.normalized else ', not normalised'})"


def check_dimension(name: str, spec: IngestSpec, ready: Iterable[ReadyDocument]) -> None:
    """Documents to be stored must have vectors of the namespace's dimension.

    Raises:
        StoreError: one has another.
    """
    expected = spec.embedder.dimension
    for item in ready:
        if len(item.chunks) and item.vectors.shape[1] != expected:
            raise StoreError(
                f"Storing {item.document.key!r}: its vectors have dimension {item.vectors.shape[1]}, namespace "
                f"{name!r} has {expected} ({spec.embedder.name!r}). Embed with that model."
            )


def checked_query(name: str, spec: IngestSpec, vector: Vector) -> Vector:
    """The query's vector as float32.

    Raises:
        StoreError: it is not finite, or not of the namespace's dimension.
    """
    expected = spec.embedder.dimension
    query = np.asarray(vector, dtype=np.float32)
    if query.shape != (expected,) or not np.isfinite(query).all():
        raise StoreError(
            f"Searching {name!r}: the query's vector has shape {query.shape} or is not finite, expected "
            f"({expected},). Embed the query with {spec.embedder.name!r}."
        )
    return query


def check_replacement(name: str, ids: Iterable[str], spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
    """New vectors must be there for each of the namespace's passages, and for no other.

    Raises:
        StoreError: an id is missing or unknown, or a vector is not finite or of another dimension than `spec` says.
    """
    different = sorted(set(ids) ^ vectors.keys())
    if different:
        raise StoreError(
            f"Re-embedding {name!r}: the passages stored and the vectors given differ in {len(different)} "
            f"ids, {different[0]!r} for one. Nothing was changed; read the passage ids again and repeat."
        )
    expected = (spec.embedder.dimension,)
    for id_, vector in vectors.items():
        if vector.shape != expected or not np.isfinite(vector).all():
            raise StoreError(
                f"Re-embedding {name!r}: the vector of {id_!r} has shape {vector.shape} or is not finite, "
                f"expected {expected}. Nothing was changed."
            )
