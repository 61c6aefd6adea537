"""Windows: what the trained reader sees of a question and its passages."""

import pytest
from tokenizers import Tokenizer

from models.embedder import DEFAULT_EMBEDDER, SHIPPED
from models.reader_inputs import MAX_QUESTION, MAX_TOKENS, MAX_WINDOWS, Window, windows


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    found = Tokenizer.from_file(str(SHIPPED / DEFAULT_EMBEDDER / "tokenizer.json"))
    found.no_truncation()
    found.no_padding()
    return found


def text_of(window: Window, passages: list[tuple[str, str]]) -> list[str]:
    return [passages[p.passage][0 if p.sentence < 0 else 1][p.start : p.end] for p in window.pieces if p]


def test_pieces_point_to_the_characters_that_they_stand_for(tokenizer: Tokenizer) -> None:
    passages = [("Ada", "It rains. Ada sleeps."), ("Bob", "Bob works.")]
    (window,) = windows(tokenizer, "Who sleeps?", passages)

    assert text_of(window, passages) == ["Ada", "It", "rains", ".", "Ada", "sleeps", ".", "Bob", "Bob", "works", "."]
    assert [(m.passage, m.sentence) for m in window.marks] == [(0, 0), (0, 1), (1, 0)]
    assert len(window.ids) == len(window.types) == len(window.pieces)


def test_of_a_long_question_both_ends_are_read(tokenizer: Tokenizer) -> None:
    question = "Ada " + "walks and " * 200 + "Where did she die"
    (window,) = windows(tokenizer, question, [("Ada", "She died in London.")])

    asked = tokenizer.decode([i for i, kind in zip(window.ids, window.types, strict=True) if kind == 0])
    assert window.types.count(0) == MAX_QUESTION + 2
    assert asked.startswith("ada walks")
    assert asked.endswith("where did she die")


def test_a_passage_without_end_is_read_as_far_as_the_bound(tokenizer: Tokenizer) -> None:
    made = windows(tokenizer, "Who?", [("Long", "One sentence follows the other here. " * 3000)])

    assert len(made) == MAX_WINDOWS
    assert all(len(window.ids) <= MAX_TOKENS for window in made)


def test_nothing_to_read_makes_no_window(tokenizer: Tokenizer) -> None:
    assert windows(tokenizer, "Who?", []) == []
    assert windows(tokenizer, "Who?", [("Title", "  ")]) == []
