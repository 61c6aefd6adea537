"""results.json: figures with intervals, comparisons with the first method, and what is refused on loading."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from evaluation.metric_table import METRICS
from evaluation.results import KEYS, Results, build_results, load_results, save_results
from stores.errors import InputError, StoreError
from tests.predicted import latency, prediction

QUESTIONS = range(1, 13)
PREDICTIONS = [
    *(prediction("lookahead", n, right=n > 3) for n in QUESTIONS),
    *(prediction("react", n, right=n > 8) for n in QUESTIONS),
    *(prediction("closed_book", n, right=False, ranked=[], evidence=[], citations=[]) for n in QUESTIONS if n < 12),
]
LATENCY = [
    *(latency("lookahead", n, 100.0 + n, simulated_ms={"synthesize": 40.0}) for n in QUESTIONS),
    *(latency("react", n, 700.0 + n if n > 1 else None) for n in QUESTIONS),
]
SETTINGS = {"name": "hotpotqa", "file": str(Path.home() / "data" / "bench.json"), "top_k": 5}


def built(**changes: Any) -> Results:
    options = {"predictions": PREDICTIONS, "latency": LATENCY, "settings": SETTINGS, "methods": ["lookahead"]}
    return build_results(**{**options, "notes": ["Two runs raised."], "simulated": "groq", "resamples": 100, **changes})


@pytest.fixture(scope="module")
def results() -> Results:
    return built()


def test_it_has_the_documented_keys_and_metrics(results: Results) -> None:
    assert tuple(sorted(results)) == tuple(sorted(KEYS))
    assert list(results["methods"]) == ["lookahead", "react", "closed_book"]
    assert all(figures.keys() <= METRICS.keys() for figures in results["methods"].values())
    json.dumps(results, allow_nan=False)


def test_a_figure_has_its_interval_and_its_questions(results: Results) -> None:
    found = results["methods"]["lookahead"]["em"]

    assert found["value"] == 0.75
    assert found["low"] < 0.75 < found["high"]
    assert found["n"] == 12


@pytest.mark.parametrize("metric", ["ece", "ece_mass"])
def test_a_calibration_error_lies_in_its_interval(metric: str) -> None:
    few = [prediction(number=n, right=n > 3, confidence=n / 13) for n in QUESTIONS]

    found = built(predictions=few)["methods"]["lookahead"][metric]

    assert 0 <= found["low"] < found["value"] < found["high"] <= 1


def test_a_method_that_retrieves_nothing_has_no_recall(results: Results) -> None:
    assert results["methods"]["closed_book"].keys().isdisjoint({"recall@5", "context_recall", "citation_recall"})
    assert "recall@5" in results["methods"]["react"]


def test_time_is_taken_from_the_latency_rows(results: Results) -> None:
    found = results["methods"]["react"]

    assert results["methods"]["lookahead"]["p50_ms"]["value"] == 106.5
    assert found["p50_ms"]["n"] == 11, "a run that raised has no time"
    assert found["acc@500ms"]["value"] == 0.0
    assert found["acc@1000ms"]["value"] == pytest.approx(4 / 12)
    assert "p50_ms" not in results["methods"]["closed_book"]
    assert results["stages"]["lookahead"]["total"]["p50"] == 106.5
    assert results["waits"]["lookahead"]["synthesize"]["mean"] == 40.0


def test_methods_are_compared_with_the_first_on_common_questions(results: Results) -> None:
    rows = {(row["b"], row["metric"]): row for row in results["comparisons"]}
    found = rows["react", "em"]

    assert {row["a"] for row in rows.values()} == {"lookahead"}
    assert found["difference"] == pytest.approx(5 / 12)
    assert found["low"] <= found["difference"] <= found["high"]
    assert (found["test"], found["p"], found["n"]) == ("mcnemar", 0.0625, 12)
    assert found["p_holm"] >= found["p"]
    assert rows["react", "p50_ms"]["ratio"]["value"] == pytest.approx(0.15, abs=0.01)
    assert rows["closed_book", "em"]["n"] == 11
    assert rows["closed_book", "em"]["ratio"] is None, "nothing is so many times nothing"
    assert ("closed_book", "recall@5") not in rows


def test_groups_and_failures(results: Results) -> None:
    assert set(results["groups"]["react"]) == {"type=bridge", "type=comparison", "hops=2"}
    assert results["groups"]["react"]["type=bridge"]["n"] == 6
    assert {row["group"] for row in results["group_comparisons"]} == {"hops=2"}, "the others are too small"
    assert results["failures"]["lookahead"] == {"not_found": 3}


def test_curves(results: Results) -> None:
    found = results["curves"]["lookahead"]

    assert found["acc_at_t"][0][:2] == [10.0, 0.0]
    assert found["acc_at_t"][-1][1] == 0.75
    assert found["risk_coverage"] == [[0.75, 0.0], [1.0, 0.25]]
    assert [point[1:] for point in found["reliability"]] == [[0.0, 3], [1.0, 9]]


def test_the_order_of_rows_does_not_matter(results: Results) -> None:
    shuffled = random.Random(1).sample(PREDICTIONS, len(PREDICTIONS))

    again = built(predictions=shuffled, latency=LATENCY[::-1], methods=list(results["methods"]))

    assert {**again, "created": ""} == {**results, "created": ""}


def test_nobody_is_named_and_what_is_missing_is_said(results: Results) -> None:
    assert results["settings"]["file"] == "~/data/bench.json"
    assert results["notes"] == [
        "Two runs raised.",
        "closed_book has answered 11 of 12 questions; it is compared on those.",
    ]


def test_it_comes_back_as_it_was_saved(results: Results, tmp_path: Path) -> None:
    path = save_results(results, tmp_path)

    assert load_results(tmp_path) == load_results(path) == results
    assert list(tmp_path.glob("*.tmp")) == []


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{"schema": 2}', "schema 2 and this program reads 1"),
        ("[]", "schema None"),
        ("{", "no JSON"),
        ('{"schema": 1, "methods": {}}', "lacks created, settings"),
        (None, "cannot be read"),
    ],
)
def test_another_file_is_refused_in_a_sentence(tmp_path: Path, content: str | None, complaint: str) -> None:
    if content is not None:
        (tmp_path / "results.json").write_text(content)

    with pytest.raises(InputError, match=complaint):
        load_results(tmp_path)


def test_no_predictions_and_no_folder() -> None:
    with pytest.raises(InputError, match="no predictions"):
        build_results([], [], {})
    with pytest.raises(StoreError, match="cannot be written"):
        save_results({}, "/nowhere/at/all")
