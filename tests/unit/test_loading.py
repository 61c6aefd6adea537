"""Files and folders become documents; what cannot be read becomes one reason, and the rest is read."""

import gzip
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from stores.errors import InputError
from stores.records import Document
from tools import loading
from tools.loading import Failure, read_file
from tools.sources import find_files


def write(path: Path, content: str | bytes | list[Any]) -> str:
    """A file of text, bytes, or JSON lines; packed when its name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(json.dumps(item) for item in content) if isinstance(content, list) else content
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def read_all(path: str, start: int = 0) -> list[Document | Failure]:
    return [record.entry for record in read_file(path, start)]


def only_document(path: str) -> Document:
    (entry,) = read_all(path)
    assert isinstance(entry, Document), entry
    return entry


def only_reason(path: str) -> str:
    (entry,) = read_all(path)
    assert isinstance(entry, Failure), entry
    return entry.reason


@pytest.mark.parametrize("name", ["notes.txt", "notes.txt.gz", "NOTES.TXT"])
def test_text_is_taken_as_it_is_and_titled_by_its_file(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "First.\r\n\r\nSecond.")
    document = only_document(path)
    assert (document.key, document.text) == (path, "First.\n\nSecond.")
    assert document.title.lower() == "notes"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Bern #\n\nA city.", "Bern"),
        ("```\n# not a heading\n```\n## Basel\n", "Basel"),
        ("No heading.", "page"),
        ("---\ntitle: Zürich\ndate: 2024-05-01\n---\n# Other\n", "Zürich"),
        ("---\nnot: [yaml\n---\n# Genf\n", "Genf"),
    ],
)
def test_title_of_markdown(tmp_path: Path, text: str, title: str) -> None:
    assert only_document(write(tmp_path / "page.md", text)).title == title


def test_front_matter_becomes_metadata_and_leaves_the_text(tmp_path: Path) -> None:
    document = only_document(write(tmp_path / "page.md", "---\ntitle: A\ndate: 2024-05-01\n---\nText."))
    assert (document.metadata, document.text) == ({"date": "2024-05-01"}, "Text.")


HTML = """<!doctype html><html><head><title>Old  town</title><style>p {}</style></head><body>
<nav><a href="/">Home</a></nav><script>alert(1)</script><!-- hidden -->
<h1>Bern</h1><p>Capital of <b>Swit</b>zerland.<br>On the Aare.</p>
<ul><li>bears</li><li>clock <i>tower</i></li></ul>
<table><tr><th>Year</th><th>People</th></tr><tr><td>1850</td><td>27,558</td></tr></table>
<pre>a = 1
b = 2</pre><footer>Imprint</footer></body></html>"""


def test_html_keeps_structure_and_drops_what_nobody_reads(tmp_path: Path) -> None:
    document = only_document(write(tmp_path / "page.html", HTML))
    assert document.title == "Old town"
    assert document.text == (
        "# Bern\n\nCapital of Switzerland.\nOn the Aare.\n\n- bears\n- clock tower\n\n"
        "| Year | People |\n| --- | --- |\n| 1850 | 27,558 |\n\n```\na = 1\nb = 2\n```"
    )


def test_html_takes_the_main_part_where_there_is_one(tmp_path: Path) -> None:
    path = write(tmp_path / "p.htm", "<body><div>Menu</div><main><h2>Title</h2><div>Text</div></main></body>")
    assert only_document(path).text == "## Title\n\nText"


def test_html_nested_deeper_than_python_recurses(tmp_path: Path) -> None:
    assert (
        only_document(write(tmp_path / "deep.html", "<div>" * 3000 + "down here" + "</div>" * 3000)).text == "down here"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("<meta charset=iso-8859-1><p>Zürich".encode("latin-1"), "Zürich"),
        ("<p>Zürich".encode("utf-16"), "Zürich"),
        (b"\xef\xbb\xbf<p>Z\xc3\xbcrich", "Zürich"),
    ],
)
def test_html_in_other_encodings(tmp_path: Path, data: bytes, text: str) -> None:
    assert only_document(write(tmp_path / "page.html", data)).text == text


def test_json_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path / "corpus.jsonl.gz",
        [
            {"id": 7, "title": "Bern", "text": "A city.", "lang": "en", "metadata": {"year": 1191}},
            {"text": "Untitled."},
        ],
    )
    first, second = read_all(path)
    assert first == Document("7", "Bern", "A city.", {"lang": "en", "year": 1191}, path)
    assert isinstance(second, Document)
    assert second.key == f"{path}#{second.content_hash}"


def test_json_object_and_list(tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", '{"title": "Bern", "text": "A city."}')
    many = write(tmp_path / "many.json", '[{"id": "a", "text": "A."}, {"text": "B."}, 3]')
    assert only_document(one).key == one
    assert [getattr(entry, "key", entry)[:1] for entry in read_all(many)[:1]] == ["a"]
    assert read_all(many)[2] == Failure(f"{many}, item 3", "is a number, not an object with 'title' and 'text'")


def test_reading_goes_on_after_any_record(tmp_path: Path) -> None:
    path = write(tmp_path / "c.jsonl", '{"id": "a", "text": "A"}\n\nbroken\n{"id": "b", "text": "B"}\n')
    whole = list(read_file(path))
    assert [record.number for record in whole] == [1, 3, 4]
    for place, record in enumerate(whole):
        assert list(read_file(path, record.number)) == whole[place + 1 :]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{broken", "is broken JSON: Expecting property name enclosed in double quotes at column 2"),
        ('{"title": "A"}', "has no field 'text' (it has 'title')"),
        ('{"text": ["a"]}', "has a 'text' that is a list, not a string"),
        ('{"text": " "}', "is empty"),
        ('{"id": true, "text": "A"}', "has an 'id' that is true or false, not a string or a whole number"),
        ('{"text": "A", "score": NaN}', "is broken JSON: NaN is not a JSON value"),
        ('"text"', "is a string, not an object with 'title' and 'text'"),
        ("[" * 100_000, "is broken JSON: nested too deeply"),
    ],
)
def test_a_bad_line_fails_alone_and_says_where(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path / "c.jsonl", f'{{"id": "a", "text": "A"}}\n{line}\n{{"id": "b", "text": "B"}}\n')
    first, failure, last = read_all(path)
    assert failure == Failure(f"{path}, line 2", reason)
    assert [first.key, last.key] == ["a", "b"]  # type: ignore[union-attr]


def test_half_a_character_is_mended_since_no_store_can_encode_it(tmp_path: Path) -> None:
    document = only_document(write(tmp_path / "c.jsonl", '{"id": "a", "text": "x \\ud83d y", "k": ["\\udc00"]}'))
    assert (document.text, document.metadata) == ("x \ufffd y", {"k": ["\ufffd"]})
    assert document.content_hash


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b"\x89PNG\0\1", "is binary (it holds NUL bytes), not text"),
        ("a.md", b"caf\xe9", "is not UTF-8 (byte 0xe9 at 3)"),
        ("a.jsonl", b"", "is empty"),
        ("a.jsonl", b"\0\1\2", "is binary"),
        ("a.json", b"[]", "is an empty list"),
        ("a.json", b'{"a": 1}\n{"a": 2}', "one object per line? then name it .jsonl"),
        ("a.json", b'[{"question": "Q"}]', "is a list of something else: item 1 has no field 'text'"),
        ("a.html", b"<script>x</script>", "is empty"),
    ],
)
def test_a_bad_file_is_one_reason(tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    assert reason in only_reason(write(tmp_path / name, data))


def test_a_broken_gzip_file_keeps_what_was_read_before_the_break(tmp_path: Path) -> None:
    lines = [{"id": str(n), "text": os.urandom(500).hex()} for n in range(400)]
    packed = Path(write(tmp_path / "c.jsonl.gz", lines)).read_bytes()
    (tmp_path / "c.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    *read, last = read_all(str(tmp_path / "c.jsonl.gz"))
    assert len(read) > 100
    assert isinstance(last, Failure)
    assert "is a broken gzip file" in last.reason


def test_a_file_that_is_not_packed_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(b"not packed")
    assert "is a broken gzip file" in only_reason(str(tmp_path / "a.txt.gz"))


def test_enormous_files_and_lines_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_FILE", 1000)
    monkeypatch.setattr(loading, "MAX_LINE", 1000)
    assert "is larger than" in only_reason(write(tmp_path / "a.txt.gz", "x" * 1001))
    path = write(tmp_path / "c.jsonl", [{"id": "a", "text": "A"}, {"text": "x" * 5000}, {"id": "b", "text": "B"}])
    first, failure, last = read_all(path)
    assert isinstance(failure, Failure)
    assert "is longer than" in failure.reason
    assert [first.key, last.key] == ["a", "b"]  # type: ignore[union-attr]


def test_a_folder_is_walked_by_name_and_what_is_not_ours_is_counted(tmp_path: Path) -> None:
    for name in ("b.txt", "a/c.md", "a/.hidden.txt", "photo.png", "Makefile", ".git/x.txt"):
        write(tmp_path / name, "x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    found = find_files([str(tmp_path), str(tmp_path / "b.txt")])
    assert [os.path.relpath(file, tmp_path) for file in found.files] == ["a/c.md", "b.txt"]
    assert found.skipped == {
        "hidden": 2,
        ".png": 1,
        "without suffix": 1,
        "folder linked twice": 1,
        "broken link": 1,
    }


def test_the_same_folder_from_another_place_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "docs" / "a.txt", "x")
    absolute = find_files([str(tmp_path / "docs")]).files
    monkeypatch.chdir(tmp_path)
    assert find_files(["docs"]).files == find_files(["./docs/../docs"]).files == absolute


def test_a_name_that_is_not_utf8_is_a_failure_since_no_store_can_keep_it(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "x")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("x")
    found = find_files([str(tmp_path)])
    assert (len(found.files), found.failures[0].reason) == (1, "has a name that is not UTF-8: rename it")


def test_a_named_file_of_an_unknown_kind_is_a_failure_and_a_missing_one_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", "x")
    assert "is of an unknown kind" in find_files([path]).failures[0].reason
    with pytest.raises(InputError, match=r"'nowhere' does not exist"):
        find_files(["nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no file that can be ingested"):
        find_files([str(tmp_path / "empty")])
    with pytest.raises(InputError, match="no path was given"):
        find_files([])


def test_front_matter_that_stands_for_more_than_it_says_stays_text(tmp_path: Path) -> None:
    """Nine lines of aliases would make a thousand million values."""
    bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    for block in ("\n".join(bomb), "key: value\n" * 10_000, "a: " + "[" * 60 + "]" * 60):
        document = only_document(write(tmp_path / "page.md", f"---\n{block}\n---\n# Bern\n"))
        assert document.metadata == {}
        assert document.text.startswith("---")


def test_tables_in_tables_take_no_more_time_the_deeper_they_lie(tmp_path: Path) -> None:
    page = write(tmp_path / "deep.html", "<table><tr><td>x" * 5_000)
    started = time.process_time()
    assert only_document(page).text.startswith("x")
    assert time.process_time() - started < 10  # each looked into: over a minute
