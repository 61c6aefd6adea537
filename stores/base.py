"""PassageStore: what every store must do. One contract suite (`tests/contract/`) holds each of them to it.

A store knows nothing about models: vectors come in with the passages and with the query. Every call takes a namespace,
and nothing crosses it. All methods are coroutines that never block the event loop.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, Self

from stores.records import (
    DocumentInfo,
    IngestSpec,
    NamespaceInfo,
    Passage,
    PassageLinks,
    PreparedDocument,
    UpsertCounts,
    Vector,
)


class PassageStore(Protocol):
    """Documents, their passages, vectors and links.

    Every method raises `StoreError` (or a subclass) for what the user can act on. Reading methods raise
    `NamespaceNotFound` when the namespace does not exist, unless said otherwise.
    """

    address: str
    """Where it is, as the user would write it; holds no secret."""

    async def __aenter__(self) -> Self:
        """Open; catches up derived parts with the truth."""
        ...

    async def __aexit__(self, *exc: object) -> None: ...

    async def namespaces(self) -> list[NamespaceInfo]:
        """All namespaces, by name."""
        ...

    async def info(self, namespace: str) -> NamespaceInfo | None:
        """The namespace, or None when it does not exist."""
        ...

    async def create(self, namespace: str, spec: IngestSpec) -> NamespaceInfo:
        """Create it, or check an existing one against `spec`.

        Raises:
            EmbedderMismatch: it was made with another embedder; the message names `lookahead reembed`.
        """
        ...

    async def content_hashes(self, namespace: str, keys: Sequence[str]) -> dict[str, str]:
        """Content hash of each stored document among `keys`; empty for an unknown namespace."""
        ...

    async def upsert(self, namespace: str, documents: Sequence[PreparedDocument]) -> UpsertCounts:
        """Add or replace documents by key in one transaction: all or nothing, durable on return."""
        ...

    async def delete(self, namespace: str, keys: Sequence[str]) -> int:
        """Delete documents by key; returns how many there were."""
        ...

    async def clear(self, namespace: str) -> int:
        """Delete the namespace with all it holds; returns the number of documents (0 when it did not exist)."""
        ...

    async def documents(self, namespace: str, *, offset: int = 0, limit: int = 100) -> list[DocumentInfo]:
        """Stored documents, ordered by key."""
        ...

    async def document(self, namespace: str, key: str) -> tuple[DocumentInfo, list[Passage]] | None:
        """One document with its passages in order, or None."""
        ...

    async def passages(self, namespace: str, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in the order asked; unknown ids are left out."""
        ...

    async def vectors(self, namespace: str, ids: Sequence[str]) -> dict[str, Vector]:
        """Vector of each known id."""
        ...

    async def search_text(self, namespace: str, query: str, limit: int) -> list[tuple[str, float]]:
        """BM25 over title and text: (passage id, score) best first. Any string is a query; it is never parsed."""
        ...

    async def search_texts(self, namespace: str, queries: Sequence[str], limit: int) -> list[list[tuple[str, float]]]:
        """What `search_text` finds for each of these, in their order; asked together, where that saves time."""
        ...

    async def search_vector(self, namespace: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """Exact cosine neighbours: (passage id, cosine) best first."""
        ...

    async def named_in(self, namespace: str, text: str, limit: int = 50) -> list[tuple[str, str]]:
        """First passages of documents whose title or entity name stands in `text`.

        Returns (passage id, the name as it stands in the text), longest name first.
        """
        ...

    async def links(self, namespace: str, ids: Sequence[str]) -> dict[str, PassageLinks]:
        """Outgoing and incoming links of each known id."""
        ...

    async def names(self, namespace: str, ids: Sequence[str]) -> dict[str, list[str]]:
        """Keys (`stores.links.name_key`) of the names that each known id bears, sorted; what its `Chunk.names` came to.

        They are not to be had from the text alone: a copy whose links are to be equal needs them.
        """
        ...

    async def replace_vectors(self, namespace: str, spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
        """Swap every vector of the namespace for those of another embedder, in one transaction (`lookahead reembed`).

        Raises:
            StoreError: an id is missing or unknown, or a dimension is wrong; nothing is changed.
        """
        ...

    async def passage_ids(self, namespace: str) -> list[str]:
        """Every passage id, in a stable order."""
        ...

    async def verify(self, namespace: str) -> list[str]:
        """One sentence for each thing lost, doubled or out of step between truth and derived parts; none when sound."""
        ...
