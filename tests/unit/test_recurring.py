"""Questions made of a corpus: a sentence without a name, and another passage that holds it."""

import random

from models.training.reader_examples import Text
from models.training.recurring import recurring

WENDERS = Text("Wim Wenders", "He was small. Wim Wenders was born in 1945 in the city of Düsseldorf, near Cologne.")
HEINE = Text("Heinrich Heine", "In Düsseldorf stands a school where Wim Wenders was taught. He lies in Paris.")
COLOGNE = Text("Cologne", "Its cathedral was finished in 1880, when Cologne was large.")


def made(*texts: Text) -> set[tuple[str, str, str]]:
    found = {}
    for seed in range(20):
        for one in recurring(texts, random.Random(seed)):
            found[one.question, one.answers[0], one.gold[0].title] = one
    return set(found)


def test_a_name_is_asked_for_where_another_passage_holds_it_beside_a_second_one() -> None:
    assert made(WENDERS, HEINE, COLOGNE) == {
        ("What was born in 1945 in the city of Düsseldorf, near Cologne?", "Wim Wenders", "Heinrich Heine"),
        ("Wim Wenders was born in 1945 in the city of what, near Cologne?", "Düsseldorf", "Heinrich Heine"),
        ("In what stands a school where Wim Wenders was taught?", "Düsseldorf", "Wim Wenders"),
        ("In Düsseldorf stands a school where what was taught?", "Wim Wenders", "Wim Wenders"),
    }


def test_what_stands_beside_a_question_shares_a_name_with_it_and_does_not_hold_its_answer() -> None:
    found = [one for seed in range(20) for one in recurring([WENDERS, HEINE, COLOGNE], random.Random(seed))]
    assert {text.title for one in found for text in one.others} == {"Cologne"}
    assert not any(one.answers[0] in text.text for one in found for text in one.others)


def test_one_name_alone_asks_nothing() -> None:
    other = Text("Cologne Cathedral", "The tall cathedral that one can see in Cologne is very old.")
    assert made(COLOGNE, other) == set()


def test_the_same_seed_makes_the_same_questions() -> None:
    texts = [WENDERS, HEINE, COLOGNE]
    assert recurring(texts, random.Random(1)) == recurring(texts, random.Random(1))
    assert len(recurring(texts, random.Random(1), most=1)) == 1
