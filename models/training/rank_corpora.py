"""Question sets and the pools that a ranker is trained against: files → questions that may be trained on, namespaces.

A pool is all paragraphs of one or several sets, in a namespace of its own named after its content; a pool that is
there already is not made again, and vectors come from the user's cache. Knows nothing of features and trees.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from evaluation.datasets.loading import load_dataset, question_key
from evaluation.datasets.pooling import gold_documents, pooled_passages
from evaluation.datasets.records import Question
from models.embedder import Embedder
from stores.base import PassageStore
from stores.chunking import chunk_document
from stores.records import Document, IngestSpec, PreparedDocument
from tools.passage_text import passage_text

WHOLE = 20_000
"""Characters of a passage: no paragraph is cut, as in the benchmark."""
BATCH = 512


def read_training(path: Path, forbidden: set[str]) -> tuple[list[Question], list[Document]]:
    """The questions of a file that may be trained on, and all its paragraphs.

    Args:
        path: a file of the data sets.
        forbidden: keys of questions kept for reporting (`models.training.guard.reporting_keys`).

    Returns:
        Answerable questions outside `forbidden` whose supporting paragraphs came with them, and the file's pool.
    """
    questions = load_dataset(path)["questions"]
    kept = [
        q
        for q in questions
        if question_key(q["question"]) not in forbidden and q["answerable"] and q["supporting"] and gold_documents(q)
    ]
    return kept, pooled_passages(questions)


async def ingest_pool(store: PassageStore, embedder: Embedder, documents: Sequence[Document]) -> str:
    """Put a pool into the store unless it is there.

    Returns:
        The namespace.
    """
    pool = {d.key: d for d in documents if d.text.strip()}
    digest = hashlib.blake2b(f"{embedder.spec}".encode(), digest_size=8)
    for key in sorted(pool):
        digest.update(bytes.fromhex(key))
    namespace = f"pool-{digest.hexdigest()}"
    info = await store.info(namespace)
    if info is None or info.documents != len(pool):
        await store.create(namespace, IngestSpec(embedder.spec, WHOLE, 0))
        whole = list(pool.values())
        for start in range(0, len(whole), BATCH):
            await store.upsert(namespace, _prepared(whole[start : start + BATCH], namespace, embedder))
    return namespace


def _prepared(documents: Sequence[Document], namespace: str, embedder: Embedder) -> list[PreparedDocument]:
    chunks = [chunk_document(document, namespace, WHOLE, 0) for document in documents]
    texts = [passage_text(piece.title, piece.text) for pieces in chunks for piece in pieces]
    vectors = embedder.embed_passages(texts)
    prepared, row = [], 0
    for document, pieces in zip(documents, chunks, strict=True):
        prepared.append(PreparedDocument(document, pieces, vectors[row : row + len(pieces)]))
        row += len(pieces)
    return prepared
