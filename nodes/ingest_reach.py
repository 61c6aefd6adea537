"""Which files an ingestion may read, and how their documents are called.

Whoever starts `lookahead ingest` reads what they may read. Who asks a server to ingest reads no file of the server but
those under the folder that its owner names. A link counts as the file that it leads to.
"""

import dataclasses
import os
from collections.abc import Callable, Sequence

from stores.errors import InputError
from stores.records import Document
from tools.sources import Sources

CLOSED = (
    "ingest: {path!r} is a file of the server, and {why}: send the documents themselves "
    '({{"documents": [{{"title": ..., "text": ...}}]}}), or have its owner {remedy}'
)


class Reach:
    """Every file there is, under its own path."""

    def allowed(self, paths: Sequence[str]) -> list[str]:
        """The paths, as they may be read."""
        return list(paths)

    def within(self, sources: Sources) -> Sources:
        """What may be read of the files found."""
        return sources

    def named(self, document: Document) -> Document:
        """The document, called as it is to be called."""
        return document

    def called(self, source: str) -> str:
        """A place in a file, called as it is to be called."""
        return source


class RootReach(Reach):
    """Files under one folder; a path that is not absolute starts there.

    Args:
        root: asked for the folder at each ingestion; empty when there is none.
    """

    def __init__(self, root: Callable[[], str]) -> None:
        self._root = root

    def allowed(self, paths: Sequence[str]) -> list[str]:
        """The paths, if all lie under the folder.

        Raises:
            InputError: one does not; what it is, and whether it exists, is not said.
        """
        root = os.path.expanduser(self._root())
        for path in paths:
            if not isinstance(path, str) or "\0" in path:
                raise InputError(f"ingest: {path!r} is no path: name files and folders as strings")
            if not root:
                raise InputError(CLOSED.format(path=path, why="INGEST_ROOT is not set", remedy="set INGEST_ROOT"))
            if not _lies_under(os.path.join(root, path), root):
                raise InputError(CLOSED.format(path=path, why="lies outside INGEST_ROOT", remedy="put it there"))
        return [os.path.join(root, path) for path in paths]

    def within(self, sources: Sources) -> Sources:
        """Without the files that a link leads out of the folder to."""
        root = os.path.expanduser(self._root())
        inside = [_lies_under(file, root) for file in sources.files]
        if not all(inside):
            sources.skipped["link out of INGEST_ROOT"] += inside.count(False)
        kept = [pair for pair, ok in zip(zip(sources.files, sources.sizes, strict=True), inside, strict=True) if ok]
        sources.files, sources.sizes = [file for file, _ in kept], [size for _, size in kept]
        return sources


class UploadReach(Reach):
    """Uploaded files, which lie in a folder of their own for a while: a document is called by the name it came under.

    Args:
        folder: where they lie, as an absolute path.
    """

    def __init__(self, folder: str) -> None:
        self._prefix = os.path.join(folder, "")

    def named(self, document: Document) -> Document:
        """The document without the folder in its key and source."""
        return dataclasses.replace(document, key=self.called(document.key), source=self.called(document.source))

    def called(self, source: str) -> str:
        """Without the folder."""
        return source.removeprefix(self._prefix)


def _lies_under(path: str, root: str) -> bool:
    real, real_root = os.path.realpath(path), os.path.realpath(root)
    return os.path.commonpath([real, real_root]) == real_root
