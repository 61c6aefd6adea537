"""Documents out of files and folders, one at a time: txt, md, html, json, jsonl, each also gzipped.

A reader yields a document or the reason why there is none, never an exception for a bad file: one bad file must not
stop the others. It keeps one record in memory, not the file, so that JSON lines may be of any length. It knows nothing
about stores, chunks or graphs.

Identity: a document's key is the id it gives, else the absolute path of its file (symbolic links are kept as written),
so that the same folder is recognised from any working directory; a record of JSON lines or of a JSON list without an
id is `<path>#<content hash>`. A folder that was moved holds new documents.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from stores.records import Document
from tools.formats import Content, Unreadable, parse_json, read_html, read_markdown, read_record, read_text

MAX_FILE = 50_000_000
"""Most bytes of a file that is one document or one JSON value, unpacked."""
MAX_LINE = 5_000_000
"""Most bytes of one JSON line."""

WHOLE_FILES: dict[str, Callable[[bytes], Content]] = {
    ".txt": read_text,
    ".text": read_text,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
}
LINES = (".jsonl", ".ndjson")
SUFFIXES = (*WHOLE_FILES, ".json", *LINES)


class Failure(NamedTuple):
    """Something that could not be ingested, and why."""

    source: str
    """Path, and line or item number where there is one."""
    reason: str


class Record(NamedTuple):
    """What stands at one place of a file."""

    number: int
    """Records of this file up to and with this one; reading goes on from here."""
    bytes_read: int
    """Of the file as it lies on disk, packed or not."""
    entry: Document | Failure


def kind(path: str) -> str:
    """The suffix that says how a file is read, without .gz; empty when it is none of ours.

    >>> kind("corpus.JSONL.gz"), kind("photo.png")
    ('.jsonl', '')
    """
    suffix = Path(path.lower().removesuffix(".gz")).suffix
    return suffix if suffix in SUFFIXES else ""


def read_file(path: str, start: int = 0) -> Iterator[Record]:
    """Records of one file after the first `start`; what cannot be read becomes a `Failure`."""
    number, done = start, 0
    try:
        with open(path, "rb") as raw:
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw) if path.lower().endswith(".gz") else raw)
            reader = _lines if kind(path) in LINES else _items if kind(path) == ".json" else _whole
            for number, entry in reader(path, stream, start):
                done = raw.tell()
                yield Record(number, done, entry)
    except Unreadable as error:
        yield Record(number + 1, done, Failure(path, str(error)))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        yield Record(number + 1, done, Failure(path, f"is a broken gzip file ({error}); {_so_far(number)}"))
    except OSError as error:
        yield Record(number + 1, done, Failure(path, f"cannot be read ({error.strerror or error})"))


def _whole(path: str, stream: BinaryIO, start: int) -> Iterator[tuple[int, Document | Failure]]:
    """The file as one document."""
    if start:
        return
    content = WHOLE_FILES[kind(path)](_bytes(stream))
    yield 1, _document(content, path, path)


def _items(path: str, stream: BinaryIO, start: int) -> Iterator[tuple[int, Document | Failure]]:
    """A JSON file: one record, or a list of them."""
    value = parse_json(_bytes(stream))
    if not isinstance(value, list):
        if not start:
            yield 1, _document(read_record(value), path, path)
        return
    if not value:
        raise Unreadable("is an empty list")
    readable = False
    for number, item in enumerate(value, 1):
        try:
            entry: Document | Failure = _document(read_record(item), path, "")
            readable = True
        except Unreadable as error:
            if not readable and number == 1 and not any(isinstance(other, dict) and "text" in other for other in value):
                raise Unreadable(f"is a list of something else: item 1 {error}") from None
            entry = Failure(f"{path}, item {number:,}", str(error))
        if number > start:
            yield number, entry


def _lines(path: str, stream: BinaryIO, start: int) -> Iterator[tuple[int, Document | Failure]]:
    """JSON lines; empty lines count as lines and are passed over."""
    if b"\0" in cast(BufferedReader, stream).peek(1024)[:1024]:
        raise Unreadable("is binary (it holds NUL bytes) or UTF-16, not JSON lines in UTF-8")
    number, found = 0, False
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        too_long = len(line) > MAX_LINE
        while too_long and line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        if not line.strip():
            continue
        found = True
        if number > start:
            try:
                if too_long:
                    raise Unreadable(f"is longer than {MAX_LINE / 1e6:.0f} MB")
                yield number, _document(_record(line), path, "")
            except Unreadable as error:
                yield number, Failure(f"{path}, line {number:,}", str(error))
    if not found:
        raise Unreadable("is empty")


def _record(line: bytes) -> Content:
    try:
        return read_record(parse_json(line))
    except Unreadable as error:
        raise Unreadable(str(error).replace(" at line 1, column", " at column")) from None


def _bytes(stream: BinaryIO) -> bytes:
    data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise Unreadable(f"is larger than {MAX_FILE / 1e6:.0f} MB: split it, or turn it into JSON lines")
    return data


def _document(content: Content, path: str, key: str) -> Document:
    """A document; `key` is the path for a file that is one document, and empty for a record of many."""
    title = content.title or (Path(_unpacked(path)).stem if key else "")
    document = Document(content.id or key, title, content.text, content.metadata, path)
    if document.key:
        return document
    return Document(f"{path}#{document.content_hash}", title, content.text, content.metadata, path)


def _unpacked(path: str) -> str:
    return path[:-3] if path.lower().endswith(".gz") else path


def _so_far(number: int) -> str:
    return f"{number:,} lines before the break were read" if number else "nothing was read from it"
