"""Scores of confidence against brute force over all pairs, orders and bins."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.calibration import aurc, auroc, brier, coverage_at_risk, ece, reliability, risk_coverage
from stores.errors import InputError

# Few distinct confidences, so that ties are the rule.
ANSWERS = st.lists(st.tuples(st.integers(0, 6).map(lambda n: n / 6), st.integers(0, 1)), min_size=1, max_size=12)
Answers = list[tuple[float, int]]


def split(answers: Answers) -> tuple[list[float], list[int]]:
    return [c for c, _ in answers], [o for _, o in answers]


@given(ANSWERS)
def test_auroc_is_the_share_of_pairs_in_the_right_order(answers: Answers) -> None:
    pairs = [(p, n) for p, right in answers for n, wrong in answers if right and not wrong]
    won = sum((p > n) + (p == n) / 2 for p, n in pairs)

    assert auroc(*split(answers)) == (pytest.approx(won / len(pairs)) if pairs else None)


@given(ANSWERS)
def test_auroc_knows_order_only_and_turns_round_with_it(answers: Answers) -> None:
    confidences, outcomes = split(answers)
    found = auroc(confidences, outcomes)

    assert auroc([math.exp(5 * c) for c in confidences], outcomes) == found
    if found is not None:
        assert auroc([-c for c in confidences], outcomes) == pytest.approx(1 - found)
        assert auroc(confidences, [1 - o for o in outcomes]) == pytest.approx(1 - found)


@given(ANSWERS)
def test_risk_and_coverage_of_every_threshold(answers: Answers) -> None:
    for threshold, coverage, risk in risk_coverage(*split(answers), asked=20):
        given_ = [right for confidence, right in answers if confidence >= threshold]

        assert coverage == pytest.approx(len(given_) / 20)
        assert risk == pytest.approx(1 - sum(given_) / len(given_))


def test_the_curve_has_one_point_for_each_confidence_and_ends_where_all_are_answered() -> None:
    curve = risk_coverage([0.2, 0.9, 0.9, 0.2], [0, 1, 0, 0])

    assert [(p.threshold, p.coverage, p.risk) for p in curve] == [(0.9, 0.5, 0.5), (0.2, 1.0, 0.75)]
    assert risk_coverage([], [], asked=3) == []


def test_more_answers_than_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="1 questions were asked but 2 answered"):
        risk_coverage([0.1, 0.2], [1, 1], asked=1)


@given(ANSWERS.filter(lambda answers: len(answers) <= 5))
def test_aurc_is_the_mean_over_all_orders_of_equal_confidences(answers: Answers) -> None:
    areas = []
    for order in itertools.permutations(answers):
        if [c for c, _ in order] == sorted((c for c, _ in answers), reverse=True):
            risks = [sum(1 - right for _, right in order[:i]) / i for i in range(1, len(order) + 1)]
            areas.append(sum(risks) / len(risks))

    assert aurc(*split(answers)) == pytest.approx(sum(areas) / len(areas))


@given(ANSWERS)
def test_no_ranking_is_better_than_right_answers_first(answers: Answers) -> None:
    outcomes = [right for _, right in answers]
    best, worst = aurc(outcomes, outcomes), aurc([1 - right for right in outcomes], outcomes)

    assert best is not None
    assert worst is not None
    assert best - 1e-12 <= (aurc(*split(answers)) or 0.0) <= worst + 1e-12


@pytest.mark.parametrize(("risk", "coverage"), [(0.0, 0.25), (0.33, 0.25), (0.34, 0.75), (0.5, 1.0)])
def test_coverage_at_risk(risk: float, coverage: float) -> None:
    assert coverage_at_risk([0.9, 0.5, 0.5, 0.2], [1, 1, 0, 0], risk) == coverage


def test_coverage_at_risk_is_nothing_when_no_threshold_is_safe_and_may_come_back_later() -> None:
    assert coverage_at_risk([0.9, 0.1], [0, 0], 0.4) == 0.0
    assert coverage_at_risk([0.9, 0.8, 0.7], [0, 1, 1], 0.4) == 1.0  # the surest answer alone is wrong
    assert coverage_at_risk([0.9], [1], 0.0, asked=4) == 0.25


def test_bins_of_equal_width_are_open_below() -> None:
    confidences = [n / 10 for n in range(11)]
    bins = reliability(confidences, [1] * 11, bins=10)

    assert [b.n for b in bins] == [2] + [1] * 9  # 0 and 0.1 in the first, 0.7 in (0.6, 0.7]
    assert [b.confidence for b in bins] == pytest.approx([0.05, *confidences[2:]])


def test_bins_of_equal_mass_hold_equal_numbers_and_never_part_equal_confidences() -> None:
    spread = reliability([0.01, 0.02, 0.03, 0.04, 0.9, 0.99], [0, 1, 0, 1, 1, 1], bins=3, binning="mass")
    tied = reliability([0.5, 0.5, 0.5, 0.5, 0.9, 0.9], [1, 0, 1, 0, 1, 1], bins=3, binning="mass")

    assert [(b.n, b.accuracy) for b in spread] == [(2, 0.5), (2, 0.5), (2, 1.0)]
    assert [(b.n, b.accuracy) for b in tied] == [(4, 0.5), (2, 1.0)]
    assert [b.n for b in reliability([0.1, 0.5, 0.5, 0.5], [0, 1, 1, 0], bins=2, binning="mass")] == [1, 3]


def test_ece_by_hand() -> None:
    confidences, outcomes = [0.95, 0.95, 0.95, 0.95, 0.55, 0.55], [1, 1, 1, 0, 0, 1]

    assert ece(confidences, outcomes, bins=10) == pytest.approx(4 / 6 * 0.2 + 2 / 6 * 0.05)


@pytest.mark.parametrize("binning", ["width", "mass"])
@given(answers=ANSWERS, bins=st.integers(1, 8))
def test_ece_is_a_share_and_never_below_that_of_one_bin(binning: Any, answers: Answers, bins: int) -> None:
    confidences, outcomes = split(answers)
    overall = abs(sum(confidences) - sum(outcomes)) / len(answers)
    found = ece(confidences, outcomes, bins, binning)

    assert found is not None
    assert ece(confidences, outcomes, 1, binning) == pytest.approx(overall)
    assert overall - 1e-12 <= found <= 1
    assert ece(confidences[::-1], outcomes[::-1], bins, binning) == pytest.approx(found)
    assert sum(b.n for b in reliability(confidences, outcomes, bins, binning)) == len(answers)


def test_a_confidence_that_means_what_it_says_has_no_calibration_error() -> None:
    confidences, outcomes = [0.8] * 10 + [0.4] * 5, [1] * 8 + [0] * 2 + [1] * 2 + [0] * 3

    assert ece(confidences, outcomes) == pytest.approx(0)
    assert brier(confidences, outcomes) == pytest.approx((10 * 0.16 + 5 * 0.24) / 15)


def test_questions_without_confidence_are_left_out() -> None:
    confidences, outcomes = [0.9, None, 0.4, 0.2], [1, 0, 0, 1]
    kept = [0.9, 0.4, 0.2], [1, 0, 1]

    for measure in (auroc, aurc, ece, brier, risk_coverage):
        assert measure(confidences, outcomes) == measure(*kept)


def test_without_answers_there_are_no_scores() -> None:
    assert [measure([None], [1]) for measure in (auroc, aurc, ece, brier)] == [None] * 4


@pytest.mark.parametrize("measure", [ece, brier, reliability])
@pytest.mark.parametrize("confidence", [1.2, -0.1, math.nan])
def test_a_confidence_is_a_number_from_0_to_1(measure: Any, confidence: float) -> None:
    with pytest.raises(InputError, match=f"confidence is {confidence}"):
        measure([0.5, confidence], [1, 1])


def test_outcomes_are_shares_and_for_auroc_right_or_wrong() -> None:
    with pytest.raises(InputError, match=r"outcome is 2\.0"):
        brier([0.5], [2])
    with pytest.raises(InputError, match="outcome is nan"):
        aurc([0.5], [math.nan])
    with pytest.raises(InputError, match=r"outcome is 0\.5"):
        auroc([0.5, 0.1], [0.5, 1])
    with pytest.raises(ValueError, match="shorter"):
        auroc([0.5, 0.1], [1])
