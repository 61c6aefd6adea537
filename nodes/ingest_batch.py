"""The documents of each run, batch by batch: held here while the nodes work on them, never in the state.

A batch can be made again from the cursors in the state, so a run resumed in another process loses nothing. What is
stored already is recognised by its content hash and passed over in large strides, before it is cut or embedded.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from models.embedder import DEFAULT_EMBEDDER, Embedder
from models.user_cache import cache_folder
from models.vector_cache import CachedEmbedder
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from nodes.ingest_inline import InlineFeed
from nodes.ingest_reach import Reach
from nodes.ingest_source import Feed, Read
from nodes.ingest_state import Cursor, IngestState
from stores.base import PassageStore
from stores.records import Chunk, Document, IngestSpec, Matrix
from tools.loading import Failure

LARGEST_STRIDE = 4096
"""Records compared with the store at once while nothing has changed."""
RUNS_HELD = 4
"""Runs whose batch is kept; that of an older, abandoned one is dropped, and made again should it go on."""

Report = Callable[[Cursor], None]


@dataclass(slots=True)
class Batch:
    """Documents on their way from the sources to the store; each stage fills in its part."""

    start: Cursor
    end: Cursor
    done: bool = False
    """There is nothing behind it."""
    documents: dict[str, Document] = field(default_factory=dict)
    """New or changed ones by key."""
    unchanged: int = 0
    failures: list[Failure] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    """Keys that came again."""
    chunks: list[list[Chunk]] | None = None
    """Of each document."""
    linked: bool = False
    """Entity names are attached to the chunks."""
    vectors: list[Matrix] | None = None
    """Of each document, one row for each chunk."""
    problem: str = ""
    """Of the cache of vectors, as a sentence; empty when there is none."""


class Run:
    """One ingestion: its sources, and the batch that is under way."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.batch: Batch | None = None
        self._seen: set[str] = set()
        self._last: dict[str, tuple[int, int]] | None = None

    async def read(
        self, store: PassageStore, context: IngestContext, start: Cursor, end: Cursor | None, report: Report
    ) -> Batch:
        """The next batch after `start`: up to `batch_size` new or changed documents, or what lies before `end`."""
        batch = Batch(start=start, end=start)
        stride = context.batch_size
        while not batch.done and batch.end != end and len(batch.documents) < context.batch_size:
            reads = await asyncio.to_thread(self.feed.take, batch.end, stride)
            batch.done = not reads
            await self._sort(batch, reads, store, context, end)
            if not batch.documents:
                report(batch.end)
                stride = min(stride * 2, LARGEST_STRIDE)
        self.batch = batch
        return batch

    async def _sort(
        self, batch: Batch, reads: list[Read], store: PassageStore, context: IngestContext, end: Cursor | None
    ) -> None:
        """Sort records into new or changed, unchanged, failed; records beyond the batch are put back."""
        documents = [read.entry for read in reads if isinstance(read.entry, Document)]
        stored = await store.content_hashes(context.namespace, [document.key for document in documents])
        if self._last is None and any(stored.get(d.key, d.content_hash) != d.content_hash for d in documents):
            # A key that stands twice must not be updated to the first one and back again on each run.
            self._last = await asyncio.to_thread(self.feed.last_places)
        for number, read in enumerate(reads):
            if len(batch.documents) >= context.batch_size or batch.end == end:
                self.feed.put_back(reads[number:], batch.end)
                return
            batch.end = read.after
            if isinstance(read.entry, Failure):
                batch.failures.append(read.entry)
            else:
                self._sort_one(batch, read.entry, read.after, stored.get(read.entry.key))

    def _sort_one(self, batch: Batch, document: Document, place: Cursor, stored: str | None) -> None:
        key = document.key
        if key in self._seen:
            batch.duplicates.append(key)
        self._seen.add(key)
        if document.content_hash == stored:
            batch.unchanged += 1
        elif (place["file"], place["record"]) >= (self._last or {}).get(key, (0, 0)):
            batch.documents[key] = document


class Workbench:
    """What the nodes of the ingest graph share: the deps, and the documents of each run."""

    def __init__(self, deps: Deps, reach: Reach | None = None) -> None:
        self.deps = deps
        self._reach = reach or Reach()
        self._runs: OrderedDict[str, Run] = OrderedDict()

    async def run(self, run: str, paths: list[str], inline: list[dict[str, Any]]) -> Run:
        """The run of this name; its sources are looked up again when it is not held.

        Raises:
            InputError: a path does not exist, or lies where this graph does not read.
        """
        if run not in self._runs:
            self._runs[run] = Run(await asyncio.to_thread(self._feed, paths, inline))
            while len(self._runs) > RUNS_HELD:
                self._runs.popitem(last=False)
        return self._runs[run]

    def _feed(self, paths: list[str], inline: list[dict[str, Any]]) -> Feed:
        return InlineFeed(inline) if inline else Feed(self._reach.allowed(paths), self._reach)

    async def batch(self, state: IngestState, context: IngestContext) -> Batch:
        """The batch between the two cursors of the state; read again when it is not held."""
        run = await self.run(state["run"], state["paths"], state.get("inline", []))
        if run.batch is None or run.batch.start != state["cursor"]:
            return await run.read(await self.deps.store(), context, state["cursor"], state["next"], lambda _: None)
        return run.batch

    def forget(self, run: str) -> None:
        """The run has ended."""
        self._runs.pop(run, None)

    async def embedder(self, context: IngestContext) -> Embedder:
        """The embedder asked for, else that of the namespace, else the default; with the cache of vectors before it."""
        name = context.embedder
        if name == "auto":
            info = await (await self.deps.store()).info(context.namespace)
            name = info.spec.embedder.name if info else DEFAULT_EMBEDDER
        embedder = await self.deps.embedder(name)
        if not context.vector_cache:
            return embedder
        return await asyncio.to_thread(cached, embedder)


def cached(embedder: Embedder) -> CachedEmbedder:
    """The embedder behind the cache of vectors in the user's cache folder."""
    return CachedEmbedder(embedder, cache_folder() / "vectors")


def ingest_spec(embedder: Embedder, context: IngestContext) -> IngestSpec:
    """How the namespace is made."""
    return IngestSpec(embedder.spec, context.chunk_size, context.chunk_overlap)
