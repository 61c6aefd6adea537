"""Fetching without a network: what is there already, what is in the way; and the commands on question sets."""

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evaluation.datasets import catalogue
from evaluation.datasets.catalogue import SOURCES, Download, File, Source, source
from evaluation.datasets.fetching import FetchError, fetch
from graph.cli import app
from stores.errors import InputError, LookaheadError

QUESTIONS = b'[{"id": "q1", "question": "Who?", "answer": "Ada", "type": "bridge"}]'


def described(name: str, content: bytes) -> File:
    return File(name, len(content), hashlib.sha256(content).hexdigest())


def as_source(*downloads: Download) -> Source:
    return Source("toy", "A toy", "1", "MIT", "http://toy.invalid", downloads)


PLAIN = as_source(Download("http://toy.invalid/toy.json", described("toy.json", QUESTIONS)))


def archive(folder: Path, **members: bytes) -> Source:
    """An archive put there by hand, and its source."""
    folder.mkdir()
    path = folder / "toy.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("__MACOSX/dev.json", b"not this one")
        for name, content in members.items():
            packed.writestr(f"data/{name}.json", content)
    wanted = (described("dev.json", QUESTIONS),)
    return as_source(Download("http://toy.invalid/toy.zip", described("toy.zip", path.read_bytes()), wanted))


def test_what_is_there_is_checked_and_not_fetched() -> None:
    Path("toy.json").write_bytes(QUESTIONS)
    assert fetch(PLAIN, Path()) == ([Path("toy.json")], 0)


@pytest.mark.parametrize("other", [b"something else", QUESTIONS.replace(b"Ada", b"Eve")])
def test_another_file_of_that_name_is_not_overwritten(other: bytes) -> None:
    Path("toy.json").write_bytes(other)
    with pytest.raises(InputError, match=r"'toy.json' is there and is not the official file: move it away"):
        fetch(PLAIN, Path())
    assert Path("toy.json").read_bytes() == other


def test_an_archive_fetched_by_hand_is_unpacked_and_not_kept() -> None:
    folder = Path("sets")
    wanted = archive(folder, dev=QUESTIONS, test=b"unwanted")
    stages: list[str] = []

    def note(stage: str, name: str, done: int, total: int) -> None:
        stages.append(f"{stage} {name} {done}/{total}")

    assert fetch(wanted, folder, note) == ([folder / "dev.json"], 0)
    assert [path.name for path in folder.iterdir()] == ["dev.json"]
    assert (folder / "dev.json").read_bytes() == QUESTIONS
    assert f"unpacking dev.json {len(QUESTIONS)}/{len(QUESTIONS)}" in stages


@pytest.mark.parametrize(
    ("members", "said"),
    [({"train": QUESTIONS}, "is not the archive that it should be"), ({"dev": b"?"}, "is not the official file")],
)
def test_an_archive_without_the_right_file_leaves_none(members: dict[str, bytes], said: str) -> None:
    folder = Path("sets")
    wanted = archive(folder, **members)
    with pytest.raises(FetchError, match=said):
        fetch(wanted, folder)
    assert [path.name for path in folder.iterdir()] == ["toy.zip"]


def test_a_folder_that_cannot_be_written() -> None:
    Path("file").write_text("")
    with pytest.raises(FetchError, match=r"'file/sets' cannot be written|'file' cannot be written"):
        fetch(PLAIN, Path("file/sets"))


@pytest.mark.parametrize("entry", SOURCES, ids=lambda entry: entry.name)
def test_every_source_is_complete(entry: Source) -> None:
    files = [file for download in entry.downloads for file in (download.file, *download.members)]
    assert all(len(bytes.fromhex(file.sha256)) == 32 for file in files)
    assert all(download.file.size > 0 for download in entry.downloads)
    assert all(download.url.startswith(("https://", "http://curtis.ml.cmu.edu/")) for download in entry.downloads)
    assert source(entry.name.upper()) is entry


def test_names_and_files_are_distinct() -> None:
    assert len({entry.name for entry in SOURCES}) == len(SOURCES)
    hashes = [file.sha256 for entry in SOURCES for download in entry.downloads for file in download.wanted]
    assert len(set(hashes)) == len(hashes)


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(InputError, match=r"there is no set 'hotpot' to fetch: did you mean 'hotpotqa'\?"):
        source("hotpot")


def datasets(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["datasets", *arguments])


def test_list_shows_what_there_is_and_what_was_fetched(own_folders: Path) -> None:
    listed = datasets("list").stdout
    assert all(entry.name in listed and entry.licence in listed and entry.home in listed for entry in SOURCES)
    assert "46 MB" in listed
    assert " fetched" not in listed
    shown = json.loads(datasets("list", "--json").stdout)
    assert [entry["name"] for entry in shown["datasets"]] == [entry.name for entry in SOURCES]
    folder = Path(shown["folder"], "squad")
    folder.mkdir(parents=True)
    (folder / "dev-v1.1.json").write_text("{}")
    assert " fetched" in datasets("list").stdout


def test_fetch_says_where_the_files_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SOURCES", (PLAIN,))
    Path("sets").mkdir()
    Path("sets/toy.json").write_bytes(QUESTIONS)
    said = datasets("fetch", "toy", "--to", "sets").stdout
    assert "there already, and checked" in said
    assert "sets/toy.json" in said
    assert "MIT" in said
    shown = json.loads(datasets("fetch", "toy", "--to", "sets", "--json").stdout)
    assert (shown["files"], shown["bytes_fetched"]) == (["sets/toy.json"], 0)
    assert isinstance(datasets("fetch", "tiy").exception, LookaheadError)


def test_show_says_what_a_file_holds() -> None:
    record = {
        "id": "q1",
        "question": "Into which river does the river of [Bern] flow?",
        "answer": "Rhine",
        "aliases": ["the Rhine"],
        "type": "bridge",
        "hops": 2,
        "passages": [{"title": "Thun", "text": "T" * 300}, {"title": "Aare", "text": "Into the Rhine."}],
        "supporting": ["Aare", "Basel"],
        "steps": [{"question": "Which river?", "answer": "Aare"}],
    }
    Path("q.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps({**record, 'id': 'q2', 'answer': ''})}\n")
    lines = datasets("show", "q.jsonl").stdout.splitlines()
    text = "\n".join(line.rstrip() for line in lines)
    assert lines[0] == "2 questions in the layout of jsonl"
    for said in (
        "types         bridge 2",
        "unanswerable  1",
        "pooled        2 different passages",
        "4 supporting paragraphs, 2 of them not among their question's passages",
        "Into which river does the river of [Bern] flow?   q1",
        "Rhine   also: the Rhine",
        "  #1 Which river?  → Aare",
        "  gold Aare  Into the Rhine.",
        "  gold Basel    not among its passages",
        "       Thun  TTT",
    ):
        assert said in text
    assert text.count("Into the Rhine.") == 1
    assert max(map(len, lines)) < 140
    shown = json.loads(datasets("show", "q.jsonl", "--json").stdout)
    assert (shown["layout"], shown["questions"], shown["example"]["id"]) == ("jsonl", 2, "q1")


def test_show_leaves_out_what_is_not_known() -> None:
    Path("q.jsonl").write_text('{"question": "Who?", "answer": "Ada"}\n')
    text = datasets("show", "q.jsonl").stdout
    assert "1 question in" in text
    assert "passages  none" in text
    assert "gold      not said" in text
    assert not any(label in text for label in ("types", "hops", "steps", "aliases", "unanswerable"))
