"""Documents made ready before the write lock is taken: checked, cleaned, split into words.

Knows nothing about SQLite.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stores.errors import StoreError
from stores.links import words
from stores.records import Chunk, Document, Matrix, PreparedDocument


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
    return replace(chunk, text=clean(chunk.text), title=clean(chunk.title))


def clean(text: str) -> str:
    """The text with what UTF-8 cannot hold replaced."""
    return text.encode("utf-8", "replace").decode()
