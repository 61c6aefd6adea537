"""Names of a document, and where names stand in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.links import NameSet, entity_names, mentions, name_key, names_in_question, words
from stores.records import Document
from stores.token_scan import TokenScan, hash_words


def found(text: str, *names: str, question: bool = False) -> list[str]:
    keys = NameSet((key, 0) for name in names if (key := name_key(name)))
    return [key for _, _, key in mentions(words(text), keys, question=question)]


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("Heat (1995 film)", "A film.", ("Heat (1995 film)", "Heat")),
        ("Myanmar", "Myanmar, also known as Burma, is a country.", ("Myanmar", "Burma")),
        ("Chess", "Chess or Western Chess, is a game.", ("Chess", "Western Chess")),
        ("Marie Curie", "Marie Curie (born Maria Sklodowska; 1867) was great.", ("Marie Curie", "Maria Sklodowska")),
        ("Ann Bell", "Ann Bell (born March 5, 1960) is a singer.", ("Ann Bell",)),
        ("Ann Bell", "Ann Bell was a singer with a band also known as Sirens.", ("Ann Bell",)),
        ("It", "It is a novel.", ()),
        ("", "Also known as nothing.", ()),
    ],
)
def test_entity_names(title: str, text: str, expected: tuple[str, ...]) -> None:
    assert entity_names(Document("k", title, text)) == expected


@pytest.mark.parametrize(
    ("aliases", "expected"), [("Big Apple", {"Big Apple"}), (["Gotham", 3], {"Gotham"}), (7, set())]
)
def test_aliases_in_metadata_are_names(aliases: object, expected: set[str]) -> None:
    assert set(entity_names(Document("k", "New York", "x", {"aliases": aliases}))) == {"New York"} | expected


def test_the_longest_name_wins_and_whole_tokens_count() -> None:
    names = ("New York", "New York City", "York", "City Hall")
    assert found("New York City Hall, not Yorkshire; York.", *names) == ["new york city", "york"]


def test_case_accents_and_punctuation_do_not_matter() -> None:
    assert found("beyonce knowles's song by O’Brien Smith", "Beyoncé Knowles", "O'Brien Smith") == [
        "beyonce knowles",
        "o brien smith",
    ]


def test_a_single_word_must_stand_out() -> None:
    assert found("a place of heat; it was Heat", "Heat") == ["heat"]
    assert found("at the end of it. The End", "The End") == ["the end"]
    assert found("machine learning is fun", "Machine Learning") == ["machine learning"]


def test_a_question_may_neglect_capitals_of_several_words() -> None:
    assert found("who wrote the hobbit and heat", "The Hobbit", "Heat", question=True) == ["the hobbit"]


def test_names_in_a_question_stand_as_typed_longest_first() -> None:
    names = NameSet([("paris", 1), ("marie curie", 2)])
    assert names_in_question("Paris? Marie-Curie in Paris?", names) == [
        ("Marie-Curie", "marie curie"),
        ("Paris", "paris"),
    ]


TOKENS = st.lists(st.sampled_from(["New", "York", "new", "City", "of", "The", "Ünited", "x"]), min_size=1, max_size=8)


@given(st.lists(TOKENS, min_size=1, max_size=6), st.lists(TOKENS, max_size=4))
def test_the_scan_finds_every_passage_with_a_name(passages: list[list[str]], names: list[list[str]]) -> None:
    keys = [key for name in names if (key := name_key(" ".join(name)))]
    scan = TokenScan()
    scan.add((row, hash_words(passage)) for row, passage in enumerate(passages, start=1))
    expected = {row for row, passage in enumerate(passages, start=1) for key in keys if found(" ".join(passage), key)}
    assert expected <= scan.rows_with(keys)
