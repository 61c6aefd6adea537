"""Records that travel between the store, the tools and the state.

What enters the graph's state is a plain dict (TypedDict): dataclasses and tuples do not survive a checkpoint. What
lives only between a loader and the store is a frozen dataclass.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NotRequired

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

Vector = NDArray[np.float32]
"""One embedding, shape (dimension,)."""
Matrix = NDArray[np.float32]
"""Embeddings, shape (n, dimension)."""


class Passage(TypedDict):
    """A piece of a document, as it is retrieved, read and cited."""

    id: str
    """Chunk id: a hash of namespace, document key, text and its number among equal texts of the document."""
    document_id: str
    """Key of the document."""
    title: str
    text: str
    metadata: dict[str, Any]
    """Of the document; JSON values only."""


class Hit(Passage):
    """A passage found by a query, with what was measured on the way (missing measures are 0)."""

    score: float
    """The value the hits are ordered by, higher is better; its scale depends on the ranking."""
    bm25: float
    cosine: float
    rrf: float
    title_match: float
    """Share (0 to 1) of the title's words that stand in the query, as one phrase: 1 = the title is named."""
    linked_from: list[str]
    """Ids of other hits whose text names this passage's title or entity."""
    mentions: list[str]
    """Titles of stored passages that this passage's text names (at most 20)."""
    why: NotRequired[dict[str, float]]
    """The features that spoke loudest for or against it, with what each adds to its log-odds (learned ranking only)."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a loader yields. `key` identifies it in its namespace; a title is no key."""

    key: str
    title: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    """Path or address it was read from."""

    @property
    def content_hash(self) -> str:
        """Hash of title, text and metadata: decides unchanged or updated."""
        content = json.dumps([self.title, self.text, self.metadata], sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class StoredDocument(Document):
    """A document on its way from one store to another: a store keeps its passages and its hash, not its whole text."""

    stored_hash: str = ""

    @property
    def content_hash(self) -> str:
        """That of the document it was made from, so that ingesting that one again finds it unchanged."""
        return self.stored_hash


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, before it is stored."""

    id: str
    document_key: str
    position: int
    """Its number in the document, from 0."""
    title: str
    text: str
    names: tuple[str, ...] = ()
    """Entity names it is about (title, title without parenthesis, also-known-as names, aliases): link targets."""


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with its chunks and their vectors (row i belongs to chunk i): what a store takes."""

    document: Document
    chunks: Sequence[Chunk]
    vectors: Matrix


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """What must agree between the vectors of a namespace and those of a query."""

    name: str
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""
    normalized: bool = True


@dataclass(frozen=True, slots=True)
class IngestSpec:
    """How a namespace was made; recorded with it."""

    embedder: EmbedderSpec
    chunk_size: int = 800
    chunk_overlap: int = 100


def spec_to_json(spec: IngestSpec) -> str:
    """As a store keeps it."""
    return json.dumps(asdict(spec), sort_keys=True)


def spec_from_json(text: str) -> IngestSpec:
    """The inverse of `spec_to_json`."""
    data = json.loads(text)
    return IngestSpec(EmbedderSpec(**data.pop("embedder")), **data)


@dataclass(frozen=True, slots=True)
class NamespaceInfo:
    """What a namespace holds."""

    name: str
    spec: IngestSpec
    documents: int
    passages: int
    links: int
    generation: int
    """Grows with every commit; readers compare it before each search."""


@dataclass(frozen=True, slots=True)
class UpsertCounts:
    """What one upsert did, in documents."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0


class DocumentInfo(TypedDict):
    """A stored document, without its text."""

    id: str
    title: str
    source: str
    metadata: dict[str, Any]
    content_hash: str
    passages: int


class PassageLinks(TypedDict):
    """Links of one passage: A links to B when A's text names B's title or entity."""

    outgoing: list[str]
    """Ids of passages it names."""
    incoming: list[str]
    """Ids of passages that name it."""
