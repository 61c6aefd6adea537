"""A namespace's passages through another embedder. Nothing is stored before all vectors are there."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from models.embedder import Embedder
from stores.base import PassageStore
from stores.errors import NamespaceNotFound
from stores.records import Vector
from tools.passage_text import passage_text

SLICE = 64
"""Passages embedded at once."""


async def reembed(
    store: PassageStore,
    namespace: str,
    embedder: Embedder,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Embed every passage anew and swap all vectors in one transaction.

    Args:
        store: where the passages are.
        namespace: which of them.
        embedder: the new one.
        report: told how many of how many are embedded.

    Returns:
        How many passages there were.

    Raises:
        NamespaceNotFound: it does not exist.
        StoreError: passages came or went meanwhile; nothing is changed.
    """
    info = await store.info(namespace)
    if info is None:
        raise NamespaceNotFound(
            f"reembed: there is no namespace {namespace!r}: `lookahead stats` shows which there are"
        )
    ids = await store.passage_ids(namespace)
    vectors: dict[str, Vector] = {}
    for first in range(0, len(ids), SLICE):
        passages = await store.passages(namespace, ids[first : first + SLICE])
        texts = [passage_text(passage["title"], passage["text"]) for passage in passages]
        rows = await asyncio.to_thread(embedder.embed_passages, texts)
        vectors |= {passage["id"]: row for passage, row in zip(passages, rows, strict=True)}
        report(len(vectors), len(ids))
    await store.replace_vectors(namespace, replace(info.spec, embedder=embedder.spec), vectors)
    return len(ids)
