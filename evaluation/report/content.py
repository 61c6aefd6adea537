"""The tables of a report, without a form: report.md and report.html show the same.

Under `--simulate`, times and language calls are not in the table of results: they stand apart, and each head says so.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluation.failures import CAUSES
from evaluation.formats import NONE, head, interval_text, plural
from evaluation.method_comparisons import SMALLEST
from evaluation.metric_table import METRICS
from evaluation.report.looks import BOUND
from evaluation.results import Results

HEADLINE = (
    "em",
    "f1",
    "judged_correct",
    "key_facts",
    "recall@5",
    "all_gold@5",
    "citation_precision",
    "citation_recall",
)
SPEED = ("p50_ms", "p95_ms", "p99_ms", "llm_calls")
COST = ("prompt_tokens", "completion_tokens", "cost_usd", "acc@1000ms", "acc@5000ms", "aulc")
SEARCH = (
    *("recall@2", "recall@5", "recall@10", "all_gold@2", "all_gold@5", "all_gold@10", "precision@5", "ndcg@5", "mrr"),
    *("context_recall", "binding_accuracy", "binding_accuracy@2"),
)
CONFIDENCE = ("answered", "em_text", "auroc_answers", "auroc_answerable", "aurc", "ece", "ece_mass", "brier")
SMALL = f"Behind each kind: its questions; kinds of fewer than {SMALLEST} are in results.json only."
GAINS = "Paired differences with 95 % intervals; bold: p < .05 after Holm's correction over the methods."
LEVEL = 0.05
"""A difference is called one when its corrected p value is below."""


class Cell(NamedTuple):
    """One figure of a table."""

    text: str
    value: float | None = None
    """To sort by; None sorts last."""
    best: bool = False


class Table(NamedTuple):
    """A table whose first column names the rows."""

    title: str
    note: str
    """How to read it; may be empty."""
    heads: list[str]
    first: str
    """Head of the column with the names."""
    rows: list[tuple[str, list[Cell]]]


def tables(results: Results) -> list[Table]:
    """All tables but those by group, in order."""
    mark = f" (simulated: {results['simulated']})" if results["simulated"] else ""
    shown = HEADLINE if mark else (*HEADLINE, *SPEED)
    found = [
        metrics_table(results, f"Results on {plural(len(results['ids']), 'question')}", shown, ""),
        metrics_table(
            results, f"Latency and cost{mark}", (*SPEED, *COST), "Questions asked one at a time, warm.", mark
        ),
        stage_table(results, mark),
        metrics_table(results, "Retrieval and evidence", SEARCH, "Unanswerable questions are left out."),
        metrics_table(
            results, "Confidence and abstaining", CONFIDENCE, "Confidence against exact match of the answers given."
        ),
        failure_table(results),
    ]
    return [table for table in found if table.rows]


def group_tables(results: Results) -> list[Table]:
    """F1 and recall@5 of each method by type and number of hops, and the first method's gain over the others."""
    order = list(dict.fromkeys(group for groups in results["groups"].values() for group in groups))
    names = list(results["methods"])
    found = []
    for metric in ("f1", "recall@5"):
        rows = []
        for group in sorted(order, key=lambda name: (name.startswith("hops="), name)):
            own = {name: results["groups"][name].get(group, {}) for name in names}
            cells = [_figure_cell(own[name].get(metric), metric) for name in names]
            size = max(found.get("n", 0) for found in own.values())
            if size >= SMALLEST and any(cell.value is not None for cell in cells):
                rows.append((f"{group_name(group)} ({size:,})", _with_best(cells, metric, names)))
        found.append(Table(f"{head(metric)} by kind of question", SMALL, names, "kind", rows))
    return [table for table in [*found, *_gain_tables(results)] if table.rows]


def group_name(group: str) -> str:
    """A group as people say it.

    >>> group_name("hops=2"), group_name("type=bridge"), group_name("answerable=no")
    ('2 hops', 'bridge', 'unanswerable')
    """
    kind, _, value = group.partition("=")
    return {"hops": f"{value} hops", "answerable": "answerable" if value == "yes" else "unanswerable"}.get(kind, value)


def stage_table(results: Results, mark: str = "") -> Table:
    """Median and 95th percentile of each stage, in ms."""
    names = [name for name, stages in results["stages"].items() if stages]
    stages = dict.fromkeys(stage for name in names for stage in results["stages"][name] if stage != "total")
    rows = []
    for stage in [*stages, *(["total"] if stages else [])]:
        known = [results["stages"][name].get(stage) for name in names]
        texts = [f"{_ms(s['p50'])} · {_ms(s['p95'])}" if s else NONE for s in known]
        rows.append((stage, [Cell(t, s["p50"] if s else None) for t, s in zip(texts, known, strict=True)]))
    note = (
        "p50 · p95 over the runs that took the stage, repeated visits added up; stages that overlap are both counted."
    )
    return Table(f"Stages{mark}, ms", note, names, "stage", rows)


def failure_table(results: Results) -> Table:
    """Wrong answers by cause."""
    names = list(results["methods"])
    causes = [cause for cause in CAUSES if any(cause in found for found in results["failures"].values())]
    rows = [
        (cause, [Cell(f"{count:,}", count) for name in names for count in [results["failures"][name].get(cause, 0)]])
        for cause in causes
    ]
    note = " ".join(f"{cause}: {CAUSES[cause]}" for cause in causes)
    return Table("Wrong answers by likely cause", note, names, "cause", rows)


def metrics_table(results: Results, name: str, metrics: Sequence[str], note: str = "", mark: str = "") -> Table:
    """Methods by metrics; metrics that no method has are left out."""
    methods = results["methods"]
    kept = [metric for metric in metrics if any(metric in figures for figures in methods.values())]
    columns = [
        _with_best(
            [_figure_cell(figures.get(metric), metric) for figures in methods.values()], metric, list(methods), mark
        )
        for metric in kept
    ]
    rows = [(method, [column[number] for column in columns]) for number, method in enumerate(methods)] if kept else []
    return Table(name, note, [head(metric) for metric in kept], "method", rows)


def _gain_tables(results: Results) -> list[Table]:
    """What the first method gains on each other one, by group, with paired intervals."""
    first, *others = results["methods"]
    found = []
    for metric in ("f1", "recall@5"):
        known: dict[str, dict[str, Any]] = {}
        for row in results["group_comparisons"]:
            if row["metric"] == metric:
                known.setdefault(row["group"], {})[row["b"]] = row
        rows = [
            (group_name(group), [_gain_cell(known[group].get(other), metric) for other in others])
            for group in sorted(known, key=lambda name: (name.startswith("hops="), name))
        ]
        name = f"{first}: gain in {head(metric)} by kind of question"
        found.append(Table(name, GAINS, others, "kind", rows))
    return found


def _gain_cell(row: Mapping[str, Any] | None, metric: str) -> Cell:
    if row is None:
        return Cell(NONE)
    text = interval_text({**row, "value": row["difference"]}, METRICS[metric].unit, sign=True)
    return Cell(text, row["difference"], row["p_holm"] is not None and row["p_holm"] < LEVEL)


def _figure_cell(figure: Mapping[str, float] | None, metric: str) -> Cell:
    return Cell(interval_text(figure, METRICS[metric].unit), figure["value"] if figure else None)


def _with_best(cells: list[Cell], metric: str, methods: Sequence[str], mark: str = "") -> list[Cell]:
    """The best one marked, but for the bound; none where nothing is better, or nothing was measured."""
    direction = METRICS[metric].higher_is_better
    known = [cell.value for cell, name in zip(cells, methods, strict=True) if cell.value is not None and name != BOUND]
    if direction is None or len(known) < 2 or mark:
        return cells
    best = max(known) if direction else min(known)
    return [cell._replace(best=cell.value == best and name != BOUND) for cell, name in zip(cells, methods, strict=True)]


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"
