"""The table of metrics names every figure that is computed, once, in one line."""

from evaluation.latency import BUDGETS_MS
from evaluation.metric_table import METRICS
from evaluation.retrieval_metrics import KS, retrieval_scores


def test_every_score_of_a_ranking_is_in_the_table() -> None:
    scores = set(retrieval_scores(["a"], ["a"]))

    assert scores == {key for key, metric in METRICS.items() if metric.group == "retrieval"}
    assert {f"recall@{k}" for k in KS} <= scores


def test_the_keys_of_results_are_there() -> None:
    promised = {
        "em",
        "f1",
        "recall@2",
        "recall@5",
        "all_gold@5",
        "mrr",
        "ndcg@5",
        "p50_ms",
        "p95_ms",
        "llm_calls",
        "aulc",
    }

    assert promised <= set(METRICS)
    assert {f"acc@{t}ms" for t in BUDGETS_MS} <= set(METRICS)


def test_labels_are_distinct_and_descriptions_are_one_line() -> None:
    labels = [metric.label for metric in METRICS.values()]

    assert len(set(labels)) == len(labels)
    assert all(m.description.endswith(".") and "\n" not in m.description for m in METRICS.values())


def test_costs_times_and_errors_are_better_when_lower() -> None:
    lower = {key for key, metric in METRICS.items() if metric.higher_is_better is False}

    assert lower == {
        *("aurc", "ece", "ece_mass", "brier", "p50_ms", "p95_ms", "p99_ms"),
        *("llm_calls", "prompt_tokens", "completion_tokens", "cost_usd"),
    }
    assert {metric.unit for key, metric in METRICS.items() if key.endswith("_ms")} == {"ms"}
