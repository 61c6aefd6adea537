"""A crowd at `lookahead serve`: what it answers, how fast, and what it keeps of memory and connections afterwards.

    python -m tests.bench.asks [--n 200] [--at-once 200] [--max-runs 64] [--store ADDRESS] [--namespace NAME]
    python -m tests.bench.asks --events ["QUESTION"] [--store ADDRESS] [--namespace NAME]

It starts a server of its own, on the shipped sample where no store is named, with LOOKAHEAD_AUTO=embedded where nothing
is said, and ends it. The crowd comes twice: clients that are told 429 go away, then clients that come again when they
were told to. With --events the events of one question are printed with their times instead, of a server that was just
started and of one that is warm.
"""

import argparse
import asyncio
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from evaluation.sample import passages_path, questions
from tests.integration.test_langgraph_dev import free_port

ROOT = Path(__file__).parents[2]
LOOKAHEAD = [sys.executable, "-c", "from graph.cli import main; main()"]
MOST_TRIES = 100
IDLE_SECONDS = (0, 5, 20)


class Asked(NamedTuple):
    """What one client got, in seconds since it came."""

    statuses: list[int]
    """Of all its tries."""
    first_event: float
    """Until "start" of the try that was taken in."""
    answered: float
    retry_after: list[int]


class Watch(threading.Thread):
    """Looks at a process every 0.1 s: memory, and connections to its port."""

    def __init__(self, pid: int, port: int) -> None:
        super().__init__(daemon=True)
        self._pid, self._port, self._ended = pid, port, threading.Event()
        self.peak_mb, self.peak_connections = 0.0, 0

    def run(self) -> None:
        while not self._ended.wait(0.1):
            self.peak_mb = max(self.peak_mb, self.memory_mb())
            self.peak_connections = max(self.peak_connections, self.connections())

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def memory_mb(self) -> float:
        """Resident memory."""
        lines = Path(f"/proc/{self._pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    def connections(self) -> int:
        """Established ones, at the server's end."""
        rows = [line.split() for line in Path(f"/proc/{self._pid}/net/tcp").read_text().splitlines()[1:]]
        return sum(row[1].endswith(f":{self._port:04X}") and row[3] == "01" for row in rows)


@contextmanager
def serving(folder: Path, store: str, namespace: str, **environment: str) -> Iterator[tuple[str, int, int]]:
    """Address, process id and port of a server."""
    port = free_port()
    options = ["--port", str(port), "--store", store, "--namespace", namespace]
    settings = {
        "LOOKAHEAD_AUTO": "embedded",
        **os.environ,
        "LOOKAHEAD_RUNS": str(folder / "runs.sqlite"),
        **environment,
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*LOOKAHEAD, "serve", *options], cwd=ROOT, env=settings, stdout=log, stderr=log)
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(600):
                try:
                    if process.poll() is not None or httpx.get(f"{address}/ready", timeout=60).is_success:
                        break
                except httpx.TransportError:
                    time.sleep(0.1)
            if process.poll() is not None:
                sys.exit((folder / "log").read_text())
            yield address, process.pid, port
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def with_sample(folder: Path) -> str:
    """A store that holds the shipped sample."""
    store = str(folder / "store")
    command = [*LOOKAHEAD, "ingest", str(passages_path()), "--store", store, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return store


async def ask(client: httpx.AsyncClient, question: str, again: bool) -> Asked:
    """Ask, and where told to come again do so, when told to."""
    started, statuses, waits = time.perf_counter(), list[int](), list[int]()
    for _ in range(MOST_TRIES if again else 1):
        first = 0.0
        async with client.stream("POST", "/ask", json={"question": question, "stream": True}) as response:
            statuses.append(response.status_code)
            async for line in response.aiter_lines():
                first = first or time.perf_counter() - started
                if line == "event: error":
                    statuses[-1] = 500
        if response.status_code != 429:
            break
        waits.append(int(response.headers["retry-after"]))
        if again:
            await asyncio.sleep(waits[-1])
    return Asked(statuses, first, time.perf_counter() - started, waits)


async def crowd(address: str, number: int, at_once: int, again: bool) -> tuple[list[Asked], float]:
    """All clients' experiences, and the seconds until the last was served."""
    texts = list(itertools.islice(itertools.cycle(item["question"] for item in questions()), number))
    turn = asyncio.Semaphore(at_once)
    limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    async with httpx.AsyncClient(base_url=address, timeout=600, limits=limits) as client:

        async def one(text: str) -> Asked:
            async with turn:
                return await ask(client, text, again)

        started = time.perf_counter()
        asked = await asyncio.gather(*[one(text) for text in texts])
        return asked, time.perf_counter() - started


def tell(title: str, asked: list[Asked], wall: float, watch: Watch) -> None:
    """Print what a crowd experienced."""
    last = Counter(client.statuses[-1] for client in asked)
    served = [client for client in asked if client.statuses[-1] == 200]
    waits = [wait for client in asked for wait in client.retry_after]
    print(f"\n{title}: {len(asked)} clients, ended with {dict(last)}; {len(served) / wall:.1f} answers/s, {wall:.1f} s")
    if served:
        print(f"  answered after     {spread([client.answered for client in served])}")
        print(f"  first event after  {spread([client.first_event for client in served])}")
        print(f"  tries              {dict(sorted(Counter(len(client.statuses) for client in asked).items()))}")
    if waits:
        print(f"  retry-after        {min(waits)}-{max(waits)} s, {len(waits)} times")
    print(f"  at the peak        {watch.peak_mb:.0f} MB, {watch.peak_connections} connections")


def spread(seconds: list[float]) -> str:
    """p50, p95 and the longest, in seconds."""
    cuts = statistics.quantiles([*seconds, *seconds[:1]], n=20)
    return f"p50 {statistics.median(seconds):.3f} s, p95 {cuts[18]:.3f} s, longest {max(seconds):.3f} s"


def main(number: int, at_once: int, most: int, store: str, namespace: str) -> None:
    """Let the crowd come twice."""
    with tempfile.TemporaryDirectory(prefix="asks-") as name:
        folder = Path(name)
        store = store or with_sample(folder)
        with serving(folder, store, namespace, LOOKAHEAD_MAX_RUNS=str(most)) as (address, pid, port):
            asyncio.run(crowd(address, 3, 1, again=False))
            watch = Watch(pid, port)
            print(f"{os.cpu_count()} cores, LOOKAHEAD_MAX_RUNS={most}; before: {watch.memory_mb():.0f} MB")
            for title, again in (("without coming again", False), ("coming again when told to", True)):
                watch = Watch(pid, port)
                watch.start()
                asked, wall = asyncio.run(crowd(address, number, at_once, again))
                watch.stop()
                tell(title, asked, wall, watch)
            slept = 0
            for seconds in IDLE_SECONDS:
                time.sleep(seconds - slept)
                slept = seconds
                print(f"  {seconds:2d} s after         {watch.memory_mb():.0f} MB, {watch.connections()} connections")
            page = httpx.get(f"{address}/metrics", timeout=60).text
            shown = ("lookahead_runs_in_flight ", "lookahead_run_seconds_count", "lookahead_errors_total")
            print("\n".join(f"  {line}" for line in page.splitlines() if line.startswith(shown)))
        said = [line for line in (folder / "log").read_text().splitlines() if "POST /ask" not in line]
        print("log:", *said, sep="\n  ")


def show_events(question: str, store: str, namespace: str) -> None:
    """Print the events of one question, asked of a server just started and asked again."""
    with tempfile.TemporaryDirectory(prefix="asks-") as name:
        folder = Path(name)
        store = store or with_sample(folder)
        with (
            serving(folder, store, namespace) as (address, _, _),
            httpx.Client(base_url=address, timeout=600) as client,
        ):
            for title in ("just started", "the same again"):
                print(f"\n{title}: {question}")
                started, event = time.perf_counter(), ""
                with client.stream("POST", "/ask", json={"question": question, "stream": True}) as response:
                    for line in response.iter_lines():
                        at = (time.perf_counter() - started) * 1000
                        if line.startswith("event: "):
                            event = line.removeprefix("event: ")
                        elif line.startswith("data: "):
                            print(f"  {at:7.1f} ms  {event:12s} {brief(json.loads(line.removeprefix('data: ')))}")


def brief(data: dict[str, Any]) -> str:
    """What an event says, on one line."""
    hop = data.get("hop")
    found = f"{hop['id']}: {', '.join(p['title'] for p in hop['passages'])}" if isinstance(hop, dict) else None
    parts = {name: data[name] for name in ("stage", "status", "query", "text", "answer", "run_id") if name in data}
    shown = found or " ".join(str(value) for value in [hop, *parts.values()] if value)
    return shown if len(shown) <= 90 else f"{shown[:90]}…"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=200, help="clients")
    parser.add_argument("--at-once", type=int, default=0, help="of them at the same time; by default all")
    parser.add_argument("--max-runs", type=int, default=64, help="the server's LOOKAHEAD_MAX_RUNS")
    parser.add_argument("--store", default="", help="by default one with the sample")
    parser.add_argument("--namespace", default="default")
    parser.add_argument("--events", nargs="?", const="Where was the author of The Old Man and the Sea born?")
    given = parser.parse_args()
    if given.events:
        show_events(given.events, given.store, given.namespace)
    else:
        main(given.n, given.at_once or given.n, given.max_runs, given.store, given.namespace)
