"""All pictures of a report, from its results.json, but those that the results say nothing for. Needs matplotlib."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from matplotlib.figure import Figure

from evaluation.formats import shortened
from evaluation.report.canvas import Picture, picture
from evaluation.report.curves import draw_acc_at_t, draw_reliability, draw_risk_coverage
from evaluation.report.looks import looks
from evaluation.report.pareto import draw_pareto
from evaluation.report.recall_picture import by_group, by_hop, draw_recall
from evaluation.report.waterfall import draw_waterfall
from evaluation.results import Results

NAMED = ("methods", "stages", "waits", "curves", "groups")
"""Parts of results.json that are by method."""
LONGEST = 24
"""Characters of a method's name in a picture; tables have it in full."""


class Drawing(NamedTuple):
    """A picture to be drawn."""

    name: str
    title: str
    caption: str
    timed: bool
    """Whether it tells of time, and so may tell of simulated time."""
    draw: Callable[[], Figure]


def draw_pictures(results: Results) -> list[Picture]:
    """Draw them, in the order in which a report shows them. Takes some seconds of CPU."""
    simulated = f" Language calls are simulated ({results['simulated']})." if results["simulated"] else ""
    results = _with_short_names(results)
    return [
        picture(one.name, one.title, f"{one.caption}{simulated if one.timed else ''}", one.draw)
        for one in _drawings(results)
    ]


def _with_short_names(results: Results) -> Results:
    names: dict[str, str] = {}
    for name in results["methods"]:
        short = shortened(name, LONGEST)
        names[name] = f"{short} {len(names)}" if short in names.values() else short
    return {**results, **{part: {names[name]: own for name, own in results[part].items()} for part in NAMED}}


def _drawings(results: Results) -> Iterator[Drawing]:
    methods, curves, simulated = results["methods"], results["curves"], results["simulated"]
    look = looks(list(methods))
    asked, clocked = f"{len(results['ids']):,}", f"{len(results['latency_ids']):,}"
    if any("p50_ms" in figures for figures in methods.values()):
        caption = PARETO.format(asked, clocked)
        yield Drawing(
            "pareto", "Accuracy against latency", caption, True, lambda: draw_pareto(methods, look, simulated)
        )
        caption = ACC_AT_T.format(clocked)
        yield Drawing(
            "acc_at_t", "Accuracy within a time", caption, True, lambda: draw_acc_at_t(curves, look, simulated)
        )
        yield Drawing("waterfall", "Where the time goes", WATERFALL, True, lambda: draw_waterfall(results))
    if by_hop(results) or by_group(results):
        yield Drawing("recall", "Recall by hop and kind of question", RECALL, False, lambda: draw_recall(results, look))
    if any(len(found["risk_coverage"]) > 1 for found in curves.values()):
        yield Drawing("risk_coverage", "Risk and coverage", RISK, False, lambda: draw_risk_coverage(curves, look))
    if any(found["reliability"] for found in curves.values()):
        name = "Reliability of the stated confidence"
        yield Drawing("reliability", name, RELIABILITY, False, lambda: draw_reliability(curves, methods, look))


PARETO = (
    "Token F1 over {} questions against the median time to the whole answer over {}, asked one at a time; bars are "
    "95 % intervals over questions. Dashed: the Pareto front; what lies under it is beaten in both."
)
WATERFALL = (
    "Mean time of each stage in the order of the run, questions asked one at a time. A narrow bar runs beside the one "
    "above it. Hatched: waiting for a simulated call; “own” is the time without it."
)
ACC_AT_T = (
    "Strict Acc@T over {} questions asked one at a time: share of all questions that are answered rightly (exact "
    "match) within T."
)
RECALL = (
    "Share of gold passages among the first five retrieved, with 95 % intervals: by the hop that needs them, where the "
    "data set gives the order of hops, and by kind of question. Groups of fewer than ten questions are left out."
)
RISK = (
    "Share of wrong answers (no exact match) among those that the method is surest of, against how many of all "
    "questions these are. Lower is better; a line that ends early belongs to a method that declines."
)
RELIABILITY = (
    "Stated confidence against the share of right answers (exact match), 15 bins of equal number. On the dashed line "
    "confidence is what comes true; below it the method is too sure."
)
