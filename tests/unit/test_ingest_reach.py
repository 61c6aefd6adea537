"""What a client of a server may have ingested: documents that it sends, and files under INGEST_ROOT alone."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph.ingest import build, for_a_server
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from nodes.ingest_reach import RootReach, UploadReach
from stores.errors import InputError
from tests.unit.test_ingest_graph import FakeEmbedder, FakeStore

CONTEXT = IngestContext(vector_cache=False)


@pytest.fixture
def store() -> FakeStore:
    return FakeStore()


def deps(store: FakeStore) -> Deps:
    return Deps(store, embedder=FakeEmbedder())  # type: ignore[arg-type]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "castle.txt").write_text("A castle.")
    (tmp_path / "secret.txt").write_text("A secret.")
    return folder


async def ingested(store: FakeStore, root: Path | str, *paths: Any) -> dict[str, Any]:
    graph = build(deps(store), reach=RootReach(lambda: str(root)))
    return await graph.ainvoke({"paths": list(paths)}, context=CONTEXT)


async def test_documents_are_sent_as_they_are(store: FakeStore) -> None:
    given = [
        {"id": "a", "title": "A", "text": "First.", "year": 1900},
        {"title": "B", "text": "Second."},
        {"id": "a", "title": "A", "text": "First, mended."},
        {"title": "no text"},
    ]
    state = await build(deps(store)).ainvoke({"documents": given}, context=CONTEXT)
    assert state["counts"] == {"added": 2, "updated": 0, "unchanged": 0, "failed": 1, "duplicates": 1, "passages": 2}
    assert state["failures"] == [{"source": "document 4", "reason": "has no field 'text' (it has 'title')"}]
    documents = {key: prepared.document for key, prepared in store.documents.items()}
    assert documents["a"].text == "First, mended."
    other = next(document for key, document in documents.items() if key != "a")
    assert (other.title, other.source) == ("B", "inline")
    again = await build(deps(store)).ainvoke({"documents": given[1:3]}, context=CONTEXT)
    assert again["counts"]["unchanged"] == 2


async def test_documents_go_on_where_a_crash_left_them_and_do_not_come_back(store: FakeStore) -> None:
    store.fails_at, thread = 2, {"configurable": {"thread_id": "1"}}
    given = [{"id": str(n), "title": f"T{n}", "text": f"Text {n}."} for n in range(5)]
    saver, context = InMemorySaver(), IngestContext(vector_cache=False, batch_size=2)
    with pytest.raises(Exception, match="disk is full"):
        await build(deps(store), saver).ainvoke({"documents": given}, thread, context=context)
    state = await build(deps(store), saver).ainvoke(None, thread, context=context)
    assert state["counts"]["added"] == 5
    with pytest.raises(InputError, match="no path was given"):
        await build(deps(store), saver).ainvoke({"paths": []}, thread, context=context)


async def test_files_under_the_root_are_read_by_any_way_of_naming_them(store: FakeStore, root: Path) -> None:
    for path in ("castle.txt", str(root / "castle.txt"), ".", "../root/castle.txt"):
        store.documents.clear()
        assert (await ingested(store, root, path))["counts"]["added"] == 1, path
        assert list(store.documents) == [str(root / "castle.txt")]


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.txt", "castle.txt/../../secret.txt", "/", "~/x", "link"])
async def test_no_other_file_of_the_server_is_read(store: FakeStore, root: Path, path: str) -> None:
    (root / "link").symlink_to(root.parent / "secret.txt")
    with pytest.raises(InputError, match=r"lies outside INGEST_ROOT|does not exist"):
        await ingested(store, root, "castle.txt", path)
    assert store.documents == {}


async def test_a_link_inside_the_root_does_not_lead_out_of_it(store: FakeStore, root: Path) -> None:
    (root / "link.txt").symlink_to(root.parent / "secret.txt")
    (root / "folder").symlink_to(root.parent)
    state = await ingested(store, root, ".")
    assert [Path(key).name for key in store.documents] == ["castle.txt"]
    assert state["skipped"]["link out of INGEST_ROOT"] >= 1


@pytest.mark.parametrize("path", [1, None, "a\0b"])
async def test_what_is_no_path_is_refused(store: FakeStore, root: Path, path: Any) -> None:
    with pytest.raises(InputError, match="is no path"):
        await ingested(store, root, path)


async def test_the_exported_graph_reads_nothing_until_a_root_is_set(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"'/etc/passwd' is a file of the server, and INGEST_ROOT is not set"):
        await for_a_server().ainvoke({"paths": ["/etc/passwd"]}, context=CONTEXT)
    monkeypatch.setenv("INGEST_ROOT", str(root))
    with pytest.raises(InputError, match="lies outside INGEST_ROOT"):
        await for_a_server().ainvoke({"paths": ["/etc/passwd"]}, context=CONTEXT)


async def test_a_resumed_run_is_held_to_the_root_as_well(store: FakeStore, root: Path) -> None:
    """Whoever may write the state of a thread could put a path there that `scan` never saw."""
    thread, saver = {"configurable": {"thread_id": "1"}}, InMemorySaver()
    store.fails_at = 1
    graph = build(deps(store), saver, RootReach(lambda: str(root)))
    with pytest.raises(Exception, match="disk is full"):
        await graph.ainvoke({"paths": ["castle.txt"]}, thread, context=CONTEXT)
    await graph.aupdate_state(thread, {"paths": ["/etc/passwd"], "run": "other"}, as_node="scan")
    with pytest.raises(InputError, match="lies outside INGEST_ROOT"):
        await graph.ainvoke(None, thread, context=CONTEXT)


async def test_an_uploaded_file_is_called_by_the_name_it_came_under(store: FakeStore, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note.")
    (tmp_path / "two.jsonl").write_text('{"title": "T", "text": "Text."}\n{"id": "k", "text": "More."}\n{}\n')
    graph = build(deps(store), reach=UploadReach(str(tmp_path)))
    state = await graph.ainvoke({"paths": [str(tmp_path / "note.txt"), str(tmp_path / "two.jsonl")]}, context=CONTEXT)
    assert sorted(key.split("#")[0] for key in store.documents) == ["k", "note.txt", "two.jsonl"]
    assert {prepared.document.source for prepared in store.documents.values()} == {"note.txt", "two.jsonl"}
    assert state["failures"][0]["source"] == "two.jsonl, line 3"
