"""Percentiles, accuracy within a budget, and the area under its curve against numerical integration."""

import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.latency import accuracy_at, accuracy_curve, aulc, percentile, summarise, summarise_stages
from stores.errors import InputError

RUNS = st.lists(
    st.tuples(st.floats(0, 1), st.one_of(st.none(), st.floats(1, 10_000))), min_size=1, max_size=8
)  # outcome, milliseconds
Runs = list[tuple[float, float | None]]


def split(runs: Runs) -> tuple[list[float], list[float | None]]:
    return [outcome for outcome, _ in runs], [ms for _, ms in runs]


@pytest.mark.parametrize(("q", "expected"), [(0, 10.0), (50, 25.0), (75, 32.5), (95, 38.5), (100, 40.0)])
def test_percentiles_are_interpolated_between_order_statistics(q: float, expected: float) -> None:
    assert percentile([40, None, 10, 30, 20], q) == pytest.approx(expected)


def test_summary() -> None:
    found = summarise([*map(float, range(1, 102)), None])

    assert found == pytest.approx((51.0, 96.0, 100.0, 51.0, 101))
    assert summarise([None]) is None
    assert percentile([], 50) is None


def test_stages_are_summarised_over_the_runs_that_took_them_in_order() -> None:
    stages = summarise_stages([{"plan": 2.0, "retrieve": 5.0}, {"plan": 4.0, "fallback": 9.0, "retrieve": 7.0}])

    assert {stage: (found.p50, found.n) for stage, found in stages.items()} == {
        "plan": (3.0, 2),
        "retrieve": (6.0, 2),
        "fallback": (9.0, 1),
    }
    assert list(stages) == ["plan", "retrieve", "fallback"]


@pytest.mark.parametrize(
    ("budget", "strict", "conditional", "answered"),
    [(50, 0.0, None, 0.0), (100, 0.25, 1.0, 0.25), (300, 0.25, 0.5, 0.5), (9000, 0.5, 2 / 3, 0.75)],
)
def test_accuracy_within_a_budget(budget: float, strict: float, conditional: float | None, answered: float) -> None:
    found = accuracy_at([1, 0, 1, 1], [100, 200, 900, None], budget)  # the last was never answered

    assert found == (budget, strict, conditional if conditional is None else pytest.approx(conditional), answered)


def test_a_curve_has_a_point_for_each_budget() -> None:
    curve = accuracy_curve([1, 1], [100, 200], [50, 150, 250])

    assert [(p.budget_ms, p.strict) for p in curve] == [(50, 0.0), (150, 0.5), (250, 1.0)]


@given(RUNS, st.floats(1, 10_000), st.floats(1, 10_000))
def test_strict_accuracy_grows_with_the_budget_and_is_conditional_times_answered(
    runs: Runs, t: float, u: float
) -> None:
    early, late = (accuracy_at(*split(runs), budget) for budget in sorted((t, u)))

    assert 0 <= early.strict <= late.strict <= 1
    assert late.strict == pytest.approx((late.conditional or 0.0) * late.answered)


@pytest.mark.parametrize("scale", ["log", "linear"])
@given(runs=RUNS)
def test_aulc_is_the_mean_of_the_curve_over_the_range(scale: Literal["log", "linear"], runs: Runs) -> None:
    low, high, steps = 20.0, 5000.0, 400
    at = [(i + 0.5) / steps for i in range(steps)]  # midpoints, so each jump is off by half a step at most
    budgets = [low * (high / low) ** x if scale == "log" else low + x * (high - low) for x in at]
    curve = [point.strict for point in accuracy_curve(*split(runs), budgets)]

    assert aulc(*split(runs), range_ms=(low, high), scale=scale) == pytest.approx(
        sum(curve) / steps, abs=0.5 / steps + 1e-9
    )


def test_aulc_ends() -> None:
    assert aulc([1, 1], [1, 10], range_ms=(10, 1000)) == 1.0
    assert aulc([1, 1], [1000, None], range_ms=(10, 1000)) == 0.0
    assert aulc([1, 0], [100, 1], range_ms=(10, 1000)) == pytest.approx(0.25)
    assert aulc([1], [505], range_ms=(10, 1000), scale="linear") == pytest.approx(0.5)


@given(st.lists(st.floats(10, 1000), min_size=1, max_size=6))
def test_on_the_log_scale_twice_as_fast_gains_the_same_everywhere(durations: list[float]) -> None:
    right = [1.0] * len(durations)
    faster = aulc(right, [ms / 2 for ms in durations], range_ms=(1, 10_000))

    assert faster - aulc(right, durations, range_ms=(1, 10_000)) == pytest.approx(math.log(2) / math.log(10_000))


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(InputError, match="no questions"):
        accuracy_at([], [], 100)
    with pytest.raises(InputError, match="no questions"):
        aulc([], [])
    with pytest.raises(ValueError, match="2 outcomes but 1 durations"):
        accuracy_at([1, 1], [5], 100)
    with pytest.raises(ValueError, match="range"):
        aulc([1], [5], range_ms=(0, 100))
