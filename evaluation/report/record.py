"""The record of several benchmarks on one page: what is kept beside the code when a change is measured.

Written by `lookahead bench record`; every figure on it comes from a run's results.json.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.formats import NONE, interval_text
from evaluation.metric_table import METRICS
from evaluation.report.content import Cell, Table, metrics_table
from evaluation.report.markdown import plain, table_text
from evaluation.report.wording import SHARES, facts, speed_sentences, summary, title, warning
from evaluation.results import Results

RECORDED = (
    *("em", "f1", "recall@2", "recall@5", "all_gold@5", "binding_accuracy", "binding_accuracy@2"),
    *("auroc_answerable", "ece", "p50_ms", "p95_ms", "llm_calls"),
)
DIFFERENCES = ("em", "f1", "recall@5", "p50_ms")


def record(runs: Sequence[Results]) -> str:
    """One page of Markdown.

    Args:
        runs: results of each benchmark, in the order in which they are to stand.
    """
    parts = [
        "# Results",
        "Written by `lookahead bench record`; each part is one run of `lookahead bench`, with its settings.",
        f"{SHARES} Differences are the first row's figure less the other's, paired by question.",
    ]
    for results in runs:
        parts += _run(results)
    return "\n\n".join(parts) + "\n"


def _run(results: Results) -> list[str]:
    said = warning(results)
    return [
        f"## {plain(title(results))}",
        plain(summary(results)),
        *([f"> **{plain(said)}**"] if said else []),
        *[f"> {plain(note)}" for note in results["notes"]],
        table_text(metrics_table(results, "Figures", _shown(results, RECORDED)), level=3),
        *[table_text(table, level=3) for table in _differences(results)],
        *(["\n".join(f"- {plain(line)}" for line in speed_sentences(results))] if results["simulated"] else []),
        "\n".join(f"- {plain(name)}: {plain(value)}" for name, value in facts(results)),
    ]


def _shown(results: Results, metrics: Sequence[str]) -> list[str]:
    """Of these metrics those that were measured: times and calls are not where they were simulated."""
    return [m for m in metrics if not results["simulated"] or METRICS[m].group not in ("latency", "cost")]


def _differences(results: Results) -> list[Table]:
    """What the first method gains over each other row, its own ablations among them."""
    first, *others = results["methods"]
    known: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in results["comparisons"]:
        known.setdefault(row["b"], {})[row["metric"]] = row
    metrics = _shown(results, DIFFERENCES)
    rows = [(other, [_cell(known.get(other, {}).get(metric), metric) for metric in metrics]) for other in others]
    heads = [METRICS[metric].label for metric in metrics]
    return [Table(f"{first} less each other row", "", heads, "row", rows)] if rows else []


def _cell(row: Mapping[str, Any] | None, metric: str) -> Cell:
    if row is None:
        return Cell(NONE)
    return Cell(interval_text({**row, "value": row["difference"]}, METRICS[metric].unit, sign=True), row["difference"])
