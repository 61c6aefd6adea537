"""What a report says in words: title, warning, comparisons, and what the run was. Without a form, as the tables."""

from collections.abc import Mapping
from typing import Any

from evaluation.formats import interval_text, p_text, plural
from evaluation.metric_table import METRICS
from evaluation.report.content import LEVEL
from evaluation.results import Results

SENTENCES = ("f1", "em", "judged_correct", "key_facts", "recall@5", "all_gold@5")
SHARES = "Shares are in %; brackets hold 95 % bootstrap intervals over questions."
PAIRED = (
    "Differences are the first method's figure less the other's, and ratios one over the other, paired by question. "
    "p: exact McNemar test where each question is right or wrong, else a sign-flip test; corrected by Holm's method "
    "over the methods. “No difference shown” is not “the same”: the interval says how large it may be."
)


def title(results: Results) -> str:
    """Of the whole report."""
    return f"Benchmark: {results['settings'].get('name') or results['settings'].get('dataset') or 'questions'}"


def summary(results: Results) -> str:
    """What was asked, in a sentence."""
    settings, methods = results["settings"], len(results["methods"])
    timed = len(results["latency_ids"])
    corpus = f", corpus {settings['corpus']}" if settings.get("corpus") else ""
    clocked = f"; {timed:,} of them once more, one at a time, for latency" if timed else "; no latency was measured"
    return f"{plural(len(results['ids']), 'question')}, {plural(methods, 'method')}{corpus}{clocked}."


def warning(results: Results) -> str | None:
    """What must be said beside every time of a simulated run."""
    if not results["simulated"]:
        return None
    return (
        f"Simulated: {results['simulated']}. No language model was called. Times, language calls, tokens and costs are "
        "those that real calls would take by this preset; they are estimates, and answers are not a language model's."
    )


def sentences(results: Results) -> list[tuple[str, list[str]]]:
    """For each other method, what the comparison with the first one shows; times only where they are measured."""
    wanted = SENTENCES if results["simulated"] else (*SENTENCES, "p50_ms")
    found: dict[str, list[str]] = {}
    for row in sorted(results["comparisons"], key=lambda row: row["metric"] not in wanted):
        if row["metric"] in wanted:
            found.setdefault(row["b"], []).append(sentence(row))
    return list(found.items())


def speed_sentences(results: Results) -> list[str]:
    """How the first method's median time stands to each other one's."""
    return [
        f"{row['a']} takes {ratio['value']:.2f} × [{ratio['low']:.2f}, {ratio['high']:.2f}] of {row['b']}'s median time"
        f" ({plural(row['n'], 'question')})."
        for row in results["comparisons"]
        if row["metric"] == "p50_ms" and (ratio := row["ratio"])
    ]


def sentence(row: Mapping[str, Any]) -> str:
    """One comparison in words; whom it is about stands above it.

    >>> found = {"a": "x", "b": "y", "metric": "f1", "difference": 0.08, "low": 0.02, "high": 0.14, "n": 300}
    >>> sentence({**found, "p_holm": 0.011, "test": "sign-flip", "ratio": None})
    'F1: higher, +8.0 [+2.0, +14.0], p = .011.'
    """
    metric, ratio, p = METRICS[row["metric"]], row["ratio"], p_text(row["p_holm"])
    difference = interval_text({**row, "value": row["difference"]}, metric.unit, sign=True)
    times = f", {ratio['value']:.2f} × [{ratio['low']:.2f}, {ratio['high']:.2f}]" if ratio else ""
    shown = row["p_holm"] is not None and row["p_holm"] < LEVEL
    direction = ("higher" if row["difference"] > 0 else "lower") if shown else "no difference shown"
    return f"{metric.label}: {direction}, {difference}{times}, p {p if p.startswith('<') else f'= {p}'}."


def facts(results: Results) -> list[tuple[str, str]]:
    """Settings in brief, versions and machine: name and value."""
    plain = {name: value for name, value in results["settings"].items() if not isinstance(value, dict)}
    listed = {name: _joined(value) for name, value in plain.items() if value or (value == 0 and value is not False)}
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    known = results["machine"]
    memory = f"{known['memory_gib']} GiB" if known["memory_gib"] else None
    cores = plural(known["cores"], "core") if known["cores"] else None
    parts = (known["processor"], cores, memory, known["system"], known["architecture"])
    return [
        *listed.items(),
        ("versions", versions),
        ("machine", ", ".join(part for part in parts if part)),
        ("created", results["created"]),
    ]


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_joined(inner) for inner in value)
    if isinstance(value, dict):
        return str(value.get("name", value))
    return str(value)
