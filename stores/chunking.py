"""Cuts a document into chunks: at headings, paragraphs, sentences; never through a table or code block.

Every character of the document that is not white space is in some chunk, in order. A chunk after the first of a
section repeats the last sentences of the one before (the overlap). Knows nothing about embedding or storing.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from stores.links import entity_names
from stores.records import Chunk, Document
from stores.sentences import split_sentences

_HUGE = 8
"""A table or code block is split, at line ends, only if it is so many times longer than a chunk."""
_HEADING = re.compile(r"#{1,6}[ \t]+\S.*")
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*")


@dataclass(frozen=True, slots=True)
class _Block:
    """Consecutive lines of one kind."""

    kind: Literal["heading", "text", "table", "code"]
    text: str


def chunk_id(namespace: str, document_key: str, text: str, number: int) -> str:
    """Id of the `number`-th chunk (from 0) with this text in its document: the same whenever it is made.

    >>> chunk_id("default", "a.md", "Some text.", 0)
    'aabf5856ae05a804b97d6712490f5e0c'
    """
    content = "\0".join((namespace, document_key, str(number), text))
    return hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=16).hexdigest()


def chunk_document(document: Document, namespace: str, size: int = 800, overlap: int = 100) -> list[Chunk]:
    """Chunks of a document in order; none if it holds only white space.

    Args:
        document: its text may be Markdown; plain text is split at paragraphs and sentences.
        namespace: part of the ids.
        size: characters that a chunk should not exceed; a sentence, table or code block on its own may.
        overlap: characters, in whole sentences, at most repeated from the chunk before.

    Returns:
        Chunks whose `title` is the document's; the first one bears the document's names.
    """
    texts = [text for section in _sections(_blocks(document.text)) for text in _pack(section, size, overlap)]
    names = entity_names(document)
    seen: Counter[str] = Counter()
    chunks = []
    for position, text in enumerate(texts):
        id_ = chunk_id(namespace, document.key, text, seen[text])
        seen[text] += 1
        chunks.append(Chunk(id_, document.key, position, document.title, text, () if position else names))
    return chunks


def _blocks(text: str) -> Iterator[_Block]:
    """Headings, tables, fenced code, and paragraphs between blank lines."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        end, kind = _block_end(lines, at)
        block = "\n".join(lines[at:end])
        if block.strip():
            yield _Block(kind, block.strip("\n") if kind == "code" else block.strip())
        at = end


def _block_end(lines: list[str], at: int) -> tuple[int, Literal["heading", "text", "table", "code"]]:
    """Where the block that begins at line `at` ends, and its kind."""
    if fence := _FENCE.match(lines[at]):
        return _fence_end(lines, at, fence.group(1)), "code"
    if _HEADING.fullmatch(lines[at]):
        return at + 1, "heading"
    if _starts_table(lines, at):
        end = next((n for n in range(at, len(lines)) if "|" not in lines[n]), len(lines))
        return end, "table"
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines, end):
        end += 1
    return end, "text"


def _fence_end(lines: list[str], at: int, fence: str) -> int:
    """Behind the closing fence, or the end of the text."""
    for number in range(at + 1, len(lines)):
        if lines[number].strip().startswith(fence) and not lines[number].strip().strip(fence[0]):
            return number + 1
    return len(lines)


def _starts_table(lines: list[str], at: int) -> bool:
    return "|" in lines[at] and at + 1 < len(lines) and _TABLE_RULE.fullmatch(lines[at + 1]) is not None


def _starts_block(lines: list[str], at: int) -> bool:
    return bool(_FENCE.match(lines[at]) or _HEADING.fullmatch(lines[at])) or _starts_table(lines, at)


def _sections(blocks: Iterator[_Block]) -> Iterator[list[_Block]]:
    """Blocks under one heading, the heading first; headings that follow each other directly stay together."""
    section: list[_Block] = []
    for block in blocks:
        if block.kind == "heading" and any(other.kind != "heading" for other in section):
            yield section
            section = []
        section.append(block)
    if section:
        yield section


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is never cut: a sentence, a heading line, a table, a code block."""

    text: str
    before: str
    """What joins it to the piece before."""
    repeatable: bool
    """Whether it may be repeated as overlap."""


def _pieces(section: list[_Block], size: int) -> Iterator[_Piece]:
    for block in section:
        if block.kind == "text":
            joint = "\n\n"
            for sentence in split_sentences(block.text):
                for part in _cut(sentence, size):
                    yield _Piece(part, joint, repeatable=True)
                    joint = " "
        elif block.kind == "heading" or len(block.text) <= _HUGE * size:
            yield _Piece(block.text, "\n\n", repeatable=False)
        else:
            for part in _split_lines(block, size):
                yield _Piece(part, "\n", repeatable=False)


def _cut(sentence: str, size: int) -> Iterator[str]:
    """A "sentence" far longer than a chunk (no punctuation) is cut between words, or anywhere if there are none."""
    while len(sentence) > 2 * size:
        at = sentence.rfind(" ", size // 2, size)
        at = at if at > 0 else size
        yield sentence[:at].rstrip()
        sentence = sentence[at:].lstrip()
    yield sentence


def _split_lines(block: _Block, size: int) -> Iterator[str]:
    """Parts of a huge table or code block; each part of a table begins with the table's header."""
    lines = block.text.split("\n")
    header = lines[:2] if block.kind == "table" else []
    part: list[str] = []
    for line in lines[len(header) :]:
        if part and sum(map(len, [*header, *part, line])) > size:
            yield "\n".join([*header, *part])
            part = []
        part.append(line)
    yield "\n".join([*header, *part])


def _pack(section: list[_Block], size: int, overlap: int) -> Iterator[str]:
    """Join pieces up to `size`; what begins a later chunk of a section is the end of the one before."""
    chunk: list[_Piece] = []
    fresh = 0
    for piece in _pieces(section, size):
        if fresh and len(_join([*chunk, piece])) > size and not _only_headings(chunk):
            yield _join(chunk)
            chunk, fresh = _tail(chunk, overlap), 0
            if len(_join([*chunk, piece])) > size:
                chunk = []
        chunk.append(piece)
        fresh += 1
    if fresh:
        yield _join(chunk)


def _only_headings(chunk: list[_Piece]) -> bool:
    return all(piece.text.startswith("#") for piece in chunk)


def _tail(chunk: list[_Piece], overlap: int) -> list[_Piece]:
    """The last whole sentences that fit into `overlap`; not all of the chunk."""
    tail: list[_Piece] = []
    for piece in reversed(chunk[1:]):
        if not piece.repeatable or len(_join([piece, *tail])) > overlap:
            break
        tail.insert(0, piece)
    return tail


def _join(pieces: list[_Piece]) -> str:
    """Text of a chunk; a table or code block is set off by an empty line."""
    return "".join((piece.before if number else "") + piece.text for number, piece in enumerate(pieces))
