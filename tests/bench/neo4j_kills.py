"""kill -9 a Neo4j server during `lookahead ingest`, start it again, ingest again, and verify.

    python -m tests.bench.neo4j_kills FILE.jsonl[.gz] [--documents 1500] [--kills 3] [--seed 7] [--version 5.26.0]

The kill comes some seconds after a random part of the documents is stored, so that it is in the middle however fast the
machine is.
"""

import argparse
import asyncio
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

from stores.errors import StoreError
from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings
from tests.bench.kills import LOOKAHEAD, cut
from tests.integration.neo4j_build import VERSIONS
from tests.integration.neo4j_server import Neo4jServer, serving

LONGEST = 6.0
"""Seconds between that moment and the kill, at most: about what an ingest takes for a batch."""


def main(source: Path, documents: int, kills: int, seed: int, server: Neo4jServer) -> None:
    """Kill, start, resume, verify; print a line for each."""
    chance = random.Random(seed)
    moments = sorted(chance.uniform(0.05, 0.7) for _ in range(kills))
    print(f"Neo4j {server.version}, {documents} documents")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "documents.jsonl"
        cut(source, file, documents)
        for number, moment in enumerate(moments, start=1):
            code, said = ingest_until(file, server, int(moment * documents), chance.uniform(0, LONGEST))
            server.start()
            print(f"{number:2d}  killed; ingest ended with {code}: {said}")
            print(
                f"    started again, {asyncio.run(stored(server))} documents stored; verify: {last(server, 'verify')}"
            )
        print(f"ingest: {last(server, 'ingest', str(file))}")
        print(f"ingest: {last(server, 'ingest', str(file))}")
        print(f"verify: {last(server, 'verify')}")


def ingest_until(file: Path, server: Neo4jServer, enough: int, later: float) -> tuple[int, str]:
    """Kill the server some seconds after so many documents are stored; exit code and last line of the ingest."""
    command = [*LOOKAHEAD, "ingest", str(file), "--store", server.uri]
    process = subprocess.Popen(
        command, env=environment(server), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and asyncio.run(stored(server)) < enough:
        time.sleep(0.2)
    time.sleep(later)
    server.kill()
    _, said = process.communicate()
    return process.returncode, said.strip().splitlines()[-1] if said.strip() else "it had finished"


async def stored(server: Neo4jServer) -> int:
    """Documents in the server."""
    try:
        async with Neo4jStore(server.uri, Neo4jSettings(server.username, server.password)) as store:
            info = await store.info("default")
            return info.documents if info else 0
    except StoreError:
        return 0


def last(server: Neo4jServer, *command: str) -> str:
    """Run a command of ours; the last line that it prints."""
    run = subprocess.run(
        [*LOOKAHEAD, *command, "--store", server.uri], env=environment(server), capture_output=True, text=True
    )
    return (run.stdout.strip() or run.stderr.strip()).splitlines()[-1]


def environment(server: Neo4jServer) -> dict[str, str]:
    """Where a user would put the login; failing writes are given up soon, as the server is down for good."""
    return {**os.environ, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password, "NEO4J_TIMEOUT": "5"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--version", default=VERSIONS[0])
    given = parser.parse_args()
    with serving(given.version) as started_server:
        main(given.file, given.documents, given.kills, given.seed, started_server)
