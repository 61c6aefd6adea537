"""The ingest graph: what it stores, counts, skips, and how it goes on after a crash."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from graph.ingest import build, graph
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from nodes.ingest_source import START, Feed
from stores.errors import EmbedderMismatch, InputError, StoreFull
from stores.records import EmbedderSpec, IngestSpec, Matrix, NamespaceInfo, PreparedDocument, UpsertCounts

SPEC = EmbedderSpec("fake", 2)


class FakeEmbedder:
    """(length of the text, 1) as a vector."""

    spec = SPEC

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        self.texts += texts
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    embed_queries = embed_passages


class FakeStore:
    """Keeps what is upserted; can be made to fail at the n-th upsert."""

    address = "memory"

    def __init__(self, fails_at: int = 0) -> None:
        self.documents: dict[str, PreparedDocument] = {}
        self.batches: list[list[str]] = []
        self.made: IngestSpec | None = None
        self.asked = 0
        self.fails_at = fails_at

    async def info(self, namespace: str) -> NamespaceInfo | None:
        return NamespaceInfo(namespace, self.made, len(self.documents), 0, 0, 1) if self.made else None

    async def create(self, namespace: str, spec: IngestSpec) -> NamespaceInfo:
        if self.made and self.made.embedder != spec.embedder:
            raise EmbedderMismatch("made with another embedder: lookahead reembed")
        self.made = self.made or spec
        return NamespaceInfo(namespace, self.made, 0, 0, 0, 1)

    async def content_hashes(self, namespace: str, keys: Sequence[str]) -> Mapping[str, str]:
        self.asked += 1
        return {key: self.documents[key].document.content_hash for key in keys if key in self.documents}

    async def upsert(self, namespace: str, documents: Sequence[PreparedDocument]) -> UpsertCounts:
        if len(self.batches) + 1 == self.fails_at:
            self.fails_at = 0
            raise StoreFull("store: the disk is full")
        known = sum(document.document.key in self.documents for document in documents)
        self.batches.append([document.document.key for document in documents])
        self.documents |= {document.document.key: document for document in documents}
        return UpsertCounts(added=len(documents) - known, updated=known)


def corpus(path: Path, texts: Mapping[str, str] | Sequence[tuple[str, str]]) -> str:
    pairs = texts.items() if isinstance(texts, Mapping) else texts
    path.write_text("\n".join(json.dumps({"id": key, "title": f"Castle {key}", "text": text}) for key, text in pairs))
    return str(path)


def numbered(number: int) -> dict[str, str]:
    return {str(n): f"Text {n}." for n in range(number)}


async def ingest(
    store: FakeStore, *paths: str, embedder: FakeEmbedder | None = None, **settings: Any
) -> dict[str, Any]:
    deps = Deps(store, embedder=embedder or FakeEmbedder())  # type: ignore[arg-type]
    context = IngestContext(vector_cache=False, **settings)
    state = await build(deps).ainvoke({"paths": list(paths)}, context=context)
    return dict(state)


async def test_documents_arrive_with_passages_names_and_the_right_vectors(tmp_path: Path) -> None:
    store = FakeStore()
    long = " ".join(f"Sentence number {n} is here." for n in range(60))
    path = corpus(tmp_path / "c.jsonl", {"a": "Short.", "b": long, "c": "Also known."})
    state = await ingest(store, path)
    assert (state["counts"]["added"], state["embedder"], state["files"]) == (3, "fake", 1)
    assert len(store.documents["b"].chunks) > 1
    for prepared in store.documents.values():
        expected = [len(f"{chunk.title}\n{chunk.text}") for chunk in prepared.chunks]
        assert prepared.vectors[:, 0].tolist() == expected
        assert all(prepared.document.title in chunk.names for chunk in prepared.chunks)
    assert state["counts"]["passages"] == sum(len(document.chunks) for document in store.documents.values())


async def test_what_is_unchanged_is_neither_embedded_nor_stored_nor_asked_for_one_by_one(tmp_path: Path) -> None:
    store, again = FakeStore(), FakeEmbedder()
    path = corpus(tmp_path / "c.jsonl", numbered(400))
    await ingest(store, path)
    store.asked, batches = 0, len(store.batches)
    state = await ingest(store, path, embedder=again, batch_size=100)
    assert state["counts"]["unchanged"] == 400
    assert (again.texts, len(store.batches)) == ([], batches)
    assert store.asked <= 5


async def test_a_batch_holds_no_more_new_documents_than_asked_for(tmp_path: Path) -> None:
    store = FakeStore()
    await ingest(store, corpus(tmp_path / "c.jsonl", numbered(200)))
    state = await ingest(store, corpus(tmp_path / "c.jsonl", numbered(220)), batch_size=8)
    assert [len(batch) for batch in store.batches[1:]] == [8, 8, 4]
    assert (state["counts"]["added"], state["counts"]["unchanged"]) == (20, 200)


async def test_only_what_changed_is_updated(tmp_path: Path) -> None:
    store = FakeStore()
    await ingest(store, corpus(tmp_path / "c.jsonl", {"a": "A.", "b": "B."}))
    state = await ingest(store, corpus(tmp_path / "c.jsonl", {"a": "A.", "b": "New."}))
    assert (state["counts"]["updated"], state["counts"]["unchanged"]) == (1, 1)
    assert store.batches[-1] == ["b"]


@pytest.mark.parametrize("batch_size", [1, 2, 256])
async def test_of_two_documents_with_one_id_the_last_wins_and_a_second_run_changes_nothing(
    tmp_path: Path, batch_size: int
) -> None:
    store = FakeStore()
    path = corpus(tmp_path / "c.jsonl", [("a", "Old."), ("b", "B."), ("c", "C."), ("a", "New.")])
    state = await ingest(store, path, batch_size=batch_size)
    assert store.documents["a"].document.text == "New."
    assert (state["counts"]["duplicates"], state["duplicate_keys"]) == (1, ["a"])
    again = await ingest(store, path, batch_size=batch_size)
    assert (again["counts"]["unchanged"], again["counts"]["updated"], again["counts"]["added"]) == (3, 0, 0)


async def test_what_cannot_be_read_is_recorded_and_the_rest_is_stored(tmp_path: Path) -> None:
    store = FakeStore()
    corpus(tmp_path / "b.jsonl", {"a": "A."})
    (tmp_path / "a.txt").write_bytes(b"\0")
    state = await ingest(store, str(tmp_path))
    assert list(store.documents) == ["a"]
    assert state["counts"]["failed"] == 1
    assert state["failures"] == [
        {"source": str(tmp_path / "a.txt"), "reason": "is binary (it holds NUL bytes), not text"}
    ]


async def test_on_error_fail_stops_at_the_first(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    with pytest.raises(InputError, match=r"a\.txt is empty; nothing after it was ingested"):
        await ingest(FakeStore(), str(tmp_path), on_error="fail")


async def test_no_path_is_said() -> None:
    with pytest.raises(InputError, match="no path was given"):
        await build(Deps(FakeStore(), embedder=FakeEmbedder())).ainvoke({})  # type: ignore[arg-type, typeddict-item]


async def test_another_embedder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    store = FakeStore()
    store.made = IngestSpec(EmbedderSpec("other", 3))
    with pytest.raises(EmbedderMismatch, match="reembed"):
        await ingest(store, corpus(tmp_path / "c.jsonl", {"a": "A."}))
    assert store.asked == 0


async def test_other_chunk_sizes_than_the_namespace_was_made_with_are_said(tmp_path: Path) -> None:
    store = FakeStore()
    store.made = IngestSpec(SPEC, 500, 50)
    state = await ingest(store, corpus(tmp_path / "c.jsonl", {"a": "A."}))
    assert "was cut with chunk size 500 and overlap 50" in state["warnings"][0]


async def test_a_run_goes_on_in_another_process_from_its_cursor(tmp_path: Path) -> None:
    """The second graph has nothing of the first but the checkpoint, as after kill -9, and is told no settings."""
    saver, store, embedder = InMemorySaver(), FakeStore(fails_at=3), FakeEmbedder()
    config: Any = {"configurable": {"thread_id": "1"}}
    context = IngestContext(vector_cache=False, batch_size=10)
    deps = Deps(store, embedder=embedder)  # type: ignore[arg-type]
    with pytest.raises(StoreFull):
        await build(deps, saver).ainvoke(
            {"paths": [corpus(tmp_path / "c.jsonl", numbered(45))]}, config, context=context, durability="sync"
        )
    state = await build(deps, saver).ainvoke(None, config, durability="sync")
    assert [len(batch) for batch in store.batches] == [10, 10, 10, 10, 5]
    assert (state["counts"]["added"], state["counts"]["passages"], state["counts"]["unchanged"]) == (45, 45, 0)
    assert len(embedder.texts) == 55, "only the batch that was lost is embedded again"


async def test_documents_that_came_along_are_there_for_a_resumed_run_and_gone_from_the_thread_at_its_end() -> None:
    saver, store = InMemorySaver(), FakeStore(fails_at=2)
    config: Any = {"configurable": {"thread_id": "1"}}
    deps = Deps(store, embedder=FakeEmbedder())  # type: ignore[arg-type]
    documents = [{"id": key, "title": "", "text": text} for key, text in numbered(25).items()]
    with pytest.raises(StoreFull):
        await build(deps, saver).ainvoke(
            {"documents": documents},
            config,
            context=IngestContext(vector_cache=False, batch_size=10),
            durability="sync",
        )
    state = await build(deps, saver).ainvoke(None, config, durability="sync")
    assert ([len(batch) for batch in store.batches], state["counts"]["added"]) == ([10, 10, 5], 25)
    assert "Text 7." not in json.dumps(state)


async def test_a_second_run_on_a_thread_starts_clean(tmp_path: Path) -> None:
    saver, store = InMemorySaver(), FakeStore()
    runnable = build(Deps(store, embedder=FakeEmbedder()), saver)  # type: ignore[arg-type]
    config: Any = {"configurable": {"thread_id": "1"}}
    (tmp_path / "empty.txt").write_text("")
    await runnable.ainvoke({"paths": [str(tmp_path / "empty.txt")]}, config, context=IngestContext(vector_cache=False))
    path = corpus(tmp_path / "c.jsonl", {"a": "A."})
    state = await runnable.ainvoke({"paths": [path]}, config, context=IngestContext(vector_cache=False))
    assert (state["counts"]["failed"], state["failures"], state["counts"]["added"]) == (0, [], 1)
    assert state["timings_ms"].keys() == {"scan", "load", "chunk", "link", "embed", "store", "total"}


async def test_the_state_holds_no_documents(tmp_path: Path) -> None:
    state = await ingest(FakeStore(), corpus(tmp_path / "c.jsonl", {"a": "Nobody else says this."}))
    assert "Nobody else says this." not in json.dumps(state)


async def test_cancelled_while_storing_the_batch_is_stored_before_the_run_ends(tmp_path: Path) -> None:
    class Slow(FakeStore):
        async def upsert(self, namespace: str, documents: Sequence[PreparedDocument]) -> UpsertCounts:
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return await super().upsert(namespace, documents)

    store = Slow()
    task = asyncio.create_task(ingest(store, corpus(tmp_path / "c.jsonl", numbered(20)), batch_size=10))
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(store.documents) == 10


async def test_progress_grows_to_the_end(tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl", numbered(200))
    size = len((tmp_path / "c.jsonl").read_bytes())
    deps = Deps(FakeStore(), embedder=FakeEmbedder())  # type: ignore[arg-type]
    context = IngestContext(vector_cache=False, batch_size=70)
    stream = build(deps).astream({"paths": [path]}, context=context, stream_mode="custom")
    events = [event async for event in stream]
    places = [event["bytes"] for event in events]
    assert places == sorted(places)
    assert places[-1] == events[-1]["bytes_total"] == size
    assert events[-1]["passages"] == 200


def test_records_put_back_are_taken_again_without_reading_the_file_again(tmp_path: Path) -> None:
    path = corpus(tmp_path / "c.jsonl", numbered(5))
    feed = Feed([path])
    first, *others = feed.take(START, 3)
    feed.put_back(others, first.after)
    Path(path).unlink()
    assert feed.take(first.after, 2) == others
    assert [read.after["record"] for read in feed.take(others[-1].after, 9)] == [4, 5]


def test_a_cursor_is_good_when_files_have_come_before_it(tmp_path: Path) -> None:
    corpus(tmp_path / "b.jsonl", numbered(4))
    place = Feed([str(tmp_path)]).take(START, 2)[-1].after
    corpus(tmp_path / "a.jsonl", {"x": "New."})
    keys = [read.entry.key for read in Feed([str(tmp_path)]).take(place, 9)]  # type: ignore[union-attr]
    assert keys == ["2", "3"]


def test_studio_asks_for_paths_and_shows_the_settings() -> None:
    assert set(graph.get_input_jsonschema()["properties"]) == {"paths", "documents"}
    assert set(graph.get_context_jsonschema()["properties"]) == set(IngestContext.model_fields)  # type: ignore[index]
    assert {"scan", "load", "chunk", "link", "embed", "store"} <= set(graph.get_graph().nodes)
    assert graph.checkpointer is None


@pytest.mark.parametrize("settings", [{"chunk_size": 100, "chunk_overlap": 60}, {"batch_size": 0}, {"colour": "red"}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        IngestContext(**settings)
