"""Which Neo4j servers the store was tried on: its contract and its own tests, on a server of each version.

    python -m tests.bench.neo4j_versions [VERSION ...]

Each is fetched from Maven Central once, started, tested as one's own server is (TEST_NEO4J_URI), and ended. Without a
version, those of `make test-all`.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from stores.neo4j_connection import SEARCH, parse_version
from tests.integration.neo4j_build import VERSIONS, neo4j_java
from tests.integration.neo4j_server import Neo4jServer, serving

ROOT = Path(__file__).parents[2]
TESTS = ("tests/integration/test_store_neo4j.py", "tests/integration/test_neo4j_store.py")


def main(versions: Sequence[str]) -> bool:
    """Print a row for each version; whether all tests passed."""
    print("| Neo4j | Java | nearest vectors by | contract of stores, and the store's own tests |\n|---|---|---|---|")
    sound = True
    for version in versions:
        with serving(version) as server:
            passed, said = tested(server)
        clause = "`SEARCH`" if parse_version(f"Neo4j/{version}") >= SEARCH else "`db.index.vector.queryNodes`"
        print(f"| {version} | {neo4j_java(version).version} | {clause} | {said} |", flush=True)
        sound = sound and passed
    return sound


def tested(server: Neo4jServer) -> tuple[bool, str]:
    """Whether every test passed, and how many there were."""
    login = {"URI": server.uri, "USERNAME": server.username, "PASSWORD": server.password, "DATABASE": server.database}
    environment = os.environ | {f"TEST_NEO4J_{name}": value for name, value in login.items()}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    counts = re.findall(r"\d+ (?:passed|failed|errors?|skipped)", run.stdout.strip().splitlines()[-1])
    failed = re.findall(r"^(?:FAILED|ERROR) .*::(\S+)", run.stdout, re.MULTILINE)
    return run.returncode == 0, ", ".join([*counts, *failed]) or f"pytest ended with {run.returncode}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=VERSIONS, metavar="VERSION")
    sys.exit(0 if main(parser.parse_args().versions) else 1)
