"""Documents that come with the request instead of lying in files. Knows their form; not who sent them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodes.ingest_source import Feed, Read
from nodes.ingest_state import Cursor
from stores.records import Document
from tools.formats import Unreadable, read_record
from tools.loading import Failure
from tools.sources import Sources

SOURCE = "inline"


class InlineFeed(Feed):
    """Documents as they were given, read like the records of a file; a text's characters count as its bytes.

    A document without an id is known by the hash of its content, so that sending it again adds nothing.
    """

    def __init__(self, documents: Sequence[Mapping[str, Any]]) -> None:
        super().__init__([], None)
        self._entries = [_entry(value, number) for number, value in enumerate(documents, 1)]
        self._ends: list[int] = []
        for entry in self._entries:
            length = len(entry.text) if isinstance(entry, Document) else 0
            self._ends.append((self._ends[-1] if self._ends else 0) + length)
        self.bytes = self._ends[-1] if self._ends else 0

    def _find(self, paths: Sequence[str]) -> Sources:
        return Sources()

    def last_places(self) -> dict[str, tuple[int, int]]:
        """(0, number) of the last of each key that stands more than once."""
        last, seen = dict[str, tuple[int, int]](), set[str]()
        for number, entry in enumerate(self._entries, 1):
            if isinstance(entry, Document):
                if entry.key in seen:
                    last[entry.key] = (0, number)
                seen.add(entry.key)
        return last

    def _from(self, cursor: Cursor) -> Iterator[Read]:
        for number in range(cursor["record"], len(self._entries)):
            place = Cursor(file=0, path="", record=number + 1, bytes=self._ends[number])
            yield Read(self._entries[number], place)


def _entry(value: Any, number: int) -> Document | Failure:
    try:
        content = read_record(dict(value) if isinstance(value, Mapping) else value)
    except Unreadable as error:
        return Failure(f"document {number:,}", str(error))
    document = Document(content.id, content.title, content.text, content.metadata, SOURCE)
    if document.key:
        return document
    return Document(f"{SOURCE}#{document.content_hash}", content.title, content.text, content.metadata, SOURCE)
