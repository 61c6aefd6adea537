"""`lookahead migrate-store` of a folder into Neo4j: rate, processor time, sizes on disk, verify, nearest neighbours.

    python -m tests.bench.neo4j_migrating FROM NAMESPACE [--version 5.26.0] [--synthetic DOCUMENTS.jsonl.gz]

The server is started for this and ends with it. With `--synthetic` FROM's vectors are random ones in place of an
embedder's, and it is made first, a passage a document, where it is not there: good for rate and sizes, not asked for
neighbours.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from neo4j import GraphDatabase

from graph.bench.corpus import WHOLE
from stores.chunking import chunk_document
from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings
from stores.opening import open_store
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument
from tests.bench.kills import LOOKAHEAD
from tests.bench.neo4j_store import compare, sampled
from tests.integration.neo4j_build import VERSIONS
from tests.integration.neo4j_server import Neo4jServer, serving
from tools.loading import read_file

DIMENSION = 384
BATCH = 2000
INDEXES = "SHOW INDEXES YIELD id, type, name, indexProvider RETURN id, type, name, indexProvider"


def main(source: str, namespace: str, synthetic: Path | None, server: Neo4jServer) -> None:
    """Print every figure."""
    if synthetic is not None:
        asyncio.run(make(source, namespace, synthetic))
    print(f"Neo4j {server.version}, vectors are {'synthetic' if synthetic else 'those of FROM'}", flush=True)
    login = {"NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    environment = {**os.environ, **login}
    timed(["migrate-store", source, server.uri, "--namespace", namespace], environment, server)
    timed(["verify", "--store", server.uri, "--namespace", namespace], environment, server)
    if synthetic is None:
        asyncio.run(neighbours(source, namespace, server))
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        found = driver.execute_query(INDEXES, database_=server.database).records
    server.stop()  # so that everything is in its files
    print_sizes(server.home, [(str(r["id"]), r["type"], r["name"], r["indexProvider"]) for r in found])


async def make(folder: str, namespace: str, file: Path) -> None:
    """Fill an embedded store with random unit vectors."""
    random = np.random.default_rng(7)
    documents = [record.entry for record in read_file(str(file)) if isinstance(record.entry, Document)]
    async with open_store(folder) as store:
        if await store.info(namespace) is not None:
            return
        spec = IngestSpec(EmbedderSpec("synthetic", DIMENSION), WHOLE, 0)
        await store.create(namespace, spec)
        for start in range(0, len(documents), BATCH):
            batch = [prepared(it, namespace, spec, random) for it in documents[start : start + BATCH]]
            await store.upsert(namespace, batch)


def prepared(document: Document, namespace: str, spec: IngestSpec, random: np.random.Generator) -> PreparedDocument:
    """A document and a random direction for each passage: one, as no document is so long that it is cut."""
    chunks = chunk_document(document, namespace, spec.chunk_size, spec.chunk_overlap)
    vectors = random.normal(size=(len(chunks), DIMENSION)).astype(np.float32)
    return PreparedDocument(document, chunks, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def timed(command: list[str], environment: dict[str, str], server: Neo4jServer) -> None:
    """Run a command of ours to its end; print what it says, and what it took of both processes."""
    started, served = time.perf_counter(), cpu_seconds(server.pid)
    ours = os.times()
    run = subprocess.run([*LOOKAHEAD, *command], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    took, after = time.perf_counter() - started, os.times()
    if run.returncode:
        sys.exit(f"lookahead {' '.join(command)} ended with {run.returncode}: {run.stdout}")
    said = run.stdout.strip().replace("\n", "\n    ")
    own = after.children_user + after.children_system - ours.children_user - ours.children_system
    print(f"lookahead {command[0]}: {took:.0f} s; processor: the command {own:.0f} s, ", end="")
    print(f"the server {cpu_seconds(server.pid) - served:.0f} s\n    {said}", flush=True)


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has taken so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def print_sizes(home: Path, indexes: list[tuple[str, str, str, str]]) -> None:
    """Megabytes of the database, of each of our indexes, and of the log of transactions, which is not kept for ever."""
    store, logs = home / "data/databases/neo4j", home / "data/transactions/neo4j"
    folder = store / "schema/index"
    print(f"on disk: database {size(store):.0f} MB, and {size(logs):.0f} MB log of transactions; of the database:")
    rest = size(store)
    for id_, kind, name, provider in sorted(indexes, key=lambda index: (index[1], index[2])):
        taken = size(folder / provider / id_)
        rest -= taken
        print(f"    {taken:8.1f} MB  {kind.lower()} index {name}")
    print(f"    {rest:8.1f} MB  nodes, relationships and properties")


def size(folder: Path) -> float:
    """Megabytes that a folder takes on disk."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*") if file.is_file()) / 1e6


async def neighbours(source: str, namespace: str, server: Neo4jServer) -> None:
    """The folder's nearest neighbours beside those of Neo4j's index, and the times of both."""
    settings = Neo4jSettings(server.username, server.password, server.database)
    async with open_store(source, read_only=True) as here, Neo4jStore(server.uri, settings) as there:
        await compare(here, there, namespace, await sampled(here, namespace, 60))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="FROM")
    parser.add_argument("namespace", metavar="NAMESPACE")
    parser.add_argument("--synthetic", type=Path, metavar="DOCUMENTS")
    parser.add_argument("--version", default=VERSIONS[0])
    given = parser.parse_args()
    with serving(given.version, as_owned=True) as started_server:
        main(given.source, given.namespace, given.synthetic, started_server)
