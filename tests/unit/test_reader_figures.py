"""Figures and card of the reader's training commands."""

from pathlib import Path

import numpy as np
import pytest

from models.training.reader_card import JOINED, LICENCES, card, join_card
from models.training.reader_examples import Source
from models.training.reader_figures import calibration


def test_a_reader_that_is_right_as_often_as_it_says_has_no_error() -> None:
    said = calibration(np.array([0.75] * 4 + [0.25] * 4), np.array([1.0, 1, 1, 0, 0, 0, 0, 1]))
    assert said == "ECE 0.000, Brier 0.188, AUROC 0.750, 8 answers"


@pytest.mark.parametrize(("right", "auroc"), [([1.0, 0.0], "1.000"), ([0.0, 1.0], "0.000")])
def test_auroc_is_the_share_of_pairs_in_order(right: list[float], auroc: str) -> None:
    assert f"AUROC {auroc}" in calibration(np.array([0.9, 0.1]), np.array(right))


def test_the_card_counts_every_set_and_names_its_licence() -> None:
    asked = [Source(str(n), "squad", f"question {n}", ("a",), ()) for n in range(200)]
    text = card(asked[:150], asked[150:], dict.fromkeys(LICENCES, 2.0), "10 steps.", "small", ["| figures |"])
    assert "| SQuAD 1.1 | 150 | 50 | 2 |" in text
    assert "| figures |" in text
    assert all(licence in text for _, licence in LICENCES.values())


def test_figures_of_what_is_fitted_on_top_replace_older_ones(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# The reader\n\nTrained.\n")
    for figure in ("| old |", "| new |"):
        join_card(tmp_path, [figure])
    text = (tmp_path / "README.md").read_text()
    assert text.startswith("# The reader\n\nTrained.\n")
    assert text.count(JOINED) == 1
    assert "| new |" in text
    assert "| old |" not in text
