"""aggregate: predictions and latency rows → results.json, every figure with its interval."""

import asyncio
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from evaluation.predictions import LatencyRow, read_latency
from evaluation.results import build_results, save_results
from graph.bench.folder import LATENCY, read_made_with
from graph.bench.opening import Bench
from graph.bench.score import asked_predictions
from graph.bench.simulation import PRESETS
from graph.bench.state import BenchContext, BenchInput, BenchState
from graph.bench.telling import teller
from graph.methods import DESCRIPTIONS


async def aggregate(state: BenchState, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Write results.json.

    Raises:
        InputError: a row of a file cannot be read.
        StoreError: the folder cannot be written.
    """
    teller(runtime, "aggregate")(0, 0, "")
    return {"results": str(await asyncio.to_thread(_aggregate, state))}


def _aggregate(state: BenchState) -> Path:
    names = [row["name"] for row in state["variants"]]
    predictions = asked_predictions(state)
    results = build_results(
        predictions,
        _timed(state, {prediction["id"] for prediction in predictions}),
        _settings(state),
        methods=names,
        simulated=state["simulate"] or None,
        descriptions=_descriptions(state),
        notes=_notes(state),
    )
    return save_results(results, state["out"])


def _timed(state: BenchState, ids: set[str]) -> list[LatencyRow]:
    path, names = Path(state["out"]) / LATENCY, {row["name"] for row in state["variants"]}
    rows = read_latency(path).rows if path.exists() and state["latency_sample"] else []
    return [row for row in rows if row["method"] in names and row["id"] in ids]


def _settings(state: BenchState) -> dict[str, Any]:
    """The flags, what the questions are, and what the answers of each method were made with."""
    flags = {name: state[name] for name in BenchInput.__annotations__ if name != "fresh"}  # type: ignore[literal-required]
    kept = ("name", "layout", "sha256", "questions", "questions_in_file", "passages", "variants")
    made, names = read_made_with(Path(state["out"])), [row["name"] for row in state["variants"]]
    simulation = {"simulation": PRESETS[state["simulate"]].as_json()} if state["simulate"] else {}
    return {
        **flags,
        **{name: state[name] for name in kept},  # type: ignore[literal-required]
        **simulation,
        "methods_made_with": {name: made[name] for name in names},
    }


def _descriptions(state: BenchState) -> dict[str, str]:
    return {row["name"]: row["hypothesis"] or DESCRIPTIONS[row["method"]] for row in state["variants"]}


def _notes(state: BenchState) -> list[str]:
    failed = f"{state['failed']:,} runs raised an error and count as wrong; the same command makes them again."
    return [*state["notes"], *([failed] if state["failed"] else [])]
