"""results.json: what a benchmark came to, from its predictions and latency rows. The same rows give the same figures.

Schema 1. A figure is {value, low, high, n}: 95 % interval over questions, n = questions it rests on; shares are 0 to 1.

    schema        1
    created       UTC time, ISO 8601
    settings      the flags of the run and the Context of each method, the home folder written as "~"
    versions      python, packages, commit            machine   system, processor, cores, memory_gib
    simulated     preset of the simulated language calls, or null: whatever tells of time then tells of simulated time
    ids           questions asked                     latency_ids   questions asked one at a time
    descriptions  method -> a sentence on what it is, and what was done to make it good
    methods       method -> metric -> figure; keys as in evaluation.metric_table (em, f1, recall@5, p50_ms, …)
    stages        method -> stage, or "total" -> {p50, p95, p99, mean, n} in ms, n = runs that took the stage
    waits         method -> role of a language call -> the same, of the simulated waits for it alone
    curves        method -> {acc_at_t, risk_coverage, reliability, recall_by_hop}: see evaluation.aggregating.curves
    groups        method -> "type=…" | "hops=…" | "answerable=…" -> {em, f1, recall@5, all_gold@5: figures, n}
    comparisons   [{a, b, metric, difference, low, high, p, p_holm, test, n, ratio}]: evaluation.method_comparisons
    group_comparisons   the same for f1 and recall@5 within each group, with the key `group`
    failures      method -> cause -> number of wrong answers: evaluation.failures.CAUSES
    notes         sentences on what is incomplete

Building it takes up to a minute of CPU for 1,000 questions: call it through `asyncio.to_thread` from async code.
"""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.aggregating import Scored, Timed, curves, figures, groups, stages
from evaluation.failures import count_failures
from evaluation.latency import summarise_stages
from evaluation.machine import machine, versions, without_home
from evaluation.method_comparisons import compare_groups, compare_methods
from evaluation.predictions import LatencyRow, Prediction, by_method
from evaluation.scoring import score
from evaluation.statistics import RESAMPLES
from stores.errors import InputError, StoreError

SCHEMA = 1
KEYS = (
    *("schema", "created", "settings", "versions", "machine", "simulated", "ids", "latency_ids", "descriptions"),
    *("methods", "stages", "waits", "curves", "groups", "comparisons", "group_comparisons", "failures", "notes"),
)
FILE = "results.json"
Results = dict[str, Any]


def build_results(
    predictions: Sequence[Prediction],
    latency: Sequence[LatencyRow],
    settings: Mapping[str, Any],
    *,
    methods: Sequence[str] = (),
    simulated: str | None = None,
    descriptions: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    resamples: int = RESAMPLES,
) -> Results:
    """Everything that results.json holds.

    Args:
        predictions: of all methods on all questions, in any order.
        latency: rows of the latency pass; empty when there was none.
        settings: flags of the run and Context of each method; JSON values.
        methods: their order; every other method is compared with the first. Default: as first met.
        simulated: name of the preset, if language calls were simulated.
        descriptions: what each method is, in a sentence.
        notes: what the reader should know, a sentence each.
        resamples: draws behind each interval.

    Raises:
        InputError: there are no predictions, or a question has no accepted answer.
    """
    scored = scored_by_method(predictions, methods)
    rows_of = by_method(latency)
    timed: dict[str, Timed] = {name: rows_of.get(name, {}) for name in scored}
    ids = sorted({prediction["id"] for prediction in predictions})
    return {
        "schema": SCHEMA,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": without_home(dict(settings)),
        "versions": versions(),
        "machine": machine(),
        "simulated": simulated,
        "ids": ids,
        "latency_ids": sorted({row["id"] for row in latency}),
        "descriptions": {name: text for name, text in (descriptions or {}).items() if name in scored},
        "methods": {name: figures(rows, timed[name], resamples) for name, rows in scored.items()},
        "stages": {name: stages(timed[name]) for name in scored},
        "waits": {name: _waits(timed[name]) for name in scored},
        "curves": {name: curves(rows, timed[name]) for name, rows in scored.items()},
        "groups": {name: groups(rows, resamples) for name, rows in scored.items()},
        "comparisons": compare_methods(scored, timed, resamples),
        "group_comparisons": compare_groups(scored, resamples),
        "failures": {name: count_failures(rows.values()) for name, rows in scored.items()},
        "notes": [*notes, *_incomplete(scored, len(ids))],
    }


def scored_by_method(predictions: Sequence[Prediction], methods: Sequence[str] = ()) -> dict[str, Scored]:
    """Predictions with their scores by method and question id, methods in the order given, then as first met.

    Raises:
        InputError: there are no predictions.
    """
    found = by_method(predictions)
    if not found:
        raise InputError("Report: there are no predictions; run the benchmark with at least one method and question.")
    order = [*(name for name in methods if name in found), *(name for name in found if name not in methods)]
    return {name: {i: (row, score(row)) for i, row in found[name].items()} for name in order}


def save_results(results: Results, folder: str | Path) -> Path:
    """Write results.json into a folder, whole or not at all; returns its path.

    Raises:
        StoreError: the folder cannot be written.
    """
    path = Path(folder) / FILE
    draft = path.with_suffix(".tmp")
    try:
        draft.write_text(json.dumps(results, ensure_ascii=False, indent=1, allow_nan=False), encoding="utf-8")
        os.replace(draft, path)
    except OSError as error:
        raise StoreError(
            f"Report: {str(path)!r} cannot be written ({error.strerror}); make room or choose another folder."
        ) from error
    return path


def load_results(path: str | Path) -> Results:
    """Read a results.json, given the file or its folder.

    Raises:
        InputError: there is none, or it is of another schema.
    """
    path = Path(path) / FILE if Path(path).is_dir() else Path(path)
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"Report: {str(path)!r} cannot be read ({error.strerror}); name a benchmark's folder."
        ) from error
    except ValueError as error:
        raise InputError(f"Report: {str(path)!r} is no JSON ({error}); name a benchmark's folder.") from error
    schema = results.get("schema") if isinstance(results, dict) else None
    if schema != SCHEMA:
        raise InputError(
            f"Report: {str(path)!r} has schema {schema!r} and this program reads {SCHEMA!r}; run the benchmark anew."
        )
    if missing := [key for key in KEYS if key not in results]:
        raise InputError(f"Report: {str(path)!r} lacks {', '.join(missing)}; run the benchmark anew.")
    return dict(results)


def _waits(timed: Timed) -> dict[str, dict[str, float]]:
    return {
        role: found._asdict() for role, found in summarise_stages(r["simulated_ms"] for r in timed.values()).items()
    }


def _incomplete(scored: Mapping[str, Scored], asked: int) -> list[str]:
    return [
        f"{name} has answered {len(rows):,} of {asked:,} questions; it is compared on those."
        for name, rows in scored.items()
        if len(rows) < asked
    ]
