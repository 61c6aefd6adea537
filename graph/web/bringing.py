"""Documents that clients bring: files that are uploaded, or texts as they are; both go through the ingest graph."""

import asyncio
import contextlib
import gzip
import shutil
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, BinaryIO, cast

from graph.ingest import build
from graph.web.errors import TooLarge
from graph.web.metrics import Metrics
from graph.web.streaming import Told, Work
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from nodes.ingest_reach import UploadReach
from stores.errors import InputError, StoreError
from tools.loading import SUFFIXES, kind

MAX_NAME = 200
"""Bytes of a file's name."""
PIECE = 1 << 20
"""Bytes unpacked at once."""
OUTCOMES = ("added", "updated", "unchanged", "failed")


class Bringing:
    """Ingests what clients bring.

    Args:
        deps: the store, and the embedder.
        metrics: what is counted.
        unpacked: most bytes that the files of one request may unpack to.
    """

    def __init__(self, deps: Deps, metrics: Metrics, unpacked: int) -> None:
        self._deps, self._metrics, self._unpacked = deps, metrics, unpacked

    async def files(self, files: Sequence[tuple[str, BinaryIO]], context: IngestContext) -> Work:
        """Ingest uploaded files (name, content), each known by its name; `checked_names` has let them through."""
        yield Told("start", {"files": len(files), "namespace": context.namespace})
        folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="lookahead-upload-")
        try:
            paths = [str(Path(folder) / name) for name, _ in files]
            left = self._unpacked
            for path, (_, content) in zip(paths, files, strict=True):
                left -= await asyncio.to_thread(_save, content, path, left)
                if left < 0:
                    raise TooLarge(
                        f"upload: with {Path(path).name!r} the files unpack to more than {self._unpacked:,} bytes, "
                        "which is the most that is taken (LOOKAHEAD_MAX_UNPACKED): send less at once"
                    )
            async with aclosing(self._ingest({"paths": paths}, context, UploadReach(folder))) as work:
                async for told in work:
                    yield told
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, True))

    async def documents(self, documents: Sequence[dict[str, Any]], context: IngestContext) -> Work:
        """Ingest documents as they are."""
        yield Told("start", {"documents": len(documents), "namespace": context.namespace})
        async with aclosing(self._ingest({"documents": list(documents)}, context, None)) as work:
            async for told in work:
                yield told

    async def _ingest(self, given: dict[str, Any], context: IngestContext, reach: UploadReach | None) -> Work:
        state: dict[str, Any] = {}
        graph: Any = build(self._deps, reach=reach)
        stream = graph.astream(given, context=context, stream_mode=["custom", "values"], version="v2")
        with self._metrics.ingesting.track_inprogress():
            async with aclosing(stream):
                async for part in stream:
                    if part["type"] == "custom":
                        yield Told("progress", {name: value for name, value in part["data"].items() if name != "type"})
                    else:
                        state = cast(dict[str, Any], part["data"])
        for outcome in OUTCOMES:
            self._metrics.documents.labels(outcome).inc(state["counts"][outcome])
        yield Told("done", summary(state, context.namespace), 200)


def summary(state: dict[str, Any], namespace: str) -> dict[str, Any]:
    """What became of the documents."""
    names = ("failures", "duplicate_keys", "embedder", "warnings", "timings_ms")
    return {"namespace": namespace, **state["counts"], **{name: state[name] for name in names}}


def checked_names(names: Sequence[str | None]) -> list[str]:
    """Names of uploaded files without any folder.

    Raises:
        InputError: one cannot be kept, is of an unknown kind, or stands twice.
    """
    checked: list[str] = []
    for given in names:
        name = (given or "").replace("\\", "/").rpartition("/")[2]
        if not name or name.startswith(".") or "\0" in name or len(name.encode("utf-8", "replace")) > MAX_NAME:
            raise InputError(
                f"upload: {given!r} is no name for a file: it has 1 to {MAX_NAME} bytes and begins with no dot"
            )
        if not kind(name):
            raise InputError(f"upload: {name!r} is of an unknown kind; known are {', '.join(SUFFIXES)}, each also .gz")
        if name in checked:
            raise InputError(f"upload: {name!r} comes twice, and documents are known by it: rename one")
        checked.append(name)
    return checked


def _save(content: BinaryIO, path: str, limit: int) -> int:
    """Write a file; how many bytes it has, unpacked, or some number over the limit.

    Raises:
        StoreError: it cannot be written.
    """
    try:
        content.seek(0)
        with open(path, "xb") as file:
            shutil.copyfileobj(content, file)
    except OSError as error:
        raise StoreError(
            f"upload: {Path(path).name!r} cannot be kept while it is read ({error.strerror or error}): the server's "
            "owner makes room in its folder for temporary files"
        ) from error
    if not path.lower().endswith(".gz"):
        return Path(path).stat().st_size
    size = 0
    with contextlib.suppress(OSError, EOFError, zlib.error), gzip.open(path) as unpacked:  # broken: the reader says so
        while size <= limit and (piece := unpacked.read(PIECE)):
            size += len(piece)
    return size
