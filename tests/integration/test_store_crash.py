"""kill -9 at ten random moments of an ingest with searches in between: the store stays sound and goes on."""

import asyncio
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from stores.embedded import EmbeddedStore

ROOT = Path(__file__).parents[2]
KILLS = 10
WRITER = """
import asyncio, sys
from pathlib import Path
import numpy as np
from stores.chunking import chunk_document
from stores.embedded import EmbeddedStore
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument

def prepared(n):
    document = Document(str(n), f"Title {n % 400}", f"Text {n} names Title {n - 1} and Title {n + 1}.")
    return PreparedDocument(document, chunk_document(document, "default"), np.full((1, 64), n + 1, np.float32))

async def main():
    async with EmbeddedStore(Path(sys.argv[1])) as store:
        await store.create("default", IngestSpec(EmbedderSpec("toy", 64)))
        print("started", flush=True)
        for start in range(0, 5000, 100):
            await store.upsert("default", [prepared(n) for n in range(start, start + 100)])
            await store.search_text("default", "text", 1)
            await store.delete("default", [str(start + 5)])
            await store.upsert("default", [prepared(start + 5)])
    print("finished", flush=True)

asyncio.run(main())
"""


def ingest(store: Path, seconds: float | None) -> bool:
    """Run the writer, kill it after so many seconds; whether it finished."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "started\n"
    if seconds is not None:
        time.sleep(seconds)
        writer.kill()
    rest, _ = writer.communicate()
    return rest == "finished\n"


async def test_killed_at_random_moments(tmp_path: Path) -> None:
    moments = random.Random(7)
    for _ in range(KILLS):
        await asyncio.to_thread(ingest, tmp_path / "store", moments.uniform(0.02, 2))
        async with EmbeddedStore(tmp_path / "store") as store:
            assert await store.verify("default") == []
    assert await asyncio.to_thread(ingest, tmp_path / "store", None)
    async with EmbeddedStore(tmp_path / "store") as store:
        info = await store.info("default")
        assert info is not None
        assert (info.documents, info.passages) == (5000, 5000)
        assert await store.verify("default") == []
