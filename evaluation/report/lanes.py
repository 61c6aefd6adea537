"""The lanes of the latency waterfall: which stage takes how long, and from when. Knows no picture.

Means, since they add up where medians do not: a stage that only some runs take (a fallback) counts with its share.
"""

from collections.abc import Mapping
from typing import NamedTuple

from evaluation.report.looks import BLUE, GREEN, GREY, ORANGE, PINK, SKY, VERMILION, VIOLET

PROBE = "probe"
"""Searches the question itself, in some methods while others make a plan: then it is no part of the sequence."""
STAGES = {"rewrite": "variants", "synthesize": "closed_book"}
"""Role of a language call to the stage that makes it, where no stage has the role's name."""
KINDS = {
    "decide": (BLUE, ("plan", "agent", "brief", "variants", "approve")),
    "search": (GREEN, (PROBE, "retrieve", "tools", "given")),
    "rank, prune": (SKY, ("rerank", "prune")),
    "assemble": (ORANGE, ("assemble",)),
    "synthesize": (VERMILION, ("synthesize", "closed_book")),
    "check": (PINK, ("check",)),
    "fallback": (VIOLET, ("fallback",)),
    "other": (GREY, ()),
}
"""What stages are for, with colour and names; the last takes stages of other names and what lies between stages."""
REST = "other"


class Segment(NamedTuple):
    """A piece of a lane, in milliseconds."""

    kind: str
    start: float
    length: float
    waiting: float
    """Of it, waiting for a simulated language call."""
    beside: bool
    """At the same time as the segment that starts with it."""


def segments(stages: Mapping[str, Mapping[str, float]], waits: Mapping[str, Mapping[str, float]]) -> list[Segment]:
    """The lane of one method: mean time of each stage in order, and what is left of the whole.

    >>> lane = segments({"plan": {"mean": 9.0, "n": 1}, "total": {"mean": 10.0, "n": 1}}, {})
    >>> [(s.kind, s.start, s.length) for s in lane]
    [('decide', 0.0, 9.0), ('other', 9.0, 1.0)]
    """
    total = stages["total"]
    means = {name: found["mean"] * found["n"] / total["n"] for name, found in stages.items() if name != "total"}
    waited = {
        role if role in means else STAGES.get(role, role): found["mean"] * found["n"] / total["n"]
        for role, found in waits.items()
    }
    excess = sum(means.values()) - total["mean"]
    decides = any(_kind(name) == "decide" for name in means)
    beside = PROBE in means and decides and excess > means[PROBE] / 2
    found: list[Segment] = []
    at = 0.0
    for name, length in sorted(means.items(), key=lambda item: beside and item[0] == PROBE):
        aside = beside and name == PROBE
        start = next(s.start for s in found if s.kind == "decide") if aside else at
        found.append(Segment(_kind(name), start, length, min(waited.get(name, 0.0), length), aside))
        at += 0 if aside else length
    rest = total["mean"] - at
    return [*found, Segment(REST, at, rest, 0.0, False)] if rest > 0 else found


def _kind(stage: str) -> str:
    return next((kind for kind, (_, names) in KINDS.items() if stage in names), REST)
