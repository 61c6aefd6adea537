"""report: results.json and predictions → report.md, report.html and pictures."""

import asyncio
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from evaluation.report.writing import write_report
from evaluation.results import load_results
from graph.bench.locking import release
from graph.bench.opening import Bench
from graph.bench.score import asked_predictions
from graph.bench.state import BenchContext, BenchState
from graph.bench.telling import teller


async def report(state: BenchState, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Write the report.

    Raises:
        StoreError: the folder cannot be written.
    """
    teller(runtime, "report")(0, 0, "")
    written = await asyncio.to_thread(_write, state)
    release(Path(state["out"]))  # the last step
    return {"report": str(written)}


def _write(state: BenchState) -> Path:
    return write_report(load_results(state["results"]), asked_predictions(state), state["out"])[0]
