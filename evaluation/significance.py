"""Whether two methods differ on the same questions by more than chance: paired tests, and Holm's correction.

Knows values by question id, as `evaluation.statistics`; questions that lack a value for one of the methods are left out
and counted. All tests are two-sided.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from evaluation.statistics import CELLS, RESAMPLES, Floats, Pairs, Values, align
from stores.errors import InputError

EXACT = 14
"""Up to this many differing questions all signs are tried."""
TIE = 1e-9
"""Sums that differ by less than this share of the largest possible one are equal: floats add up in no fixed order."""


class PairedTest(NamedTuple):
    """Outcome of a paired test of "the methods do not differ"."""

    p_value: float
    """Probability of a difference at least as large if they did not; 1.0 without pairs."""
    method: Literal["mcnemar", "sign-flip"]
    n: int
    """Questions that both have a value for."""
    differing: int
    """Of these, where the values differ: only they bear on the outcome."""
    dropped: int
    """Questions left out because a value is missing."""


def paired_test(a: Values, b: Values, *, resamples: int = RESAMPLES, seed: int = 0) -> PairedTest:
    """`mcnemar` when all paired values are 0 or 1, else `sign_flip`."""
    pairs = align(a, b)
    return _mcnemar(pairs) if _binary(pairs) else _sign_flip(pairs, resamples, seed)


def mcnemar(a: Values, b: Values) -> PairedTest:
    """Exact McNemar test for values of 0 and 1, such as exact match.

    Of the questions that only one method gets right, each is as likely to be a's as b's if they do not differ:
    p = min(1, 2·P(X ≤ min(b, c))) with X ~ Binomial(b + c, ½). Source: McNemar, Psychometrika 12, 1947.

    Raises:
        InputError: a value is neither 0 nor 1.

    >>> mcnemar({"q1": 1, "q2": 1, "q3": 1, "q4": 0}, {"q1": 0, "q2": 0, "q3": 0, "q4": 0}).p_value
    0.25
    """
    pairs = align(a, b)
    if not _binary(pairs):
        raise InputError("Paired test: McNemar's test compares values of 0 and 1; use the sign-flip test for others.")
    return _mcnemar(pairs)


def sign_flip(a: Values, b: Values, *, resamples: int = RESAMPLES, seed: int = 0) -> PairedTest:
    """Paired permutation test of the mean difference, for real values such as F1 or milliseconds.

    If the methods do not differ, each question's difference is as likely to have the other sign: p is the share of
    sign assignments whose |mean difference| is at least the one found. Up to 14 differing questions all assignments
    are tried; beyond, `resamples` random ones and the one found: p = (1 + extreme) / (1 + resamples), never 0. Sources:
    Fisher, "The Design of Experiments", 1935; Phipson, Smyth, Stat. Appl. Genet. Mol. Biol. 9, 2010.

    >>> sign_flip({"q1": 0.9, "q2": 0.7, "q3": 0.5}, {"q1": 0.1, "q2": 0.3, "q3": 0.2}).p_value
    0.25
    """
    return _sign_flip(align(a, b), resamples, seed)


def holm(p_values: Mapping[str, float | None]) -> dict[str, float | None]:
    """P values corrected for being many, so that the chance of even one false alarm stays below the level.

    The i-th smallest of m is multiplied by m − i + 1, at least as large as those before it, at most 1. A None stays
    None and is not counted. Source: Holm, Scandinavian Journal of Statistics 6, 1979.

    >>> holm({"react": 0.01, "standard_rag": 0.04, "multi_query": 0.03})
    {'react': 0.03, 'standard_rag': 0.06, 'multi_query': 0.06}
    """
    known = sorted((p, name) for name, p in p_values.items() if p is not None)
    corrected: dict[str, float | None] = dict.fromkeys(p_values)
    least = 0.0
    for position, (p, name) in enumerate(known):
        least = max(least, min(1.0, p * (len(known) - position)))
        corrected[name] = least
    return corrected


def _mcnemar(pairs: Pairs) -> PairedTest:
    wins, losses = int((pairs.a > pairs.b).sum()), int((pairs.a < pairs.b).sum())
    differing = wins + losses
    # Whole numbers of any size: the ratio is exact also for thousands of questions.
    ways, tail = 1, 0
    for k in range(min(wins, losses) + 1):
        tail += ways
        ways = ways * (differing - k) // (k + 1)
    return PairedTest(min(1.0, 2 * tail / 2**differing), "mcnemar", len(pairs.ids), differing, pairs.dropped)


def _sign_flip(pairs: Pairs, resamples: int, seed: int) -> PairedTest:
    differences = pairs.a - pairs.b
    differences = differences[differences != 0]
    least = abs(float(differences.sum())) - TIE * float(np.abs(differences).sum())
    exact = len(differences) <= EXACT
    signs = _all_signs(len(differences)) if exact else _random_signs(len(differences), resamples, seed)
    extreme = sum(int((np.abs(chunk @ differences) >= least).sum()) for chunk in signs)
    p_value = extreme / 2 ** len(differences) if exact else (1 + extreme) / (1 + resamples)
    return PairedTest(p_value, "sign-flip", len(pairs.ids), len(differences), pairs.dropped)


def _all_signs(count: int) -> Iterator[Floats]:
    bits = np.arange(2**count)[:, None] >> np.arange(count) & 1
    yield 1 - 2 * bits.astype(np.float64)


def _random_signs(count: int, resamples: int, seed: int) -> Iterator[Floats]:
    """±1 of shape (some, count), `resamples` rows in all."""
    rng = np.random.default_rng(seed)
    at_once = max(1, CELLS // count)
    for start in range(0, resamples, at_once):
        bits = rng.integers(0, 2, (min(at_once, resamples - start), count), dtype=np.int8)
        yield 1 - 2 * bits.astype(np.float64)


def _binary(pairs: Pairs) -> bool:
    return all(bool(np.isin(values, (0, 1)).all()) for values in (pairs.a, pairs.b))
