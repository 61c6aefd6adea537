"""Documents that clients bring: files that are uploaded, or texts as they are; both go through the ingest graph."""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, BinaryIO, cast

from graph.ingest import build
from graph.web.metrics import Metrics
from graph.web.streaming import Told, Work
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from nodes.ingest_reach import UploadReach
from stores.errors import InputError
from tools.loading import SUFFIXES, kind

MAX_NAME = 200
"""Characters of a file's name."""
OUTCOMES = ("added", "updated", "unchanged", "failed")


class Bringing:
    """Ingests what clients bring.

    Args:
        deps: the store, and the embedder.
        metrics: what is counted.
    """

    def __init__(self, deps: Deps, metrics: Metrics) -> None:
        self._deps, self._metrics = deps, metrics

    async def files(self, files: Sequence[tuple[str, BinaryIO]], context: IngestContext) -> Work:
        """Ingest uploaded files (name, content), each known by its name; `checked_names` has let them through."""
        yield Told("start", {"files": len(files), "namespace": context.namespace})
        folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="lookahead-upload-")
        try:
            paths = [str(Path(folder) / name) for name, _ in files]
            for path, (_, content) in zip(paths, files, strict=True):
                await asyncio.to_thread(_save, content, path)
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


def _save(content: BinaryIO, path: str) -> None:
    content.seek(0)
    with open(path, "xb") as file:
        shutil.copyfileobj(content, file)
