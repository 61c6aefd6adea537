"""The pictures, drawn by matplotlib: which there are, that they come out the same each time, how the page has them."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="needs the extra bench")

from evaluation.report.canvas import DPI, Picture, for_page
from evaluation.report.looks import DARK, DARK_PAGE
from evaluation.report.pictures import draw_pictures
from evaluation.report.writing import write_report
from evaluation.results import Results, build_results
from tests.predicted import latency, prediction

METHODS = ["lookahead", "react", "$x^2$ 東京 " + "long " * 30, "oracle"]
STEPS = [{"question": "Who?", "answer": "Ann"}, {"question": "Where?", "answer": "Roseto"}]
QUESTIONS = range(1, 25)
PREDICTIONS = [
    prediction(name, n, right=(n + k) % (k + 2) > 0, gold_steps=STEPS)
    for k, name in enumerate(METHODS)
    for n in QUESTIONS
]
LATENCY = [
    latency(name, n, 100.0 * (k + 1) + n, simulated_ms={"synthesize": 20.0})
    for k, name in enumerate(METHODS)
    for n in QUESTIONS
]


def built(predictions: Any = PREDICTIONS, rows: Any = LATENCY) -> Results:
    return build_results(predictions, rows, {"name": "x"}, resamples=100, simulated="groq")


@pytest.fixture(scope="module")
def results() -> Results:
    return built()


@pytest.fixture(scope="module")
def drawn(results: Results) -> list[Picture]:
    return draw_pictures(results)


def test_every_picture_is_drawn_twice_alike(results: Results, drawn: list[Picture]) -> None:
    names = [picture.name for picture in drawn]
    assert names == ["pareto", "acc_at_t", "waterfall", "recall", "risk_coverage", "reliability"]
    assert draw_pictures(results) == drawn
    assert all("groq" in picture.caption for picture in drawn[:3])


def test_their_size_is_that_of_a_column(drawn: list[Picture]) -> None:
    for picture in drawn:
        width = int.from_bytes(picture.png[16:20], "big")

        assert width == (7.0 if picture.wide else 3.5) * DPI


@pytest.mark.parametrize(
    ("predictions", "rows", "names"),
    [
        (PREDICTIONS[:1], LATENCY[:1], ["pareto", "acc_at_t", "waterfall"]),
        (PREDICTIONS, [], ["recall", "risk_coverage", "reliability"]),
        ([prediction(right=False, error="broke", confidence=None)], [latency(ms=None)], []),
    ],
)
def test_what_the_results_say_nothing_for_is_left_out(predictions: Any, rows: Any, names: list[str]) -> None:
    found = [picture.name for picture in draw_pictures(built(predictions, rows))]

    assert found[: len(names)] == names
    assert bool(found) == bool(names)


def test_on_the_page_ids_are_their_own_and_colours_follow_the_page(drawn: list[Picture]) -> None:
    shown = [for_page(picture) for picture in drawn]
    ids = re.findall(r'\bid="([^"]+)"', "".join(shown))

    assert len(ids) == len(set(ids))
    assert not re.search("|".join([*DARK, *DARK_PAGE]), "".join(shown))
    references = re.findall(r'(?:href="#|url\(#)([^")]+)', "".join(shown))
    assert references
    assert set(references) <= set(ids)


def test_the_report_has_them_and_says_so(results: Results, tmp_path: Path) -> None:
    paths = write_report(results, PREDICTIONS, tmp_path)

    assert len([path for path in paths if path.suffix == ".png"]) == 6
    page = paths[0].read_text(encoding="utf-8")
    assert page.count("<figure>") == page.count('role="img"') == 6
    assert re.search(r"!\[.*\]\(pictures/pareto\.png\)", paths[1].read_text(encoding="utf-8"))
