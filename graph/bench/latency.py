"""latency: some of the questions once more, one at a time and warm, so that the time of each is its own.

The methods take turns on each question, and a different one begins each time: what slows the machine down for a while,
or is warm from the run before, hits all alike. What readers remember is forgotten before each run: else a method would
find read what another has just read. Simulated waits are really waited here, so that what runs beside a call
counts as beside it.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from evaluation.datasets.records import Question
from evaluation.datasets.sampling import sample
from evaluation.predictions import append_row
from graph.bench.answer import Asking, namespace_of, open_rows
from graph.bench.folder import LATENCY, done, read_questions
from graph.bench.load import address_of
from graph.bench.opening import Bench
from graph.bench.running import Row, ask, latency_row
from graph.bench.state import BenchContext, BenchState
from graph.bench.telling import each, teller

WARM_UP = 2
"""Questions asked of each method before the first one is timed."""


async def latency(state: BenchState, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Time what was not timed yet.

    Raises:
        StoreError: the folder cannot be written.
    """
    folder = Path(state["out"])
    path = folder / LATENCY
    questions = await asyncio.to_thread(_drawn, folder, state)
    async with deps.open(address_of(state), state["simulate"]) as opened:
        rows = await open_rows(state, runtime.context, opened)
        there = await asyncio.to_thread(done, path, {row.name: row.fingerprint for row in rows})
        jobs = [job for job in _turns(questions, rows) if (job.row.name, job.question["id"]) not in there]
        total, left, tell = len(questions) * len(rows), len(jobs), teller(runtime, "latency")

        async def warm(job: Asking) -> None:
            await ask(job.row, job.question, namespace_of(state, job.question), seed=state["seed"], sleeps=False)

        async def time_one(job: Asking) -> None:
            nonlocal left
            opened.forget()
            ran = await ask(job.row, job.question, namespace_of(state, job.question), seed=state["seed"], sleeps=True)
            await asyncio.to_thread(append_row, path, latency_row(job.row, job.question, ran))
            left -= 1
            tell(total - left, total, job.row.name)

        tell(total - left, total, "")
        if jobs:
            await each(_turns(questions[:WARM_UP], rows), warm, 1)
            await each(jobs, time_one, 1)
    return {"timed": total}


def _drawn(folder: Path, state: BenchState) -> list[Question]:
    """The questions that are timed: drawn from those asked, whatever their order."""
    wanted = state["latency_sample"]
    return sample(list(read_questions(folder)), wanted, state["seed"]) if wanted else []


def _turns(questions: Sequence[Question], rows: Sequence[Row]) -> list[Asking]:
    """Each question to each row; the row that begins changes from question to question."""
    order = [(question, number % len(rows)) for number, question in enumerate(questions)]
    return [Asking(row, question) for question, first in order for row in [*rows[first:], *rows[:first]]]
