"""answer: every question to every method, some at the same time; predictions are written to the disk as they come.

How many run at once is our own bound: LangGraph's `max_concurrency` would hold back the hops inside a run too. What is
there already, made with the same fingerprint, is not made again; runs that raised are.
"""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from evaluation.datasets.records import Question
from evaluation.predictions import append_row
from graph.bench.corpus import own_namespace
from graph.bench.folder import PREDICTIONS, done, read_made_with, read_questions
from graph.bench.load import address_of
from graph.bench.opening import Bench
from graph.bench.rows import rows_of
from graph.bench.running import Row, ask, prediction
from graph.bench.state import GIVEN, BenchContext, BenchState
from graph.bench.telling import each, teller
from nodes.deps import Deps


class Asking(NamedTuple):
    """A question to a method."""

    row: Row
    question: Question


async def answer(state: BenchState, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Ask what was not asked yet.

    Raises:
        StoreError: the folder cannot be written.
    """
    folder = Path(state["out"])
    path, total = folder / PREDICTIONS, state["questions"] * len(state["variants"])
    async with deps.open(address_of(state), state["simulate"]) as opened:
        rows = await open_rows(state, runtime.context, opened)
        there = await asyncio.to_thread(done, path, {row.name: row.fingerprint for row in rows})
        jobs = [job for job in _askings(folder, rows) if (job.row.name, job.question["id"]) not in there]
        tell, writing = teller(runtime, "answer"), asyncio.Lock()
        left, failed = len(jobs), 0
        tell(total - left, total, "")

        async def one(job: Asking) -> None:
            nonlocal left, failed
            ran = await ask(job.row, job.question, namespace_of(state, job.question), seed=state["seed"], sleeps=False)
            row = prediction(job.row, job.question, ran, state["corpus"])
            async with writing:
                await asyncio.to_thread(append_row, path, row)
            left, failed = left - 1, failed + (ran.error is not None)
            tell(total - left, total, job.row.name)

        await each(jobs, one, state["parallel"])
    return {"answered": total, "resumed": total - len(jobs), "failed": failed}


async def open_rows(state: BenchState, base: BenchContext, opened: Deps) -> list[Row]:
    """The rows of the run over these deps, with the fingerprints under which it was begun."""
    made = await asyncio.to_thread(read_made_with, Path(state["out"]))
    return rows_of(state["variants"], opened, base, state["settings"], made)


def namespace_of(state: BenchState, question: Question) -> str:
    """What is searched for a question."""
    return own_namespace(question) if state["corpus"] == GIVEN else state["namespace"]


def _askings(folder: Path, rows: Iterable[Row]) -> Iterator[Asking]:
    """Question by question, so that what is there after a while can be compared."""
    for question in read_questions(folder):
        for row in rows:
            yield Asking(row, question)
