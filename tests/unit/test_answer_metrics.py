"""Exact match and F1 as the official scripts score them, worked out by hand; abstaining as its docstring says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.answer_metrics import AnswerScore, exact_match, f1, normalize_answer, score_answer
from stores.errors import InputError

WORDS = st.lists(st.sampled_from(["the", "a", "Paris", "paris", "no", "yes", "Île", "of", "it's", "..."]), max_size=6)
PHRASES = WORDS.map(" ".join)
GOLDS = PHRASES.filter(str.strip)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Beatles!", "beatles"),
        ("An apple a day", "apple day"),
        ("Theatre and anthem", "theatre and anthem"),
        ("U.S.A.", "usa"),
        ("twenty-one", "twentyone"),
        ("1939–1945", "1939–1945"),
        ("“quoted”", "“quoted”"),
        ("Beyoncé\tKnowles\n", "beyoncé knowles"),
        ("Ångström a", "ångström"),
        ("it's", "its"),
        ("A.", ""),
        ("Rock–the–Boat", "rock– –boat"),
    ],
)
def test_normalisation(text: str, normal: str) -> None:
    assert normalize_answer(text) == normal


@pytest.mark.parametrize(
    ("prediction", "golds", "expected"),
    [
        ("barack obama", ["Barack Obama"], 1.0),
        ("Barack Hussein Obama", ["Barack Obama"], 0.0),
        ("NYC", ["New York City", "NYC"], 1.0),
        ("Beyonce", ["Beyoncé"], 0.0),
        ("The The", ["The The"], 1.0),
        ("", ["The The"], 0.0),
        (" \n", ["Paris"], 0.0),
        ("Paris", "Paris", 1.0),
    ],
)
def test_exact_match(prediction: str, golds: list[str] | str, expected: float) -> None:
    assert exact_match(prediction, golds) == expected


@pytest.mark.parametrize(
    ("prediction", "golds", "expected"),
    [
        ("Barack Hussein Obama", ["Barack Obama"], 4 / 5),  # precision 2/3, recall 1
        ("Obama", ["Barack Obama", "President Obama of the US"], 2 / 3),
        ("New York New York", ["New York City"], 4 / 7),  # each token counts once, as often as both have it
        ("Berlin", ["Paris"], 0.0),
        ("yes, it is", ["yes"], 0.0),
        ("no", ["no way"], 0.0),
        ("Yes.", ["yes"], 1.0),
        ("noanswer", ["noanswer given"], 0.0),
        ("yes", ["no", "Yes"], 1.0),
        ("The The", ["the the"], 1.0),
        ("", ["The The"], 0.0),
        ("...", ["Paris"], 0.0),
    ],
)
def test_f1(prediction: str, golds: list[str], expected: float) -> None:
    assert f1(prediction, golds) == pytest.approx(expected)


@given(PHRASES, GOLDS, GOLDS)
def test_f1_lies_between_exact_match_and_one_and_aliases_only_help(prediction: str, gold: str, alias: str) -> None:
    alone, both = f1(prediction, gold), f1(prediction, [gold, alias])

    assert exact_match(prediction, gold) <= alone <= both <= 1
    assert both == f1(prediction, [alias, gold])


@given(GOLDS, GOLDS)
def test_f1_is_symmetric_and_knows_no_order_of_words(one: str, other: str) -> None:
    assert f1(one, other) == f1(other, one)
    if len(normalize_answer(one).split()) > 1:  # a single "no" among words is another answer than "no"
        assert f1(" ".join(reversed(one.split())), other) == f1(one, other)


@given(PHRASES, GOLDS)
def test_case_articles_and_punctuation_do_not_matter(prediction: str, gold: str) -> None:
    dressed = f"The {prediction.upper()} !" if prediction.strip() else ""

    assert exact_match(dressed, gold) == exact_match(prediction, gold)
    assert f1(dressed, gold) == f1(prediction, gold)


@pytest.mark.parametrize("golds", [[], [""], "", ["  "]])
def test_a_question_without_accepted_answer_cannot_be_scored_as_answerable(golds: list[str] | str) -> None:
    for score in (exact_match, f1, score_answer):
        with pytest.raises(InputError, match="no accepted answer"):
            score("Paris", golds)


@pytest.mark.parametrize(
    ("prediction", "answerable", "abstained", "expected"),
    [
        ("Paris", True, None, 1.0),
        ("", True, None, 0.0),
        ("Paris", True, True, 0.0),
        ("", True, False, 0.0),
        ("Paris", False, None, 0.0),
        ("", False, None, 1.0),
        (" ", False, False, 1.0),
        ("Paris", False, True, 1.0),
    ],
)
def test_abstaining(prediction: str, answerable: bool, abstained: bool | None, expected: float) -> None:
    golds = ["Paris"] if answerable else []

    assert score_answer(prediction, golds, answerable=answerable, abstained=abstained) == (expected, expected)


def test_an_answer_scores_em_and_f1_apart() -> None:
    assert score_answer("Barack Hussein Obama", ["Barack Obama"]) == AnswerScore(em=0.0, f1=pytest.approx(0.8))
