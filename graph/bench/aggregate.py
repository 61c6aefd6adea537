"""aggregate: predictions and latency rows → results.json, every figure with its interval."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from evaluation.predictions import LatencyRow, Prediction, read_latency
from evaluation.results import build_results, save_results
from graph.bench.folder import LATENCY, read_made_with
from graph.bench.opening import Bench
from graph.bench.running import UNSHOWN
from graph.bench.score import asked_predictions
from graph.bench.simulation import PRESETS
from graph.bench.state import BenchContext, BenchInput, BenchState
from graph.bench.telling import teller
from graph.methods import DESCRIPTIONS

ASKED = ("name", "layout", "sha256", "questions", "questions_in_file", "passages")
"""What is said of the questions."""


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
        notes=_notes(state, predictions),
    )
    return save_results(results, state["out"])


def _timed(state: BenchState, ids: set[str]) -> list[LatencyRow]:
    path, names = Path(state["out"]) / LATENCY, {row["name"] for row in state["variants"]}
    rows = read_latency(path).rows if path.exists() and state["latency_sample"] else []
    return [row for row in rows if row["method"] in names and row["id"] in ids]


def _settings(state: BenchState) -> dict[str, Any]:
    """The flags, what the questions are, what calls are simulated as, and the Context and models of each method."""
    flags = {name: state[name] for name in BenchInput.__annotations__ if name != "fresh"}  # type: ignore[literal-required]
    asked = {name: state[name] for name in ASKED}  # type: ignore[literal-required]
    made = read_made_with(Path(state["out"]))
    rows = {row["name"]: made[row["name"]] for row in state["variants"]}
    return {
        **flags,
        **asked,
        "code": next(iter(rows.values()))["code"],
        **({"simulation": PRESETS[state["simulate"]].as_json()} if state["simulate"] else {}),
        "models": {name: parts["models"] for name, parts in rows.items()},
        "contexts": {name: {"method": parts["method"], **parts["settings"]} for name, parts in rows.items()},
    }


def _descriptions(state: BenchState) -> dict[str, str]:
    return {row["name"]: row["hypothesis"] or DESCRIPTIONS[row["method"]] for row in state["variants"]}


def _notes(state: BenchState, predictions: Sequence[Prediction]) -> list[str]:
    failed = f"{state['failed']:,} runs raised an error and count as wrong; the same command makes them again."
    unshown = Counter(p["method"] for p in predictions if any(UNSHOWN in warning for warning in p["warnings"]))
    return [
        *state["notes"],
        *([failed] if state["failed"] else []),
        *(
            f"{name} was shown nothing on {count:,} of the questions, as the file does not say which passages hold the "
            "answer; they count as unanswered."
            for name, count in unshown.items()
        ),
    ]
