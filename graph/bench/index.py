"""index: the paragraphs of the question set → a namespace of the benchmarks' own store, unless they are there."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from evaluation.datasets.pooling import given_passages
from graph.bench.corpus import WHOLE, own_namespace, write_documents
from graph.bench.folder import read_questions
from graph.bench.load import POOL, address_of
from graph.bench.opening import Bench
from graph.bench.state import GIVEN, POOLED, BenchContext, BenchState
from graph.bench.telling import Tell, apart, teller
from graph.ingest import build
from nodes.deps import Deps
from nodes.ingest_context import IngestContext


async def index(state: BenchState, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Ingest what is searched.

    Raises:
        StoreError: the user's cache folder cannot be written.
    """
    async with deps.open(address_of(state)) as opened:
        await apart(_index(state, opened, teller(runtime, "index")))
        return {"address": (await opened.store()).address}


async def _index(state: BenchState, opened: Deps, tell: Tell) -> None:
    folder = Path(state["out"])
    if state["corpus"] == POOLED:
        await _ingest(folder / POOL, state["namespace"], state["passages"], opened, tell)
        await asyncio.to_thread((folder / POOL).unlink, missing_ok=True)
    elif state["corpus"] == GIVEN:
        await _each(folder, state["questions"], opened, tell)


async def _each(folder: Path, count: int, opened: Deps, tell: Tell) -> None:
    """A namespace for the paragraphs of each question."""
    there = {info.name: info.documents for info in await (await opened.store()).namespaces()}
    for number, question in enumerate(read_questions(folder)):
        documents = given_passages(question)
        wanted = sum(bool(document.text.strip()) for document in documents)
        if there.get(own_namespace(question)) != wanted:
            corpus = await asyncio.to_thread(write_documents, folder / POOL, documents)
            await _ingest(folder / POOL, corpus.namespace, corpus.documents, opened, lambda *_: None)
        tell(number + 1, count, "questions")
    await asyncio.to_thread((folder / POOL).unlink, missing_ok=True)


async def _ingest(path: Path, namespace: str, documents: int, opened: Deps, tell: Tell) -> None:
    info = await (await opened.store()).info(namespace)
    if info is not None and info.documents == documents:
        return
    context = IngestContext(namespace=namespace, chunk_size=WHOLE, chunk_overlap=0, on_error="fail")
    events: AsyncIterator[Any] = build(opened).astream(
        {"paths": [str(path)]}, context=context, stream_mode="custom", version="v2"
    )
    async for event in events:
        progress = event["data"]
        tell(progress["bytes"], progress["bytes_total"], f"{progress['passages']:,} passages")
