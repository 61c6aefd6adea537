"""Which questions the reader is trained on, which are held out, and those put together of two."""

import random

import pytest

from models.training.composing import composed, noun_phrase
from models.training.reader_examples import Source, Text, draw, is_held_out, split


def source(name: str, question: str, answer: str = "a", **more: object) -> Source:
    given = {"gold": (Text(f"title of {name}", f"{answer} and {name}"),), **more}
    return Source(name, "squad", question, (answer,), **given)  # type: ignore[arg-type]


HELD = next(q for n in range(1000) if is_held_out(q := f"question {n}"))
FREE = [q for n in range(100) if not is_held_out(q := f"question {n}")]


def test_a_hop_is_held_out_with_its_question_and_not_by_its_own_words() -> None:
    told = [source("a", HELD), source("b", FREE[0], family=HELD), source("c", HELD + "x" * 9, family=FREE[1])]
    kept, held = split(told)
    assert [one.id for one in held] == ["a", "b"]
    assert [one.id for one in kept] == ["c"]


def test_what_shares_a_hop_with_a_question_held_out_is_not_trained_on() -> None:
    told = [
        source("a", HELD, hops=frozenset({"1", "2"})),
        source("b", FREE[0], hops=frozenset({"2", "3"})),
        source("c", FREE[1], hops=frozenset({"3"})),
    ]
    kept, held = split(told)
    assert [one.id for one in kept] == ["c"]
    assert [one.id for one in held] == ["a"]


def test_a_share_is_held_out() -> None:
    kept, held = split(source(str(n), f"question {n}") for n in range(2000))
    assert 180 < len(held) < 300
    assert len(kept) + len(held) == 2000


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("Who wrote Emma?", "the person who wrote Emma"),
        ("Who was the director of Jaws?", "the director of Jaws"),
        ("director of Jaws", "the director of Jaws"),
        ("Where was Chopin born?", "the place where Chopin was born"),
        ("What city hosts the Louvre?", "the city that hosts the Louvre"),
        ("How many are there?", None),
        ("Emma", None),
    ],
)
def test_a_question_becomes_what_it_asks_for(question: str, phrase: str | None) -> None:
    assert noun_phrase(question) == phrase


def test_two_questions_become_one_that_needs_both_passages() -> None:
    first = source(
        "1", "Who wrote Emma?", "Jane Austen", gold=(Text("Emma", "Emma is by Jane Austen."),), hops=frozenset({"1"})
    )
    second = source(
        "2", "Where was Jane Austen born?", "Steventon", hops=frozenset({"2"}),
        gold=(Text("Jane Austen", "Jane Austen was born in Steventon."),),
    )  # fmt: skip
    made = composed([first, second], random.Random(1))
    assert [one.question for one in made] == ["Where was the person who wrote Emma born?"]
    assert made[0].answers == ("Steventon",)
    assert made[0].gold == (*first.gold, *second.gold)
    assert made[0].hops == {"1", "2"}
    assert made[0].family == second.question


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Where was Jane Austen Smith born?", "Jane Austen Smith"),  # another one's name holds the name
        ("Where was Jane Austen born?", "Nobody"),  # its passage does not tell of her
        ("Where was Jane born?", "Jane Austen"),
    ],
)
def test_nothing_is_put_together_that_does_not_fit(asked: str, told: str) -> None:
    first = source("1", "Who wrote Emma?", "Jane Austen", gold=(Text("Emma", "Emma is by Jane Austen."),))
    second = source("2", asked, "Steventon", gold=(Text("…", f"{told} was born in Steventon."),))
    assert composed([first, second], random.Random(1)) == []


def test_a_passage_that_is_needed_may_be_left_out_and_then_nothing_answers() -> None:
    one = source("1", "Who wrote Emma?", "Austen", others=(Text("x", "Nothing of that."),))
    drawn = [draw(one, random.Random(seed), none=0.5) for seed in range(40)]
    assert {example.kind for example in drawn} == {"span", "none"}
    for example in drawn:
        holds = any("Austen" in text.text for text in example.passages)
        assert holds == (example.kind == "span")
        assert bool(example.gold) == holds
