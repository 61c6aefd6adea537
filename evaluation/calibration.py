"""Scores of a confidence: does it rank right answers above wrong ones, and does 0.8 mean right four times in five.

Knows pairs of a confidence (0 to 1) and an outcome (1 right, 0 wrong), one for each question; a pair whose confidence
is None (a method that states none) is left out. Which questions go in is part of a figure's definition:

- `auroc_answers`: all answers given, outcome = exact match; abstentions left out, an answer to a question that has none
  counts as wrong.
- `auroc_answerable`: all questions, outcome = whether the question has an answer; abstentions included.
- `aurc`, `ece`, `brier`, risk–coverage and reliability: as `auroc_answers`.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stores.errors import InputError

Floats = NDArray[np.float64]
Binning = Literal["width", "mass"]
BINS = 15
"""As Guo et al. 2017."""


class Operating(NamedTuple):
    """A point of the risk–coverage curve: what comes of answering when the confidence is at least `threshold`."""

    threshold: float
    coverage: float
    """Share of the questions asked that are answered."""
    risk: float
    """Share of these answers that are wrong."""


class Bin(NamedTuple):
    """A point of the reliability curve."""

    confidence: float
    """Mean confidence in the bin."""
    accuracy: float
    """Share right in the bin."""
    n: int


def auroc(confidences: Sequence[float | None], outcomes: Sequence[float]) -> float | None:
    """Probability that a random positive has a higher confidence than a random negative; a tie is worth one half.

    Computed from ranks: (R₊ − n₊(n₊+1)/2) / (n₊ n₋), R₊ the sum of the positives' ranks, equal confidences sharing
    their mean rank: the Mann–Whitney U statistic over n₊ n₋ (Hanley, McNeil, Radiology 143, 1982). 0.5 is chance.

    Args:
        confidences: any scale; only the order counts.
        outcomes: 1 for a positive, 0 for a negative.

    Returns:
        0 to 1; None when there are no positives or no negatives.

    >>> auroc([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    0.875
    """
    scores, positive = _pairs(confidences, outcomes, binary=True)
    count = positive.sum()
    others = len(positive) - count
    if count == 0 or others == 0:
        return None
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    return float((ranks[positive == 1].sum() - count * (count + 1) / 2) / (count * others))


def risk_coverage(
    confidences: Sequence[float | None], outcomes: Sequence[float], asked: int | None = None
) -> list[Operating]:
    """The risk–coverage curve, from few sure answers to all of them; one point for each distinct confidence.

    Answers of equal confidence stand or fall together, so the order of the questions does not matter. Source:
    El-Yaniv, Wiener, "On the Foundations of Noise-free Selective Classification", JMLR 11, 2010.

    Args:
        confidences: of the answers given.
        outcomes: 1 right, 0 wrong; anything between is taken as a share.
        asked: number of questions, where some were not answered: the curve then ends below a coverage of 1.
            None: all were answered.

    >>> [tuple(p) for p in risk_coverage([0.9, 0.5, 0.5, 0.2], [1, 1, 0, 0])]
    [(0.9, 0.25, 0.0), (0.5, 0.75, 0.3333333333333333), (0.2, 1.0, 0.5)]
    """
    scores, right = _pairs(confidences, outcomes)
    total = len(scores) if asked is None else asked
    if total < len(scores):
        raise ValueError(f"{asked!r} questions were asked but {len(scores)} answered")
    values, place, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    covered = np.cumsum(sizes)
    wrong = np.cumsum(np.bincount(place, weights=1 - right, minlength=len(values)))
    return [
        Operating(-float(v), float(c) / total, float(w) / float(c))
        for v, c, w in zip(values, covered, wrong, strict=True)
    ]


def aurc(confidences: Sequence[float | None], outcomes: Sequence[float]) -> float | None:
    """Area under the risk–coverage curve: mean over i = 1…n of the risk among the i surest answers. Lower is better.

    Among equal confidences the expected risk over their orders is taken. It depends on accuracy too: a method that is
    right more often has a lower area with the same ranking. Source: Geifman, Uziel, El-Yaniv, "Bias-Reduced Uncertainty
    Estimation for Deep Neural Classifiers", ICLR 2019, arXiv 1805.08206.

    Returns:
        0 to 1; None without answers.

    >>> round(aurc([0.9, 0.8, 0.7], [1, 0, 1]), 4)
    0.2778
    """
    scores, right = _pairs(confidences, outcomes)
    if not len(scores):
        return None
    _, place, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    expected = np.bincount(place, weights=1 - right) / sizes
    errors = np.cumsum(np.repeat(expected, sizes))
    return float((errors / np.arange(1, len(scores) + 1)).mean())


def coverage_at_risk(
    confidences: Sequence[float | None], outcomes: Sequence[float], risk: float, asked: int | None = None
) -> float:
    """Largest coverage of a threshold whose risk is at most `risk`; 0.0 when no threshold is that safe.

    Chosen with hindsight on the same questions: a description of the ranking, not a promise for new questions.

    >>> coverage_at_risk([0.9, 0.5, 0.5, 0.2], [1, 1, 0, 0], 0.4)
    0.75
    """
    return max((p.coverage for p in risk_coverage(confidences, outcomes, asked) if p.risk <= risk), default=0.0)


def reliability(
    confidences: Sequence[float | None], outcomes: Sequence[float], bins: int = BINS, binning: Binning = "width"
) -> list[Bin]:
    """The reliability curve: mean confidence against share right, by bins of confidence; empty bins are left out.

    Args:
        confidences: 0 to 1.
        outcomes: 1 right, 0 wrong.
        bins: number of bins, M.
        binning: "width": ((m−1)/M, m/M], 0 in the first (Guo et al.); "mass": as equal in number as equal confidences
            allow, which stay together.
    """
    scores, right = _pairs(confidences, outcomes, unit=True)
    if bins < 1:
        raise ValueError(f"reliability: {bins!r} bins; there must be at least 1")
    if binning == "width":
        place = np.maximum(np.searchsorted(np.arange(bins + 1) / bins, scores, side="left") - 1, 0)
    else:
        _, inverse, sizes = np.unique(scores, return_inverse=True, return_counts=True)
        middles = np.cumsum(sizes) - sizes / 2
        place = (middles * bins / max(len(scores), 1)).astype(np.intp)[inverse]
    return [
        Bin(float(scores[inside].mean()), float(right[inside].mean()), int(inside.sum()))
        for inside in (place == chosen for chosen in np.unique(place))
    ]


def ece(
    confidences: Sequence[float | None], outcomes: Sequence[float], bins: int = BINS, binning: Binning = "width"
) -> float | None:
    """Expected calibration error: Σ over bins of (share of answers in the bin) · |share right − mean confidence|.

    Source: Guo, Pleiss, Sun, Weinberger, "On Calibration of Modern Neural Networks", ICML 2017, arXiv 1706.04599.

    Returns:
        0 to 1, lower is better; None without answers.

    >>> round(ece([0.9, 0.9, 0.1, 0.1], [1, 1, 0, 1], bins=10), 3)
    0.25
    """
    points = reliability(confidences, outcomes, bins, binning)
    total = sum(point.n for point in points)
    return sum(point.n * abs(point.accuracy - point.confidence) for point in points) / total if total else None


def brier(confidences: Sequence[float | None], outcomes: Sequence[float]) -> float | None:
    """Mean of (confidence − outcome)², 0 to 1, lower is better (Brier, Monthly Weather Review 78, 1950).

    >>> brier([1.0, 0.5], [1, 0])
    0.125
    """
    scores, right = _pairs(confidences, outcomes, unit=True)
    return float(((scores - right) ** 2).mean()) if len(scores) else None


def _pairs(
    confidences: Sequence[float | None], outcomes: Sequence[float], *, binary: bool = False, unit: bool = False
) -> tuple[Floats, Floats]:
    kept = [(c, o) for c, o in zip(confidences, outcomes, strict=True) if c is not None]
    scores = np.array([c for c, _ in kept], dtype=np.float64)
    right = np.array([o for _, o in kept], dtype=np.float64)
    refused = ~np.isfinite(scores) | (unit & ((scores < 0) | (scores > 1)))
    if refused.any():
        raise InputError(f"Calibration: a confidence is {float(scores[refused][0])!r}; give one from 0 to 1, or none.")
    refused = ~((right >= 0) & (right <= 1)) | (binary & (right != 0) & (right != 1))
    if refused.any():
        raise InputError(f"Calibration: an outcome is {float(right[refused][0])!r}; give 1 for right and 0 for wrong.")
    return scores, right
