"""How fast an ingest is, beside the embedder alone on the same passages in the same process.

    python -m tests.bench.ingesting FILE.jsonl[.gz] [--documents 2000]

The cache of vectors is off. What the ingest takes beyond the embedder is its own: reading, cutting, linking, storing.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from graph.ingest import build
from models.embedder import load_embedder
from nodes.deps import Deps
from nodes.ingest_context import IngestContext
from stores.chunking import chunk_document
from stores.records import Document
from tests.bench.kills import cut
from tools.loading import read_file
from tools.passage_text import passage_text


def embed_alone(file: Path) -> tuple[int, float]:
    """Passages, and the seconds that the embedder takes for them."""
    documents = [r.entry for r in read_file(str(file)) if isinstance(r.entry, Document)]
    context = IngestContext()
    pieces = [
        chunk for d in documents for chunk in chunk_document(d, "default", context.chunk_size, context.chunk_overlap)
    ]
    texts = sorted((passage_text(piece.title, piece.text) for piece in pieces), key=len)
    embedder = load_embedder()
    embedder.embed_passages(texts[:8])
    started = time.perf_counter()
    for first in range(0, len(texts), 256):
        embedder.embed_passages(texts[first : first + 256])
    return len(texts), time.perf_counter() - started


async def ingest(file: Path, store: str) -> float:
    """Seconds of the whole ingest."""
    async with Deps(store) as deps:
        started = time.perf_counter()
        await build(deps).ainvoke({"paths": [str(file)]}, context=IngestContext(vector_cache=False))
        return time.perf_counter() - started


def main(source: Path, documents: int) -> None:
    """Print both rates and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "documents.jsonl"
        cut(source, file, documents)
        passages, alone = embed_alone(file)
        whole = asyncio.run(ingest(file, str(Path(folder) / "store")))
    print(f"{passages} passages: embedder alone {passages / alone:.1f}/s, ingest {passages / whole:.1f}/s", end="")
    print(f" ({alone / whole:.2f} of it)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=int, default=2000)
    given = parser.parse_args()
    main(given.file, given.documents)
