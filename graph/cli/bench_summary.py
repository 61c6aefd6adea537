"""What a benchmark came to, in a table for the terminal and as one JSON object; the whole is in results.json."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from evaluation.formats import figure_text, interval_text
from evaluation.metric_table import METRICS
from evaluation.report.wording import sentence, speed_sentences, summary, warning
from evaluation.results import load_results
from graph.cli.bench_progress import duration
from graph.cli.output import columns, out, plural, warn

SHOWN = ("em", "f1", "recall@5", "all_gold@5", "p50_ms", "p95_ms", "llm_calls")
WITH_INTERVAL = ("f1",)


def as_object(state: Mapping[str, Any]) -> dict[str, Any]:
    """What `--json` prints: where everything is, and the figures of each method."""
    results = load_results(state["results"])
    return {
        "out": state["out"],
        "results": state["results"],
        "report": state["report"],
        **{name: state[name] for name in ("questions", "passages", "answered", "resumed", "failed", "timed")},
        **{name: results[name] for name in ("simulated", "methods", "notes")},
        "timings_ms": state["timings_ms"],
    }


def print_summary(state: Mapping[str, Any]) -> None:
    """The main figures of each method, what they show, and where the rest is."""
    results = load_results(state["results"])
    out().print(Text(summary(results), style="bold"))
    if said := warning(results):
        out().print(Text(said, style="yellow"))
    shown = [key for key in SHOWN if any(key in figures for figures in results["methods"].values())]
    table = columns("", *(f">{_head(key, results)}" for key in shown))
    for method, figures in results["methods"].items():
        table.add_row(Text(method), *(Text(_cell(key, figures)) for key in shown))
    out().print(table)
    for line in [*_differences(results), *speed_sentences(results)]:
        out().print(Text(line, style="dim"))
    for note in results["notes"]:
        warn(note)
    fresh = f"; {plural(state['resumed'], 'answer')} were there" if state["resumed"] else ""
    out().print(Text.assemble((duration(time.time() - state["started_at"]), "bold"), (fresh, "dim")))
    for path in (state["report"], Path(state["out"]) / "report.md", state["results"]):
        out().print(Text(f"  {path}", overflow="fold"))


def _differences(results: Mapping[str, Any]) -> list[str]:
    """How F1 of the first method stands to that of each other one."""
    return [
        f"{row['a']} against {row['b']}: {sentence(row)}" for row in results["comparisons"] if row["metric"] == "f1"
    ]


def _head(key: str, results: Mapping[str, Any]) -> str:
    metric = METRICS[key]
    simulated = results["simulated"] and metric.group in ("latency", "cost")
    return f"{metric.label}{' (sim.)' if simulated else ''}"


def _cell(key: str, figures: Mapping[str, Any]) -> str:
    unit = METRICS[key].unit
    if key in WITH_INTERVAL:
        return interval_text(figures.get(key), unit)
    return figure_text(figures[key]["value"] if key in figures else None, unit)
