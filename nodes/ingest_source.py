"""Records of the sources from any cursor on, so that a run can go on where another process stopped.

Knows files and cursors; nothing of stores, batches or graphs. All methods block: call them in a thread.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from nodes.ingest_reach import Reach
from nodes.ingest_state import Cursor
from stores.records import Document
from tools.loading import LINES, Failure, kind, read_file
from tools.sources import Sources, find_files

MOST_CHARACTERS = 20_000_000
"""Most text taken at once, whatever the number of records."""
START = Cursor(file=0, path="", record=0, bytes=0)


class Read(NamedTuple):
    """A record and the place right after it."""

    entry: Document | Failure
    after: Cursor


class Feed:
    """The records that a list of paths stands for. Goes on in the open file when asked for where it stands.

    Args:
        paths: files and folders.
        reach: which of the files found may be read, and how their documents are called.
    """

    def __init__(self, paths: Sequence[str], reach: Reach | None = None) -> None:
        self._reach = reach or Reach()
        self.sources = self._find(paths)
        self.bytes = sum(self.sources.sizes)
        self._before = [0, *accumulate(self.sources.sizes)]
        self._ahead: deque[Read] = deque()
        self._stream: Iterator[Read] = iter(())
        self._at: Cursor | None = None

    def _find(self, paths: Sequence[str]) -> Sources:
        return self._reach.within(find_files(paths))

    def take(self, cursor: Cursor, limit: int) -> list[Read]:
        """Up to `limit` records after `cursor`, fewer when they are long; none at the end."""
        if self._at != cursor:
            self._ahead.clear()
            self._stream = self._from(cursor)
        taken: list[Read] = []
        characters = 0
        while len(taken) < limit and characters < MOST_CHARACTERS:
            read = self._ahead.popleft() if self._ahead else next(self._stream, None)
            if read is None:
                break
            characters += len(read.entry.text) if isinstance(read.entry, Document) else 0
            taken.append(read)
        self._at = taken[-1].after if taken else cursor
        return taken

    def put_back(self, reads: Sequence[Read], cursor: Cursor) -> None:
        """Have the last `reads` taken again; `cursor` is the place before them."""
        self._ahead.extendleft(reversed(reads))
        self._at = cursor

    def last_places(self) -> dict[str, tuple[int, int]]:
        """(file, record) of the last of each key that stands more than once. Reads every file of records once."""
        seen, last = set[str](), dict[str, tuple[int, int]]()
        for number, path in enumerate(self.sources.files):
            records = read_file(path) if kind(path) in (*LINES, ".json") else ()
            for record in records:
                if isinstance(record.entry, Document):
                    key = self._reach.named(record.entry).key
                    if key in seen:
                        last[key] = (number, record.number)
                    seen.add(key)
        return last

    def _from(self, cursor: Cursor) -> Iterator[Read]:
        files = self.sources.files
        first, skip = cursor["file"], cursor["record"]
        if cursor["path"] and (first >= len(files) or files[first] != cursor["path"]):
            # The folder has changed since. What is stored is passed over, so that starting again is only slower.
            first, skip = (files.index(cursor["path"]), skip) if cursor["path"] in files else (0, 0)
        for number in range(first, len(files)):
            for record in read_file(files[number], skip):
                done = self._before[number] + record.bytes_read
                place = Cursor(file=number, path=files[number], record=record.number, bytes=done)
                yield Read(self._named(record.entry), place)
            skip = 0

    def _named(self, entry: Document | Failure) -> Document | Failure:
        if isinstance(entry, Failure):
            return entry._replace(source=self._reach.called(entry.source))
        return self._reach.named(entry)
