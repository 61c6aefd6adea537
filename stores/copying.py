"""Copies a namespace from one store to another: documents, passages, vectors and links; nothing is embedded again.

Works over `PassageStore` alone, whatever the two stores are. What the target holds already, by content hash, is passed
over, so that a copy which was killed goes on where it stopped. Ids of passages are made from the namespace's name, so
the copy bears the same one. Memory is bounded by a batch, or by the document with the most passages.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from stores.base import PassageStore
from stores.links import MAX_NAME_TOKENS, fold, name_key, words
from stores.records import Chunk, DocumentInfo, NamespaceInfo, Passage, PreparedDocument, StoredDocument, Vector

BATCH = 1000
"""Passages written in one transaction, if no single document has more; documents compared with the target at once."""
AT_ONCE = 8
"""Documents read at the same time."""


@dataclass(slots=True)
class Progress:
    """What became of a namespace's documents so far; passages where it is said."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    missed: int = 0
    """Changed or deleted in the source while they were being read."""
    passages: int = 0
    """Passages written, or to be written."""
    passed: int = 0
    """Passages of the source that are dealt with, written or not."""


Report = Callable[[Progress], None]


@dataclass(slots=True)
class _Batch:
    """Documents that the target lacks or has in another version."""

    documents: list[DocumentInfo] = field(default_factory=list)
    updates: int = 0
    passages: int = 0


async def count(
    source: PassageStore, target: PassageStore, namespace: str, report: Report, size: int = BATCH
) -> Progress:
    """What `copy` would do. Writes nothing."""
    done = Progress()
    async for batch in _batches(source, target, namespace, done, report, size):
        done.updated += batch.updates
        done.added += len(batch.documents) - batch.updates
        done.passages += batch.passages
        done.passed += batch.passages
        report(done)
    return done


async def copy(
    source: PassageStore, target: PassageStore, info: NamespaceInfo, report: Report, size: int = BATCH
) -> Progress:
    """Copy what the target lacks, batch by batch, each in one transaction and durable before the next is read.

    Args:
        source: is only read.
        target: gets the namespace, made if need be as the source's was; a document of the same key is replaced.
        info: the namespace, as the source describes it.
        report: told after each step; it is given the same object every time.
        size: most passages of a batch, unless a single document has more, and most documents.

    Raises:
        EmbedderMismatch: the target's namespace was made with another embedder.
        StoreError: a store cannot go on; what was copied before is kept.
    """
    await target.create(info.name, info.spec)
    done = Progress()
    async for batch in _batches(source, target, info.name, done, report, size):
        prepared = await _read(source, info, batch.documents)
        counts = await target.upsert(info.name, prepared)
        done.added += counts.added
        done.updated += counts.updated
        done.unchanged += counts.unchanged
        done.missed += len(batch.documents) - len(prepared)
        done.passages += sum(len(document.chunks) for document in prepared)
        done.passed += batch.passages
        report(done)
    return done


async def _batches(
    source: PassageStore, target: PassageStore, namespace: str, done: Progress, report: Report, size: int
) -> AsyncIterator[_Batch]:
    """What must be written; what need not be is counted in `done`."""
    batch, offset = _Batch(), 0
    while page := await source.documents(namespace, offset=offset, limit=size):
        offset += len(page)
        stored = await target.content_hashes(namespace, [document["id"] for document in page])
        for document in page:
            if stored.get(document["id"]) == document["content_hash"]:
                done.unchanged += 1
                done.passed += document["passages"]
                continue
            if batch.documents and (batch.passages + document["passages"] > size or len(batch.documents) == size):
                yield batch
                batch = _Batch()
            batch.documents.append(document)
            batch.updates += document["id"] in stored
            batch.passages += document["passages"]
        report(done)
    if batch.documents:
        yield batch


async def _read(source: PassageStore, info: NamespaceInfo, wanted: Sequence[DocumentInfo]) -> list[PreparedDocument]:
    """The documents whole; one that was changed or deleted meanwhile is left out."""
    found: list[tuple[DocumentInfo, list[Passage]] | None] = []
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        found += await asyncio.gather(*(source.document(info.name, document["id"]) for document in some))
    there = [each for each in found if each is not None]
    ids = [passage["id"] for _, passages in there for passage in passages]
    vectors, names = await source.vectors(info.name, ids), await source.names(info.name, ids)
    dimension = info.spec.embedder.dimension
    whole = {id_ for id_ in ids if id_ in names and len(vectors.get(id_, ())) == dimension}
    return [
        _prepared(document, passages, vectors, names, dimension)
        for document, passages in there
        if all(passage["id"] in whole for passage in passages)
    ]


def _prepared(
    document: DocumentInfo,
    passages: Sequence[Passage],
    vectors: Mapping[str, Vector],
    names: Mapping[str, Sequence[str]],
    dimension: int,
) -> PreparedDocument:
    key, metadata = document["id"], document["metadata"]
    aliases = metadata.get("aliases", ())
    spellings = [document["title"], *(aliases if isinstance(aliases, list | dict) else [aliases])]
    spellings += [passage["text"] for passage in passages[:1]]
    chunks = [
        Chunk(it["id"], key, n, it["title"], it["text"], tuple(_spelled(name, spellings) for name in names[it["id"]]))
        for n, it in enumerate(passages)
    ]
    rows = np.zeros((len(chunks), dimension), dtype=np.float32)
    for row, chunk in zip(rows, chunks, strict=True):
        row[:] = vectors[chunk.id]
    copied = StoredDocument(key, document["title"], "", metadata, document["source"], document["content_hash"])
    return PreparedDocument(copied, chunks, rows)


def _spelled(key: str, texts: Sequence[object]) -> str:
    """A name that has this key. Most keys are such a name themselves; others stand in the texts that names are from.

    >>> name_key("9½ Weeks"), name_key("91⁄2 weeks"), _spelled("91⁄2 weeks", ["9½ Weeks (film)"])
    ('91⁄2 weeks', '91 2 weeks', '9½ Weeks')
    """
    if name_key(key) == key:
        return key
    for text in texts:
        tokens = words(str(text))
        keys = list(map(fold, tokens))
        for start in range(len(keys)):
            for end in range(start + 1, min(start + MAX_NAME_TOKENS, len(keys)) + 1):
                if " ".join(keys[start:end]) == key:
                    return " ".join(tokens[start:end])
    return key
