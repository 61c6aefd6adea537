"""Two runs compared: what changed, the surest change first, and what else differs."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.comparing import Comparison, Run, compare, comparison_text, load_run
from evaluation.predictions import append_row
from evaluation.results import build_results, save_results
from tests.predicted import latency, prediction

QUESTIONS = range(1, 21)


def saved(folder: Path, rights: int, ms: float, *, keep: bool = True, **options: Any) -> Run:
    """A run whose first `rights` questions are answered rightly."""
    folder.mkdir()
    predictions = [prediction("lookahead", n, right=n <= rights) for n in QUESTIONS]
    rows = [latency("lookahead", n, ms + n) for n in QUESTIONS]
    settings = options.pop("settings", {"top_k": 5, "out": str(folder)})
    save_results(build_results(predictions, rows, settings, resamples=100, **options), folder)
    for name, kept in (("predictions", predictions), ("latency", rows)):
        for row in kept if keep else []:
            append_row(folder / f"{name}.jsonl", row)
    return load_run(folder)


@pytest.fixture(scope="module")
def better(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    folder = tmp_path_factory.mktemp("paired")
    return compare(saved(folder / "a", 4, 200.0), saved(folder / "b", 14, 100.0, settings={"top_k": 8}))


def test_figures_are_paired_by_question(better: Comparison) -> None:
    changes = {change.metric: change for change in better.changes}

    assert changes["em"].difference == pytest.approx(0.5)
    assert changes["em"].paired
    assert changes["em"].better
    assert changes["p50_ms"].difference == -100.0
    assert changes["p50_ms"].better
    assert changes["llm_calls"].better is None
    assert not changes["ece"].paired


def test_the_surest_change_comes_first(better: Comparison) -> None:
    sure = [change.low <= 0 <= change.high for change in better.changes]

    assert sure == sorted(sure)


def test_what_differs_otherwise_is_said(better: Comparison) -> None:
    assert better.remarks == ["settings.top_k: 5 before, 8 after."]


def test_the_table_counts_what_it_leaves_out(better: Comparison) -> None:
    text = comparison_text(better)

    assert "EM" in text
    assert "+50.0 [" in text
    assert "LLM calls" not in text
    assert "show no change" in text
    assert "LLM calls" in comparison_text(better, everything=True)


def test_without_predictions_intervals_are_held_against_each_other(tmp_path: Path) -> None:
    before = saved(tmp_path / "a", 4, 200.0, keep=False)
    after = saved(tmp_path / "b", 14, 200.0, keep=False, simulated="groq", methods=["lookahead"])

    found = compare(before, after)

    em = next(change for change in found.changes if change.metric == "em")
    assert not em.paired
    assert em.low < 0.5 < em.high
    assert any(remark.startswith("Times cannot be compared") for remark in found.remarks)
    assert "(unpaired)" in comparison_text(found)


def test_a_run_does_not_differ_from_itself(tmp_path: Path) -> None:
    run = saved(tmp_path / "a", 4, 200.0)

    found = compare(run, run)

    assert found.remarks == []
    assert all(change.difference == 0 for change in found.changes)
    assert comparison_text(found).endswith(
        f"of {len(found.changes)} figures show no change: 0 lies in the 95 % interval."
    )
