"""The stages of ingestion: scan → load → chunk → link → embed → store, and back to load for the next batch.

Each takes the current batch from the workbench, adds its part and reports progress; the state gets places and counts. A
stage that finds the part of an earlier one missing (the run was resumed in another process) has it made again.
"""

import asyncio
import dataclasses
import time
import uuid
from collections.abc import Coroutine
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from models.vector_cache import CachedEmbedder
from nodes.ingest_batch import Batch, Workbench, ingest_spec
from nodes.ingest_context import IngestContext
from nodes.ingest_source import START
from nodes.ingest_state import Counts, Cursor, FailureRecord, IngestInput, IngestState
from stores.chunking import chunk_document
from stores.errors import InputError
from stores.links import entity_names
from stores.records import Chunk, Matrix, PreparedDocument, UpsertCounts
from tools.passage_text import passage_text

SLICE = 64
"""Passages embedded at once: about a second, so that progress moves and Ctrl-C is heard."""
FAILURES_KEPT = 100
DUPLICATES_KEPT = 10

IngestRuntime = Runtime[IngestContext]
Done = TypeVar("Done")


async def scan(state: IngestInput, runtime: IngestRuntime, *, deps: Workbench) -> dict[str, Any]:
    """Find the files, check the namespace against the embedder, and start from a clean state.

    Raises:
        InputError: a path does not exist, lies where this graph does not read, or nothing under it can be read.
        EmbedderMismatch: the namespace was made with another embedder.
    """
    context, name = runtime.context, uuid.uuid4().hex
    given = state.get("paths") or []
    inline = list(state.get("documents") or [])
    paths = [] if inline else [given] if isinstance(given, str) else list(given)
    run = await deps.run(name, paths, inline)
    store, embedder = await deps.deps.store(), await deps.embedder(context)
    warnings = []
    if await store.info(context.namespace):
        spec = (await store.create(context.namespace, ingest_spec(embedder, context))).spec
        if (spec.chunk_size, spec.chunk_overlap) != (context.chunk_size, context.chunk_overlap):
            warnings.append(
                f"namespace {context.namespace!r} was cut with chunk size {spec.chunk_size} and overlap "
                f"{spec.chunk_overlap}; new documents are cut with {context.chunk_size} and {context.chunk_overlap}"
            )
    failures = [FailureRecord(source=source, reason=reason) for source, reason in run.feed.sources.failures]
    _fail_early(failures, context)
    return {
        "paths": paths,
        "inline": inline,
        "context": context.model_dump(),
        "run": name,
        "files": len(run.feed.sources.files),
        "bytes": run.feed.bytes,
        "skipped": dict(run.feed.sources.skipped),
        "embedder": embedder.spec.name,
        "cursor": START,
        "next": START,
        "done": False,
        "counts": Counts(added=0, updated=0, unchanged=0, failed=len(failures), duplicates=0, passages=0),
        "failures": failures[:FAILURES_KEPT],
        "duplicate_keys": [],
        "warnings": warnings,
        "started_at": time.time(),
        "timings_ms": Overwrite({}),
    }


async def load(state: IngestState, runtime: IngestRuntime, *, deps: Workbench) -> dict[str, Any]:
    """Read the next batch of new or changed documents.

    Raises:
        InputError: something cannot be read and `on_error` is "fail".
    """
    run = await deps.run(state["run"], state["paths"], state.get("inline", []))

    def report(place: Cursor) -> None:
        _report(runtime, state, "load", place["bytes"])

    batch = await run.read(await deps.deps.store(), runtime.context, state["next"], None, report)
    failures = [FailureRecord(source=source, reason=reason) for source, reason in batch.failures]
    _fail_early(failures, runtime.context)
    counts = state["counts"]
    return {
        "cursor": batch.start,
        "next": batch.end,
        "done": batch.done,
        "counts": {
            **counts,
            "unchanged": counts["unchanged"] + batch.unchanged,
            "failed": counts["failed"] + len(failures),
            "duplicates": counts["duplicates"] + len(batch.duplicates),
        },
        "failures": [*state["failures"], *failures][:FAILURES_KEPT],
        "duplicate_keys": list(dict.fromkeys([*state["duplicate_keys"], *batch.duplicates]))[:DUPLICATES_KEPT],
    }


async def chunk(state: IngestState, runtime: IngestRuntime, *, deps: Workbench) -> dict[str, Any]:
    """Cut the documents into passages."""
    batch = await deps.batch(state, runtime.context)
    await asyncio.to_thread(_chunk, batch, runtime.context)
    return {}


async def link(state: IngestState, runtime: IngestRuntime, *, deps: Workbench) -> dict[str, Any]:
    """Attach to each passage the names it is about; the store finds who names them."""
    batch = await deps.batch(state, runtime.context)
    await asyncio.to_thread(_link, batch, runtime.context)
    return {}


async def embed(state: IngestState, runtime: IngestRuntime, *, deps: Workbench) -> dict[str, Any]:
    """Embed the passages, in slices."""
    batch = await deps.batch(state, runtime.context)
    await _embed(batch, state, runtime, deps)
    return {}


async def store(state: IngestState, runtime: IngestRuntime, *, deps: Workbench) -> dict[str, Any]:
    """Store the batch in one transaction, durable on return."""
    batch = await deps.batch(state, runtime.context)
    vectors = await _embed(batch, state, runtime, deps)
    counts = Counts(**state["counts"])
    if batch.documents:
        prepared = [
            PreparedDocument(*of) for of in zip(batch.documents.values(), batch.chunks or [], vectors, strict=True)
        ]
        upserted = await _finish(_upsert(prepared, runtime.context, deps))
        counts["added"] += upserted.added
        counts["updated"] += upserted.updated
        counts["unchanged"] += upserted.unchanged
        counts["passages"] += sum(len(document.chunks) for document in prepared)
    if batch.done:
        deps.forget(state["run"])
    _report(runtime, {**state, "counts": counts}, "store", batch.end["bytes"])
    said = [batch.problem] if batch.problem and batch.problem not in state["warnings"] else []
    taken_in: dict[str, Any] = {"inline": []} if batch.done else {}  # a thread need not hold what the store holds
    return {"counts": counts, "warnings": [*state["warnings"], *said], **taken_in}


async def _upsert(prepared: list[PreparedDocument], context: IngestContext, deps: Workbench) -> UpsertCounts:
    target = await deps.deps.store()
    await target.create(context.namespace, ingest_spec(await deps.embedder(context), context))
    return await target.upsert(context.namespace, prepared)


async def _finish(work: Coroutine[Any, Any, Done]) -> Done:
    """Run to the end even when cancelled meanwhile: what the count says is what the store holds."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def _chunk(batch: Batch, context: IngestContext) -> list[list[Chunk]]:
    if batch.chunks is None:
        batch.chunks = [
            chunk_document(document, context.namespace, context.chunk_size, context.chunk_overlap)
            for document in batch.documents.values()
        ]
    return batch.chunks


def _link(batch: Batch, context: IngestContext) -> list[list[Chunk]]:
    chunks = _chunk(batch, context)
    if not batch.linked:
        for document, pieces in zip(batch.documents.values(), chunks, strict=True):
            names = entity_names(document)
            pieces[:] = [dataclasses.replace(piece, names=names) for piece in pieces]
        batch.linked = True
    return chunks


async def _embed(batch: Batch, state: IngestState, runtime: IngestRuntime, deps: Workbench) -> list[Matrix]:
    if batch.vectors is not None:
        return batch.vectors
    chunks = await asyncio.to_thread(_link, batch, runtime.context)
    texts = [passage_text(piece.title, piece.text) for pieces in chunks for piece in pieces]
    embedder = await deps.embedder(runtime.context)
    rows = np.zeros((len(texts), embedder.spec.dimension), dtype=np.float32)
    # Texts of like length together: a batch is padded to its longest.
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    span = batch.end["bytes"] - batch.start["bytes"]
    for first in range(0, len(order), SLICE):
        places = order[first : first + SLICE]
        rows[places] = await asyncio.to_thread(embedder.embed_passages, [texts[place] for place in places])
        done = min(first + SLICE, len(order))
        _report(runtime, state, "embed", batch.start["bytes"] + span * done // len(order), passages=done)
    if isinstance(embedder, CachedEmbedder):
        batch.problem = embedder.problem
    ends = list(accumulate(len(pieces) for pieces in chunks))
    batch.vectors = [rows[end - len(pieces) : end] for end, pieces in zip(ends, chunks, strict=True)]
    return batch.vectors


def _fail_early(failures: list[FailureRecord], context: IngestContext) -> None:
    if failures and context.on_error == "fail":
        source, reason = failures[0]["source"], failures[0]["reason"]
        raise InputError(f"ingest: {source} {reason}; nothing after it was ingested (on_error is 'fail')")


def _report(runtime: IngestRuntime, state: IngestState, stage: str, place: int, passages: int = 0) -> None:
    """Tell whoever streams the run where it is; `passages` are embedded ones that are not stored yet."""
    counts = state["counts"]
    runtime.stream_writer(
        {
            "type": "progress",
            "stage": stage,
            "bytes": place,
            "bytes_total": state["bytes"],
            "passages": counts["passages"] + passages,
            "counts": dict(counts),
        }
    )
