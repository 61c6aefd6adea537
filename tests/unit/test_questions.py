import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.questions import AnswerType, answer_type, choices, comparison, content_terms, named_entities


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who directed Big Stone Gap?", "person"),
        ("director of film Big Stone Gap", "person"),
        ("date of death of {n1}", "date"),
        ("birthplace of Ada Lovelace", "place"),
        ("population of Paris", "number"),
        ("In what county is Odessa, Texas?", "place"),
        ("Tryon D. Lewis is from Odessa, Texas which is located in what county?", "place"),
        ("The author of Sexual Politics attended which British University?", "organization"),
        ("When was the man who wrote Jaws born?", "date"),
        ("How many people live in Paris?", "number"),
        ("What year was the band formed?", "date"),
        ("Is Jaws a film?", "yes_no"),
        ("Both Sorbaria and Goldenrod are a genus of more than 50 plants?", "yes_no"),
        ("Who is older, Ada Lovelace or Alan Turing?", "choice"),
        ("Is the school where he teaches public or private?", "choice"),
        ("What kind of musician is John Bonham?", "entity"),
        ("What is the name of the actor who played Mark Cohen?", "person"),
        ("Which American indie rock group first had Jesse Sandoval as the drummer?", "organization"),
        ("After which scientist is curium named?", "person"),
        ("loser of the Battle of Hastings", "person"),
        ("why did he stop", "entity"),
        ("", "entity"),
    ],
)
def test_answer_types(question: str, kind: AnswerType) -> None:
    assert answer_type(question) == kind


@pytest.mark.parametrize(
    ("question", "options"),
    [
        (
            "Which magazine was started first, Arthur's Magazine or First for Women?",
            ("Arthur's Magazine", "First for Women"),
        ),
        ("who is younger Keith Bostic or Jerry Glanville ?", ("Keith Bostic", "Jerry Glanville")),
        ("Which film was released first out of Jaws and Alien?", ("Jaws", "Alien")),
        ("Between Aspidistra and Cyrtanthus, which genus has more species?", ("Aspidistra", "Cyrtanthus")),
        (
            "Which musician, Ciaran Gribbin or Brett Scallions, is a member of Fuel?",
            ("Ciaran Gribbin", "Brett Scallions"),
        ),
        ("Which film came out first, Dance, Fools, Dance or Jaws?", ("Dance, Fools, Dance", "Jaws")),
        ("Who wrote Pride and Prejudice?", None),
        ("Who directed Jaws?", None),
    ],
)
def test_choices(question: str, options: tuple[str, str] | None) -> None:
    assert choices(question) == options


@pytest.mark.parametrize(
    ("question", "attribute", "direction"),
    [
        ("Who is older, Ada Lovelace or Alan Turing?", "date_of_birth", "min"),
        ("Who was born later, Ada Lovelace or Alan Turing?", "date_of_birth", "max"),
        ("Which film has the director died first, Jaws or Alien?", "date_of_death", "min"),
        ("Which film was released more recently, Jaws or Alien?", "date", "max"),
        ("Who lived longer, Ada Lovelace or Alan Turing?", "lifespan", "max"),
        ("Which has more species, Sonerila or Scaevola?", "number", "max"),
        ("Are Jaws and Alien from the same country?", "same", "equal"),
        ("Were both Diva and Cleo magazines?", "both", "equal"),
        ("Which dog is based in Switzerland, Pug or Corgi?", "fact", "max"),
    ],
)
def test_comparisons(question: str, attribute: str, direction: str) -> None:
    found = comparison(question)
    assert found is not None
    assert (found.attribute, found.direction) == (attribute, direction)


def test_what_is_measured_stands_in_the_phrase() -> None:
    assert [
        found.phrase
        for question in (
            "Which has more species, Sonerila or Scaevola?",
            "Which city has a higher population, Lyon or Nice?",
            "Were Lyon and Nice of the same nationality?",
            "Which band formed first, Muse or Blur?",
        )
        if (found := comparison(question))
    ] == ["number of species", "population", "nationality", "formed"]


@pytest.mark.parametrize(
    "question",
    ["Who directed Jaws?", "Which city are both Lyon and Nice near?", "Is Jaws a film?", "and or and or", "?"],
)
def test_no_comparison(question: str) -> None:
    assert comparison(question) is None


def test_names_are_never_cut() -> None:
    text = "The actress in The Lord of the Rings met Guns N' Roses and the Earl of Derby in Odessa, Texas"
    assert named_entities(text) == ["The Lord of the Rings", "Guns N' Roses", "Earl of Derby", "Odessa, Texas"]


def test_a_possessive_ends_a_name_before_small_words_only() -> None:
    assert named_entities("who is Leigh Anne Tuohy's son?") == ["Leigh Anne Tuohy"]
    assert named_entities("who wrote Miss Peregrine's Home?") == ["Miss Peregrine's Home"]


def test_known_titles_are_names_even_in_small_letters() -> None:
    assert named_entities("who directed big stone gap", ["big stone gap", "who"]) == ["big stone gap"]


def test_quotes_are_names() -> None:
    assert named_entities('the song "All Join Hands" and “Knock”') == ["All Join Hands", "Knock"]


def test_content_terms_are_stemmed_without_stopwords() -> None:
    assert content_terms("Who directed the films of Franklin's brothers?") == ["direct", "film", "franklin", "brother"]


@settings(max_examples=100, deadline=None)
@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(["Who", "or", "and", "the of", "Jaws", "both", ",", "?", '"', "'", "Are", "which", "1"])
    ).map(" ".join)
)
def test_any_text_is_read_without_error(text: str) -> None:
    answer_type(text)
    comparison(text)
    named_entities(text)
    content_terms(text)


@pytest.mark.parametrize(
    "piece", ["or ", "A or B, ", '"', "the of ", "Aa ", "and both ", "' ", "x", "Which first, ", "{n1} "]
)
def test_long_text_takes_no_time(piece: str) -> None:
    text = "Which " + piece * (10_000 // len(piece))
    started = time.process_time()
    answer_type(text)
    comparison(text)
    named_entities(text)
    assert time.process_time() - started < 0.5
