"""Scores of one prediction, and the cause given to a wrong one."""

from typing import Any

import pytest

from evaluation.failures import count_failures, failure_cause
from evaluation.metric_table import METRICS
from evaluation.scoring import bound_texts, hops_found, inner_answers, is_answered, is_declined, score
from tests.predicted import prediction, shown


def scores(**changes: Any) -> dict[str, float | None]:
    return score(prediction(**changes))


def test_every_score_is_in_the_table_of_metrics() -> None:
    assert scores().keys() <= METRICS.keys()


def test_a_right_answer() -> None:
    found = scores()

    assert (found["em"], found["f1"], found["answered"]) == (1.0, 1.0, 1.0)
    assert (found["recall@2"], found["recall@5"], found["all_gold@5"]) == (0.5, 1.0, 1.0)
    assert (found["context_recall"], found["citation_precision"], found["citation_recall"]) == (1.0, 1.0, 0.5)


class TestDeclining:
    def test_what_was_withheld_earns_nothing_but_is_told(self) -> None:
        found = scores(abstained=True)

        assert (found["em"], found["em_text"], found["answered"]) == (0.0, 1.0, 0.0)

    def test_only_the_methods_own_word_or_a_blank_answer_counts(self) -> None:
        assert not is_declined(prediction(sufficient=False))
        assert is_declined(prediction(answer=" "))

    @pytest.mark.parametrize(
        ("changes", "em"), [({"abstained": True}, 1.0), ({"answer": ""}, 1.0), ({}, 0.0), ({"error": "broke"}, 0.0)]
    )
    def test_a_question_without_an_answer(self, changes: dict[str, Any], em: float) -> None:
        found = scores(**{"answerable": False, "golds": [], **changes})

        assert found["em"] == em
        assert found["em_text"] is found["recall@5"] is found["citation_precision"] is None

    def test_a_run_that_raised_neither_answered_nor_declined(self) -> None:
        row = prediction(error="Model: it gave up.", abstained=True)

        assert not is_declined(row)
        assert not is_answered(row)
        assert score(row)["em"] == score(row)["em_text"] == 0.0


def test_documents_are_matched_by_title_where_the_gold_is_titles() -> None:
    titles = {"gold_documents": ["G1A", "G1B"], "ranked": ["G1A", "X"], "evidence": [shown("g1a"), shown("x")]}

    found = scores(**titles)

    assert found["context_recall"] == 0.5
    assert found["citation_precision"] == 1.0


HOPS = [
    {"bindings": []},
    {
        "bindings": [
            {"node": "n1", "text": "Ann"},
            {"node": "n1", "text": "Bob"},
            {"node": "n2", "text": "Rome"},
        ]
    },
]
STEPS = [{"question": "Who?", "answer": "Ann"}, {"question": "Where?", "answer": "Roseto"}]


class TestBindings:
    def test_the_candidates_of_each_parent_stand_together_the_best_first(self) -> None:
        assert bound_texts(prediction(hops=HOPS)) == [["Ann", "Bob"], ["Rome"]]

    def test_the_runner_up_counts_among_the_first_two_only(self) -> None:
        second = scores(hops=HOPS, gold_steps=[{"question": "Who?", "answer": "Bob"}])
        assert (second["binding_accuracy"], second["binding_accuracy@2"]) == (0.0, 0.5)

    def test_bindings_of_a_question_without_an_answer_are_not_scored(self) -> None:
        assert scores(hops=HOPS, gold_steps=STEPS, answerable=False)["binding_accuracy@2"] is None

    def test_the_questions_own_answer_is_no_step_on_the_way(self) -> None:
        assert inner_answers(prediction(gold_steps=STEPS)) == ["Ann"]
        assert scores(hops=HOPS, gold_steps=STEPS)["binding_accuracy"] == 0.5

    def test_hops_are_told_apart_only_where_their_order_is_known(self) -> None:
        assert hops_found(prediction()) == []
        assert hops_found(prediction(right=False, gold_steps=STEPS)) == [1.0, 0.0]


def test_a_cost_with_an_unknown_part_is_none() -> None:
    assert scores(usage={"cost_usd": 0.1, "unpriced_calls": 1})["cost_usd"] is None
    assert scores(usage={})["cost_usd"] == 0.0


def test_a_judgement_is_scored_where_there_is_one() -> None:
    judged = {"correct": True, "key_facts": {"a": True, "b": False}, "reason": "", "model": "m"}

    assert scores(judged=judged)["key_facts"] == 0.5
    assert scores()["judged_correct"] is None


WRONG_BINDING = {"hops": HOPS, "gold_steps": STEPS}


@pytest.mark.parametrize(
    ("cause", "changes"),
    [
        (None, {}),
        ("error", {"error": "broke"}),
        ("answered_unanswerable", {"answerable": False, "golds": []}),
        ("close", {"answer": "in Roseto"}),
        ("abstained", {"abstained": True}),
        ("wrong_binding", {"right": False, **WRONG_BINDING}),
        ("not_found", {"right": False}),
        ("left_out", {"answer": "Rome", "evidence": [shown("g1a")]}),
        ("misread", {"answer": "Rome"}),
        ("wrong", {"answer": "Rome", "gold_documents": []}),
    ],
)
def test_the_cause_of_a_failure(cause: str | None, changes: dict[str, Any]) -> None:
    row = prediction(**changes)

    assert failure_cause(row, score(row)) == cause
    assert count_failures([(row, score(row))]) == ({cause: 1} if cause else {})
