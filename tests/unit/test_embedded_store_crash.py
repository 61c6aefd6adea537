"""A process that is killed while it writes leaves a sound store."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stores.embedded import EmbeddedStore

ROOT = Path(__file__).parents[2]
WRITER = """
import asyncio, os, signal, sys
from pathlib import Path
import numpy as np
from stores import derived, writing
from stores.chunking import chunk_document
from stores.embedded import EmbeddedStore
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument

point, path = sys.argv[1], Path(sys.argv[2])

def prepared(n):
    document = Document(str(n), f"Title {n}", f"Text {n} names Title {n - 1} and Title {n + 1}.")
    return PreparedDocument(document, chunk_document(document, "default"), np.full((1, 4), n + 1, np.float32))

def die_after(module, name):
    real = getattr(module, name)
    def dying(*args, **kwargs):
        real(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(module, name, dying)

async def main():
    async with EmbeddedStore(path) as store:
        await store.create("default", IngestSpec(EmbedderSpec("toy", 4)))
        await store.upsert("default", [prepared(n) for n in range(40)])
        await store.search_text("default", "text", 1)
        if point != "after commit":
            die_after(*{"in transaction": (writing, "relink"), "vectors written": (derived, "append_vectors"),
                        "text committed": (derived, "write_text"), "published": (derived, "_publish")}[point])
        await store.upsert("default", [prepared(n) for n in range(30, 60)])
        await store.delete("default", ["0", "1"])
        if point == "after commit":
            os.kill(os.getpid(), signal.SIGKILL)
        await store.search_text("default", "text", 1)

asyncio.run(main())
"""


def write_and_die(point: str, store: Path) -> None:
    command = [sys.executable, "-c", WRITER, point, str(store)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == -signal.SIGKILL, run.stderr


@pytest.mark.parametrize(
    ("point", "documents"),
    [("in transaction", 40), ("after commit", 58), ("vectors written", 58), ("text committed", 58), ("published", 58)],
)
async def test_nothing_is_lost_or_doubled(tmp_path: Path, point: str, documents: int) -> None:
    await asyncio.to_thread(write_and_die, point, tmp_path / "store")
    async with EmbeddedStore(tmp_path / "store") as store:
        assert await store.verify("default") == []
        assert len(await store.search_text("default", "text", 100)) == documents
        assert len(await store.documents("default")) == documents
