"""What is particular to the embedded store: order of ingestion, several processes, damage, a full disk."""

import asyncio
import errno
import json
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from stores.embedded import EmbeddedStore
from stores.errors import NamespaceNotFound, StoreBusy, StoreError, StoreFull, StoreVersionError
from stores.failures import store_failures
from stores.opening import open_store
from tests.contract.histories import HISTORIES, QUERY, SPEC, everything, found_by_words, live_through, prepared

CURIE = prepared("curie", "Marie Curie", "She was born in Warsaw.")
WARSAW = prepared("warsaw", "Warsaw", "The capital of Poland.")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HISTORIES)
async def test_any_history_gives_the_same_store_as_one_ingest(tmp_path: Path, history: list[list[object]]) -> None:
    for name in ("history", "fresh"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
    async with EmbeddedStore(tmp_path / "history") as store, EmbeddedStore(tmp_path / "fresh") as fresh:
        await store.create("default", SPEC)
        left = await live_through(store, history)
        await fresh.create("default", SPEC)
        await fresh.upsert("default", list(reversed(left)))
        assert await everything(store) == await everything(fresh)
        assert await found_by_words(store) == await found_by_words(fresh)
        assert await store.verify("default") == []


async def test_opening_a_missing_store_makes_nothing(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path / "none", read_only=True) as store:
        assert await store.namespaces() == []
        with pytest.raises(NamespaceNotFound, match="lookahead ingest PATH --namespace wiki"):
            await store.search_text("wiki", "x", 1)
    assert not (tmp_path / "none").exists()


async def test_a_reader_sees_what_another_instance_wrote(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path) as writer, EmbeddedStore(tmp_path, read_only=True) as reader:
        await writer.create("default", SPEC)
        await writer.upsert("default", [CURIE])
        assert len(await reader.search_text("default", "Warsaw", 5)) == 1
        await writer.upsert("default", [WARSAW])
        assert len(await reader.search_text("default", "Warsaw", 5)) == 2
        assert len(await reader.search_vector("default", QUERY, 5)) == 2
        assert len(await reader.named_in("default", "Warsaw")) == 1
        await writer.clear("default")
        await writer.create("default", SPEC)
        await writer.upsert("default", [WARSAW])
        assert len(await reader.search_text("default", "Warsaw", 5)) == 1
        with pytest.raises(StoreError, match="reading only"):
            await reader.upsert("default", [CURIE])


async def test_info_reads_one_namespace_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("stores.schema.spec_from_json", lambda text: read.append(text) or SPEC)
    async with EmbeddedStore(tmp_path) as store:
        assert await store.info("q3") is None
        for number in range(9):
            await store.create(f"q{number}", SPEC)
        read.clear()
        info = await store.info("q3")
        assert info is not None
        assert (info.name, len(read)) == ("q3", 1)
        assert await store.info("nowhere") is None


async def test_many_searches_and_writes_at_once(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path) as one, EmbeddedStore(tmp_path) as two:
        await one.create("default", SPEC)
        documents = [prepared(f"d{n}", f"Title {n}", f"Text {n} names Title {n + 1}.") for n in range(24)]
        writes = [(one, two)[n % 2].upsert("default", documents[n : n + 4]) for n in range(0, 24, 4)]
        searches = [one.search_text("default", "title text", 5) for _ in range(20)]
        searches += [two.search_vector("default", QUERY, 5) for _ in range(20)]
        await asyncio.gather(*writes, *searches)
        info = await one.info("default")
        assert info is not None
        assert (info.documents, info.links) == (24, 23)
        assert await two.verify("default") == []


def test_searches_from_several_event_loops(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)

    async def fill() -> None:
        await store.create("default", SPEC)
        await store.upsert("default", [CURIE, WARSAW])

    asyncio.run(fill())
    for _ in range(2):
        assert len(asyncio.run(store.search_text("default", "Warsaw", 5))) == 2
    asyncio.run(store.__aexit__(None, None, None))


async def test_a_writer_that_waits_too_long_says_who_is_busy(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path, busy_seconds=0.05) as store:
        await store.create("default", SPEC)
        other = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="another process is writing"):
            await store.upsert("default", [CURIE])
        assert await store.search_text("default", "Warsaw", 5) == []
        other.close()
        assert (await store.upsert("default", [CURIE])).added == 1


async def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
    with sqlite3.connect(tmp_path / "store.sqlite") as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    with pytest.raises(StoreVersionError, match="schema 99"):
        async with EmbeddedStore(tmp_path):
            pass


async def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"this is no database at all, but long enough to be looked at" * 20)
    with pytest.raises(StoreError, match="no store of this program"):
        await EmbeddedStore(tmp_path).__aenter__()
    with pytest.raises(StoreError, match="not a folder"):
        await EmbeddedStore(tmp_path / "store.sqlite").__aenter__()


async def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
        await store.upsert("default", [CURIE])
        with store._connections.using("Test") as db:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreFull, match=r"no room left .* run the same command again"):
            await store.upsert("default", [prepared(f"d{n}", f"Title {n}", "Long text. " * 500) for n in range(20)])
        assert [document["id"] for document in await store.documents("default")] == ["curie"]
        assert await store.verify("default") == []


async def test_an_unwritable_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="folder"):
        await EmbeddedStore(tmp_path / "file" / "store").create("default", SPEC)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), StoreFull, r"'/store' cannot be written .* --store"),
        (OSError(errno.ENOSPC, "No space left on device"), StoreFull, r"'/store' .* free some space"),
        (ValueError("IoError: Os code 28, No space left on device"), StoreFull, "free some space"),
        (sqlite3.OperationalError("attempt to write a readonly database"), StoreFull, "cannot be written"),
        (sqlite3.OperationalError("disk I/O error"), StoreFull, "no room"),
        (sqlite3.DatabaseError("database disk image is malformed"), StoreError, "damaged"),
        (FileNotFoundError(errno.ENOENT, "No such file"), StoreError, "Check that the folder"),
    ],
)
def test_what_the_system_says_becomes_a_sentence(error: Exception, kind: type[StoreError], said: str) -> None:
    with pytest.raises(kind, match=f"^Storing: .*{said}"), store_failures("Storing", "/store"):
        raise error


def test_a_mistake_in_the_program_is_not_hidden() -> None:
    with pytest.raises(ValueError, match="a bug"), store_failures("Storing", "/store"):
        raise ValueError("a bug")


async def test_opening_removes_what_an_interrupted_clear_left(tmp_path: Path) -> None:
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
        await store.clear("default")
        for number in (1, 99):
            (tmp_path / "index" / str(number)).mkdir(parents=True)
    async with EmbeddedStore(tmp_path):
        assert [path.name for path in (tmp_path / "index").iterdir()] == ["99"]


@pytest.mark.parametrize("damage", ["manifest.json", "rows-*", "vectors-*", "text-*/meta.json", "*"])
async def test_damaged_derived_parts_are_made_again(tmp_path: Path, damage: str) -> None:
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
        await store.upsert("default", [CURIE, WARSAW])
    for path in (tmp_path / "index" / "1").glob(damage):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    async with EmbeddedStore(tmp_path) as store:
        assert len(await store.search_text("default", "Warsaw", 5)) == 2
        assert await store.verify("default") == []


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM chunks WHERE row = 1",
        "DELETE FROM vectors WHERE chunk = 1",
        "DELETE FROM mentions",
        "UPDATE names SET bearers = 7",
        "UPDATE chunks SET text = 'Another text.' WHERE row = 1",
        "UPDATE namespaces SET documents = 9",
        "UPDATE vectors SET vector = zeroblob(16)",
        "UPDATE tokens SET hashes = zeroblob(4)",
    ],
)
async def test_verify_finds_damage(tmp_path: Path, damage: str) -> None:
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
        await store.upsert("default", [CURIE, WARSAW])
    with sqlite3.connect(tmp_path / "store.sqlite") as db:
        db.execute(damage)
    db.close()
    async with EmbeddedStore(tmp_path) as store:
        assert await store.verify("default") != []


@pytest.mark.parametrize(
    ("stray", "said"),
    [
        ("INSERT INTO names VALUES (99, 1, 'lost one', 0)", "Name 'lost one' should be borne by 0 passages; 0 are"),
        ("INSERT INTO bearers SELECT id, 1, 99 FROM names", "Name 'warsaw' is borne by 1 passages that are not stored"),
        ("INSERT INTO bearers VALUES (99, 1, 1)", "1 names are borne by passage '[0-9a-f]*' that are not stored"),
        ("INSERT INTO mentions SELECT id, 1, 99, 0, 0 FROM names", "Name 'warsaw' is mentioned by 1 passages that are"),
        ("INSERT INTO mentions VALUES (99, 1, 1, 0, 0)", "1 names are mentioned by passage '[0-9a-f]*' that are not"),
        ("INSERT INTO vectors VALUES (99, x'00')", "The vectors of 1 passages are stored that are not stored"),
        ("INSERT INTO tokens VALUES (99, x'00')", "The tokens of 1 passages are stored that are not stored"),
        ("INSERT INTO chunks VALUES (99, 1, 99, 0, 'stray', '', '')", "Passage 'stray' belongs to no document"),
        ("INSERT INTO documents VALUES (99, 1, 'stray', '', '', '', '', 1)", "Document 'stray' should have 1 passages"),
    ],
)
async def test_verify_names_what_is_stray(tmp_path: Path, stray: str, said: str) -> None:
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
        await store.upsert("default", [CURIE, WARSAW])
        assert await store.verify("default") == []
    with sqlite3.connect(tmp_path / "store.sqlite") as db:
        db.execute(stray)
    db.close()
    async with EmbeddedStore(tmp_path) as store:
        assert [fault for fault in await store.verify("default") if re.search(said, fault)]


@pytest.mark.parametrize("address", ["", "redis://x", "neo5j://host"])
def test_an_unknown_address_is_refused(address: str) -> None:
    with pytest.raises(StoreError, match="Opening the store"):
        open_store(address)


def test_a_path_opens_the_embedded_store(tmp_path: Path) -> None:
    assert open_store(str(tmp_path)).address == str(tmp_path)


def leave_deletions(store: Path) -> None:
    """The files that tantivy's next commits would write."""
    [meta] = store.glob("index/*/text-*/meta.json")
    index = json.loads(meta.read_text())
    for segment in index["segments"]:
        for opstamp in range(index["opstamp"], index["opstamp"] + 20):
            (meta.parent / f"{segment['segment_id'].replace('-', '')}.{opstamp}.del").touch()


async def test_a_file_that_a_killed_commit_left_does_not_bar_the_next(tmp_path: Path) -> None:
    many = [prepared(f"d{i}", f"Title {i}", f"Text number {i}.") for i in range(200)]
    async with EmbeddedStore(tmp_path) as store:
        await store.create("default", SPEC)
        await store.upsert("default", many)
        await store.search_text("default", "number", 5)
    leave_deletions(tmp_path)
    async with EmbeddedStore(tmp_path) as store:
        await store.delete("default", ["d7"])
        assert await store.search_text("default", "7", 5) == []
        assert await store.verify("default") == []
