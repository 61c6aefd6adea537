"""From scores of questions to figures of a method, each with its 95 % interval over questions.

Knows scores and rows; nothing of files. A figure is {value, low, high, n}: n is the number of questions it rests on.
A figure without meaning for a method is left out: recall of one that retrieves nothing, calibration of one that states
no confidence, accuracy within a time where no time was taken.

Accuracy, retrieval and cost are taken over all predictions; latency, accuracy within a time and AULC over the latency
rows, with the outcome (exact match) of the same question's prediction.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluation.calibration import aurc, auroc, ece, reliability, risk_coverage
from evaluation.latency import BUDGETS_MS, RANGE_MS, accuracy_curve, aulc, summarise_stages
from evaluation.metric_table import METRICS
from evaluation.predictions import LatencyRow, Prediction
from evaluation.scoring import Scores, hops_found, is_answered
from evaluation.statistics import RESAMPLES, Interval, Statistic, interval, mean, percentile, rows_interval

Figure = dict[str, float]
Scored = Mapping[str, tuple[Prediction, Scores]]
"""Question id to prediction and scores, all of one method."""
Timed = Mapping[str, LatencyRow]
"""Question id to latency row, all of the same method."""
Stated = tuple[float | None, float]
"""A confidence, and the outcome it is held against."""

OfPairs = Callable[[Sequence[float | None], Sequence[float]], float | None]
"""A figure of confidences and outcomes."""

SLOW_RESAMPLES = 1000
"""Draws of figures that are computed draw by draw."""
GROUPED = ("em", "f1", "recall@5", "all_gold@5")
PERCENTILES = (50, 95, 99)
CURVE_POINTS = 161
"""Budgets at which Acc@T is drawn: 40 for each decade of RANGE_MS, and both ends."""


def figures(scored: Scored, timed: Timed, resamples: int = RESAMPLES) -> dict[str, Figure]:
    """Every figure of a method, in the order of `METRICS`; intervals from so many draws."""
    found = {
        **_means(scored, resamples),
        **_confidence(scored, resamples),
        **_latency(scored, timed, resamples),
    }
    return {key: figure for key in METRICS if (figure := _figure(found.get(key)))}


def groups(scored: Scored, resamples: int = RESAMPLES) -> dict[str, dict[str, Any]]:
    """Figures of each group of questions."""
    return {name: _group(scored, ids, resamples) for name, ids in group_members(scored).items()}


def group_members(scored: Scored) -> dict[str, list[str]]:
    """Groups and their questions: by type, number of hops and, where some have no answer, by answerability."""
    members: dict[str, list[str]] = {}
    for i, (prediction, _) in sorted(scored.items()):
        for name in _groups_of(prediction):
            members.setdefault(name, []).append(i)
    mixed = {"answerable=yes", "answerable=no"} <= members.keys()
    return {name: members[name] for name in sorted(members) if mixed or not name.startswith("answerable=")}


def curves(scored: Scored, timed: Timed) -> dict[str, list[list[float | None]]]:
    """Points to draw: acc_at_t, risk_coverage, reliability, recall_by_hop; a curve without points is empty.

    - acc_at_t: [budget in ms, strict, conditional]
    - risk_coverage: [coverage of the questions asked, risk]
    - reliability: [mean confidence, share right, answers], 15 bins of equal number
    - recall_by_hop: [recall@5, low, high, questions] of the first hop, the second, …
    """
    stated = _answers(scored)
    confidences, outcomes = [c for c, _ in stated], [o for _, o in stated]
    return {
        "acc_at_t": _acc_at_t(scored, timed),
        "risk_coverage": [[p.coverage, p.risk] for p in risk_coverage(confidences, outcomes, asked=len(scored))],
        "reliability": [[b.confidence, b.accuracy, b.n] for b in reliability(confidences, outcomes, binning="mass")],
        "recall_by_hop": _recall_by_hop(scored),
    }


def stages(timed: Timed) -> dict[str, dict[str, float]]:
    """Percentiles 50, 95 and 99, mean and number of runs for each stage, in milliseconds; "total" is the whole run."""
    done = [(row["timings_ms"], row["ms"]) for row in timed.values() if row["ms"] is not None]
    runs = [{**{stage: t for stage, t in own.items() if stage != "total"}, "total": ms} for own, ms in done]
    return {stage: found._asdict() for stage, found in summarise_stages(runs).items()}


def values_of(scored: Scored, timed: Timed, metric: str) -> dict[str, float | None]:
    """The values by question that a metric is the mean or percentile of; empty for one that has none (AUROC, ECE)."""
    if METRICS[metric].group == "latency":
        return _latency_values(scored, timed).get(metric, {})
    kept = scored if _means_something(scored, metric) else {}
    return {i: scores[metric] for i, (_, scores) in kept.items() if metric in scores}


def statistic_of(metric: str) -> Statistic:
    """The figure over questions that a metric is: a percentile for p50_ms and its like, else the mean."""
    return next((percentile(q) for q in PERCENTILES if metric == f"p{q}_ms"), mean)


def _means(scored: Scored, resamples: int) -> dict[str, Interval | None]:
    keys = next(iter(scored.values()))[1] if scored else {}
    return {key: interval(values_of(scored, {}, key), resamples=resamples) for key in keys}


def _means_something(scored: Scored, metric: str) -> bool:
    """A method that never retrieves, or never binds or cites, has no such figures rather than zeros."""
    needed: dict[str, Callable[[Prediction], Any]] = {
        "retrieval": lambda prediction: prediction["ranked"],
        "context_recall": lambda prediction: prediction["evidence"],
        "citation_precision": lambda prediction: prediction["citations"],
        "citation_recall": lambda prediction: prediction["citations"],
    }
    need = needed.get(metric) or needed.get(METRICS[metric].group)
    return need is None or any(need(prediction) for prediction, _ in scored.values())


def _confidence(scored: Scored, resamples: int) -> dict[str, Interval | None]:
    answers = [pair for pair in _answers(scored) if pair[0] is not None]
    asked: list[Stated] = [
        (p["confidence"], float(p["answerable"])) for _, (p, _) in sorted(scored.items()) if p["confidence"] is not None
    ]

    def of(pairs: list[Stated], statistic: OfPairs) -> Interval | None:
        def figure(rows: Sequence[Stated]) -> float | None:
            return statistic([c for c, _ in rows], [o for _, o in rows])

        return rows_interval(pairs, figure, resamples=min(resamples, SLOW_RESAMPLES))

    squares = {str(n): (c - o) ** 2 for n, (c, o) in enumerate(answers) if c is not None}
    return {
        "auroc_answers": of(answers, auroc),
        "auroc_answerable": of(asked, auroc),
        "aurc": of(answers, aurc),
        "ece": _around(of(answers, ece)),
        "ece_mass": _around(of(answers, lambda c, o: ece(c, o, binning="mass"))),
        "brier": interval(squares, resamples=resamples),
    }


def _around(found: Interval | None) -> Interval | None:
    """An interval moved so that the figure lies in its middle, within 0 to 1.

    ECE is never negative, so that noise only adds to it, and a draw, which repeats questions, is noisier than the
    questions themselves: among few answers the figure would lie below its own interval.
    """
    if found is None:
        return None
    half = (found.high - found.low) / 2
    return found._replace(low=max(0.0, found.value - half), high=min(1.0, found.value + half))


def _answers(scored: Scored) -> list[Stated]:
    """Confidence and exact match of every answer given, by question id."""
    return [
        (prediction["confidence"], scores["em"] or 0.0)
        for _, (prediction, scores) in sorted(scored.items())
        if is_answered(prediction)
    ]


def _latency(scored: Scored, timed: Timed, resamples: int) -> dict[str, Interval | None]:
    values = _latency_values(scored, timed)
    return {key: interval(own, statistic_of(key), resamples=resamples) for key, own in values.items()}


def _latency_values(scored: Scored, timed: Timed) -> dict[str, dict[str, float | None]]:
    durations = {i: row["ms"] for i, row in timed.items()}
    outcomes = {i: (scored[i][1]["em"] or 0.0, durations[i]) for i in durations if i in scored}
    found: dict[str, dict[str, float | None]] = {f"p{q}_ms": dict(durations) for q in PERCENTILES}
    for budget in BUDGETS_MS:
        within = {i: ms is not None and ms <= budget for i, (_, ms) in outcomes.items()}
        found[f"acc@{budget}ms"] = {i: outcome * within[i] for i, (outcome, _) in outcomes.items()}
        found[f"acc_answered@{budget}ms"] = {i: o if within[i] else None for i, (o, _) in outcomes.items()}
    return {**found, "aulc": {i: aulc([outcome], [ms]) for i, (outcome, ms) in outcomes.items()}}


def _acc_at_t(scored: Scored, timed: Timed) -> list[list[float | None]]:
    both = [(scored[i][1]["em"] or 0.0, row["ms"]) for i, row in sorted(timed.items()) if i in scored]
    if not both:
        return []
    low, high = RANGE_MS
    budgets = [low * (high / low) ** (step / (CURVE_POINTS - 1)) for step in range(CURVE_POINTS)]
    points = accuracy_curve([o for o, _ in both], [ms for _, ms in both], budgets)
    return [[round(p.budget_ms, 3), p.strict, p.conditional] for p in points]


def _recall_by_hop(scored: Scored) -> list[list[float | None]]:
    found = {i: hops_found(prediction) for i, (prediction, _) in scored.items()}
    if not any(prediction["ranked"] for prediction, _ in scored.values()):
        return []
    points: list[list[float | None]] = []
    for hop in range(max(map(len, found.values()), default=0)):
        known = interval({i: values[hop] for i, values in found.items() if len(values) > hop})
        points.append([known.value, known.low, known.high, known.n] if known else [None, None, None, 0])
    return points


def _groups_of(prediction: Prediction) -> list[str]:
    return [
        *([f"type={prediction['type']}"] if prediction["type"] else []),
        *([f"hops={prediction['hop_count']}"] if prediction["hop_count"] else []),
        f"answerable={'yes' if prediction['answerable'] else 'no'}",
    ]


def _group(scored: Scored, members: Sequence[str], resamples: int) -> dict[str, Any]:
    found = {}
    for key in GROUPED:
        values = values_of(scored, {}, key)
        found[key] = _figure(interval({i: values[i] for i in members if i in values}, resamples=resamples))
    return {**{key: figure for key, figure in found.items() if figure}, "n": len(members)}


def _figure(found: Interval | None) -> Figure | None:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n} if found else None
