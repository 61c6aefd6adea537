"""Bootstrap intervals: against the exact distribution of small samples, and by how often they hold the truth."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import statistics
from evaluation.statistics import align, interval, paired_interval, percentile, rows_interval
from stores.errors import InputError

VALUES = st.dictionaries(st.sampled_from("abcdefgh"), st.one_of(st.none(), st.floats(-5, 5)), min_size=1)


def by_id(values: list[float]) -> dict[str, float | None]:
    return {f"q{i:04}": value for i, value in enumerate(values)}


def exact_quantiles(values: list[float], level: float) -> tuple[float, float]:
    """Quantiles of the mean over all n^n resamples."""
    means = sorted(sum(drawn) / len(drawn) for drawn in itertools.product(values, repeat=len(values)))
    low, high = (means[math.ceil(q * len(means)) - 1] for q in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def test_an_interval_is_that_of_all_resamples() -> None:
    values = [0.0, 1.0, 4.0, 9.0, 20.0]
    found = interval(by_id(values), level=0.9, resamples=20_000)

    assert found is not None
    assert (found.low, found.high) == pytest.approx(exact_quantiles(values, 0.9), abs=0.2)
    assert (found.value, found.n, found.dropped) == (pytest.approx(6.8), 5, 0)


def test_a_paired_interval_is_that_of_the_differences() -> None:
    a, b = [1.0, 0.0, 1.0, 1.0], [0.0, 0.25, 0.5, 1.0]
    found = paired_interval(by_id(a), by_id(b))
    differences = interval(by_id([x - y for x, y in zip(a, b, strict=True)]))

    assert found == pytest.approx(differences)


def test_pairing_makes_an_interval_narrow_when_both_find_the_same_questions_hard() -> None:
    rng = np.random.default_rng(1)
    hard = rng.normal(0, 1, 100)
    a, b = by_id(list(hard + 0.1)), by_id(list(hard))
    paired, alone = paired_interval(a, b), interval(a)

    assert paired is not None
    assert alone is not None
    assert paired.high - paired.low < 1e-9 < alone.high - alone.low


def test_intervals_hold_the_true_mean_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    found = [interval(by_id(list(rng.random(40) < 0.4)), resamples=300, seed=i) for i in range(300)]
    held = sum(i is not None and i.low <= 0.4 <= i.high for i in found)

    assert 0.90 <= held / 300 <= 0.98


@settings(max_examples=50)
@given(VALUES, st.permutations("abcdefgh"))
def test_an_interval_does_not_depend_on_the_order_of_the_questions(
    values: dict[str, float | None], order: list[str]
) -> None:
    other = {i: values[i] for i in order if i in values}

    assert interval(values, resamples=50) == interval(other, resamples=50)


@given(VALUES)
def test_an_interval_stays_within_the_values_and_counts_what_is_missing(values: dict[str, float | None]) -> None:
    found, known = interval(values, resamples=50), [v for v in values.values() if v is not None]

    if found is None:
        assert known == []
        return
    assert min(known) - 1e-12 <= found.low <= found.high <= max(known) + 1e-12
    assert (found.n, found.dropped) == (len(known), len(values) - len(known))


@given(VALUES, VALUES)
def test_the_difference_turns_round_with_the_methods(a: dict[str, float | None], b: dict[str, float | None]) -> None:
    one, other = paired_interval(a, b, resamples=51, level=0.8), paired_interval(b, a, resamples=51, level=0.8)
    shared = [i for i in "abcdefgh" if a.get(i) is not None and b.get(i) is not None]

    assert (one is None) == (other is None) == (not shared)
    if one is not None and other is not None:
        assert one.value == pytest.approx(-other.value)
        assert one.n == other.n == len(shared)
        assert one.dropped == other.dropped == len(a.keys() | b.keys()) - len(shared)


def test_pairs_are_aligned_by_id_and_sorted() -> None:
    ids = [f"q{i}" for i in (7, 3, 9, 1, 8, 2, 6, 4, 5)]
    a: dict[str, float | None] = {i: float(i[1:]) for i in ids}
    b = {i: 10 * float(i[1:]) for i in reversed(ids)}
    pairs = align({**a, "q2": None, "only a": 0.0}, {**b, "only b": 0.0})

    assert pairs.ids == ["q1", "q3", "q4", "q5", "q6", "q7", "q8", "q9"]
    assert pairs.a.tolist() == [1, 3, 4, 5, 6, 7, 8, 9]
    assert pairs.b.tolist() == [10, 30, 40, 50, 60, 70, 80, 90]
    assert pairs.dropped == 3


def test_the_seed_decides_the_draws() -> None:
    values = by_id(list(np.random.default_rng(3).random(30)))

    assert interval(values, seed=1) == interval(values, seed=1) != interval(values, seed=2)


def test_drawing_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = by_id(list(np.random.default_rng(3).random(7)))
    at_once = interval(values, resamples=1000)
    monkeypatch.setattr(statistics, "CELLS", 100)  # 14 draws of 7 questions at a time

    assert interval(values, resamples=1000) == at_once


def test_intervals_of_a_percentile() -> None:
    found = interval(by_id([float(i) for i in range(101)]), percentile(95))

    assert found is not None
    assert found.value == 95.0
    assert 88 <= found.low < 95 < found.high <= 100


def test_ratios() -> None:
    a, b = by_id([2.0, 4.0, 6.0]), by_id([1.0, 2.0, 3.0])

    assert paired_interval(a, b, ratio=True) == pytest.approx((2.0, 2.0, 2.0, 3, 0))
    assert paired_interval(by_id([1.0, 0.0]), by_id([0.0, 0.0]), ratio=True) == (math.inf, 1.0, math.inf, 2, 0)


def test_a_figure_of_whole_rows_agrees_with_that_of_values() -> None:
    rows = [0.0, 1.0, 4.0, 9.0, 20.0]

    assert rows_interval(rows, lambda r: sum(r) / len(r), resamples=500) == pytest.approx(
        interval(by_id(rows), resamples=500)
    )


def test_draws_on_which_a_figure_is_not_defined_are_left_out() -> None:
    found = rows_interval([1.0, 0.0], lambda rows: None if sum(rows) == 0 else sum(rows), resamples=200)

    assert found == (1.0, 1.0, 2.0, 2, 0)
    assert rows_interval([0.0], lambda rows: None) is None
    assert rows_interval([], len) is None


def test_one_question_has_an_interval_of_no_width_and_none_has_none() -> None:
    assert interval({"q1": 0.5, "q2": None}) == (0.5, 0.5, 0.5, 1, 1)
    assert interval({"q1": None}) is None
    assert paired_interval({"q1": 1.0}, {"q2": 1.0}) is None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_value_that_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(InputError, match=rf"question 'q2' is {value}"):
        interval({"q1": 1.0, "q2": value})
