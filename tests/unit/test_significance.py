"""Paired tests against brute force over all outcomes, and by how often they see what is not there."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.significance import EXACT, PairedTest, holm, mcnemar, paired_test, sign_flip
from stores.errors import InputError

BITS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=10)
REALS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda p: (p[0] / 10, p[1] / 10)), max_size=8)


def by_id(values: list[float]) -> dict[str, float | None]:
    return {f"q{i:04}": value for i, value in enumerate(values)}


def methods(pairs: list[tuple[float, float]]) -> tuple[dict[str, float | None], dict[str, float | None]]:
    return by_id([a for a, _ in pairs]), by_id([b for _, b in pairs])


def brute_force(pairs: list[tuple[float, float]]) -> float:
    """Share of all sign assignments that are at least as extreme, in whole numbers."""
    differences = [round(10 * (a - b)) for a, b in pairs]
    flips = list(itertools.product((1, -1), repeat=len(differences)))
    extreme = [
        abs(sum(s * d for s, d in zip(flip, differences, strict=True))) >= abs(sum(differences)) for flip in flips
    ]
    return sum(extreme) / len(flips)


@given(BITS)
def test_mcnemar_is_the_share_of_all_assignments(pairs: list[tuple[int, int]]) -> None:
    found = mcnemar(*methods([(float(a), float(b)) for a, b in pairs]))

    assert found.p_value == pytest.approx(brute_force([(a / 1, b / 1) for a, b in pairs]))
    assert (found.n, found.differing) == (len(pairs), sum(a != b for a, b in pairs))


@given(REALS)
def test_sign_flip_is_the_share_of_all_assignments(pairs: list[tuple[float, float]]) -> None:
    assert sign_flip(*methods(pairs)).p_value == pytest.approx(brute_force(pairs))


@pytest.mark.parametrize("test", [mcnemar, sign_flip])
@given(pairs=BITS)
def test_tests_are_two_sided(test: Callable[..., PairedTest], pairs: list[tuple[int, int]]) -> None:
    a, b = methods([(float(x), float(y)) for x, y in pairs])

    assert test(a, b) == test(b, a)
    assert 0 < test(a, b).p_value <= 1


def test_mcnemar_of_a_known_case_and_of_thousands() -> None:
    ten_to_two = mcnemar(*methods([(1.0, 0.0)] * 10 + [(0.0, 1.0)] * 2 + [(1.0, 1.0)] * 30))
    even = mcnemar(*methods([(1.0, 0.0)] * 2000 + [(0.0, 1.0)] * 2000))
    clear = mcnemar(*methods([(1.0, 0.0)] * 3000))

    assert ten_to_two.p_value == pytest.approx(2 * (1 + 12 + 66) / 2**12)
    assert (even.p_value, clear.p_value) == (1.0, 0.0)


def test_with_many_questions_random_signs_come_close_to_all_signs() -> None:
    rng = np.random.default_rng(4)
    pairs = [(float(a), 0.0) for a in rng.normal(0.25, 1, 200)]
    found = sign_flip(*methods(pairs))
    differences = np.array([a for a, _ in pairs])
    z = abs(differences.sum()) / math.sqrt((differences**2).sum())

    assert found.differing == 200 > EXACT
    assert found.p_value == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.004)  # normal limit
    assert found == sign_flip(*methods(pairs)) != sign_flip(*methods(pairs), seed=1)


def test_random_signs_never_give_nothing() -> None:
    found = sign_flip(*methods([(1.0 + i, 0.0) for i in range(40)]), resamples=999)

    assert found.p_value == 1 / 1000


@pytest.mark.parametrize("test", [mcnemar, sign_flip])
def test_false_alarms_are_no_more_than_the_level(test: Callable[..., PairedTest]) -> None:
    rng = np.random.default_rng(5)
    alarms = sum(
        test(by_id(list(a.astype(float))), by_id(list(b.astype(float)))).p_value <= 0.1
        for a, b in rng.integers(0, 2, (300, 2, 18))
        if (a != b).sum() <= EXACT
    )

    assert 0 < alarms / 300 <= 0.13


def test_questions_where_both_are_equal_bear_on_nothing() -> None:
    differing = [(0.9, 0.1), (0.8, 0.2), (0.4, 0.5)]

    assert sign_flip(*methods(differing + [(0.5, 0.5)] * 50)).p_value == sign_flip(*methods(differing)).p_value


def test_missing_values_are_left_out_and_counted() -> None:
    found = paired_test({"q1": 1.0, "q2": None, "q3": 0.0}, {"q1": 0.0, "q2": 1.0, "q4": 1.0})

    assert found == PairedTest(p_value=1.0, method="mcnemar", n=1, differing=1, dropped=3)
    assert paired_test({}, {}).p_value == 1.0


def test_the_values_decide_the_test() -> None:
    assert paired_test({"q1": 1.0}, {"q1": 0.0}).method == "mcnemar"
    assert paired_test({"q1": 1.0}, {"q1": 0.4}).method == "sign-flip"
    with pytest.raises(InputError, match="sign-flip"):
        mcnemar({"q1": 1.0}, {"q1": 0.4})


def test_holm_by_hand() -> None:
    found = holm({"a": 0.01, "b": 0.02, "c": 0.015, "d": None, "e": 0.9})

    assert found == {"a": 0.04, "b": 0.045, "c": 0.045, "d": None, "e": 0.9}
    assert list(found) == ["a", "b", "c", "d", "e"]


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_lies_between_no_correction_and_bonferroni_and_keeps_the_order(p_values: list[float]) -> None:
    found = holm({str(i): p for i, p in enumerate(p_values)})
    corrected = [found[str(i)] or 0.0 for i in range(len(p_values))]

    assert all(p <= c <= min(1, p * len(p_values)) for p, c in zip(p_values, corrected, strict=True))
    assert [c for _, c in sorted(zip(p_values, corrected, strict=True))] == sorted(corrected)
