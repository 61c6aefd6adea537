"""kill -9 an ingest at random moments, then let it finish, and verify that nothing is lost, doubled or out of step.

    python -m tests.bench.kills FILE.jsonl[.gz] [--documents 5000] [--kills 10] [--seed 7]

Each start resumes where the last one was killed. The vectors of an earlier run may come from the user's cache; point
LOOKAHEAD_CACHE at an empty folder to have them computed.
"""

import argparse
import gzip
import itertools
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LOOKAHEAD = [sys.executable, "-c", "from graph.cli import main; main()"]


def cut(source: Path, target: Path, documents: int) -> None:
    """Copy the first lines of a JSON lines file."""
    with gzip.open(source, "rt") if source.suffix == ".gz" else source.open() as lines, target.open("w") as out:
        out.writelines(itertools.islice(lines, documents))


def lookahead(*arguments: str) -> Any:
    """Run a command to its end and return the JSON object it prints."""
    run = subprocess.run([*LOOKAHEAD, *arguments, "--json"], capture_output=True, text=True, check=False)
    if run.returncode != 0 and not run.stdout:
        sys.exit(
            f"lookahead {' '.join(arguments)} ended with {run.returncode}: {run.stderr.strip()}{run.stdout.strip()}"
        )
    return json.loads(run.stdout)


def problems_of(verified: Any) -> str:
    """What `lookahead verify --json` found, in words."""
    return "nothing lost, doubled or out of step" if verified["sound"] else str(verified["namespaces"])


def main(source: Path, documents: int, kills: int, seed: int) -> None:
    """Kill, resume, finish, verify; print a line for each."""
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        file, store = Path(folder) / "documents.jsonl", str(Path(folder) / "store")
        cut(source, file, documents)
        for number in range(1, kills + 1):
            seconds = moments.uniform(2.0, 20.0)
            process = subprocess.Popen(
                [*LOOKAHEAD, "ingest", str(file), "--store", store],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(seconds)
            finished = process.poll() is not None
            process.send_signal(signal.SIGKILL)
            process.wait()
            found = lookahead("verify", "--store", store)
            held = lookahead("stats", "--store", store)
            problems, stored = problems_of(found), sum(n["documents"] for n in held["namespaces"])
            state = "had finished" if finished else f"killed after {seconds:.1f} s"
            print(f"{number:2d}  {state:<20} {stored:6d} documents stored; {problems}", flush=True)
        summary = lookahead("ingest", str(file), "--store", store)
        print(f"finished: {summary['added']} added, {summary['unchanged']} unchanged, {summary['failed']} failed")
        again = lookahead("ingest", str(file), "--store", store)
        print(f"again: {again['added']} added, {again['updated']} updated, {again['unchanged']} unchanged")
        print(f"verify: {problems_of(lookahead('verify', '--store', store))}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    main(given.file, given.documents, given.kills, given.seed)
