import time

import pytest

from models.question_view import view
from models.reader import EmbeddedReader

READER = EmbeddedReader()


def passage(title, text):
    return {"id": title, "document_id": title, "title": title, "text": text, "metadata": {}}


FILM = passage(
    "Big Stone Gap (film)",
    "Big Stone Gap is a 2014 American drama film written and directed by Adriana Trigiani "
    "and produced by Donna Gigliotti.",
)
AUTHOR = passage(
    "Adriana Trigiani",
    "Adriana Trigiani is an American author, television writer and film director based in Greenwich Village. "
    "She was born in Roseto, Pennsylvania. She has published a novel a year since 2000.",
)
TURING = passage("Alan Turing", "Alan Turing (23 June 1912 – 7 June 1954) was an English mathematician born in London.")
ARENA = passage("Androscoggin Bank Colisée", "The Androscoggin Bank Colisée is a 4,000 capacity (3,677 seated) arena.")
SHINS = passage("The Shins", "The Shins is an American indie rock band. The band includes Jon Sortland on drums.")
CROWD = [FILM, AUTHOR, TURING, ARENA, SHINS]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who directed Big Stone Gap?", "Adriana Trigiani"),
        ("director of Big Stone Gap", "Adriana Trigiani"),
        ("When was Alan Turing born?", "23 June 1912"),
        ("When did Alan Turing die?", "7 June 1954"),
        ("What nationality was Alan Turing?", "English"),
        ("Where was Adriana Trigiani born?", "Roseto, Pennsylvania"),
        ("In what year was Alan Turing born?", "1912"),
        ("Which indie rock band has Jon Sortland on drums?", "The Shins"),
        ("Who is older, Adriana Trigiani or Alan Turing?", "Alan Turing"),
        ("Is Alan Turing a mathematician?", "yes"),
    ],
)
def test_the_best_answer_is_of_the_asked_kind(question, answer):
    extra = passage("Adriana Trigiani (life)", "Adriana Trigiani (born 1960) is an author.")
    best = READER.read(question, [*CROWD, extra] if "older" in question else CROWD)[0]
    assert best["text"] == answer


def test_an_answer_knows_where_it_was_read():
    best = READER.read("Who directed Big Stone Gap?", CROWD)[0]
    assert best["passage_id"] == FILM["id"]
    assert best["sentence"] in FILM["text"]
    assert best["text"] in best["sentence"]


def test_answers_are_distinct_ordered_and_probable_together():
    read = READER.read("Who directed Big Stone Gap?", CROWD, limit=5)
    probabilities = [one["probability"] for one in read]
    assert len(read) == 5 == len({one["text"].lower() for one in read})
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0 <= sum(probabilities) <= 1.001


def test_what_stands_in_the_question_is_no_answer():
    texts = [one["text"] for one in READER.read("Who directed Big Stone Gap?", CROWD, limit=50)]
    assert "Big Stone Gap" not in texts


def test_without_the_answer_it_is_less_sure():
    question = "Who directed Big Stone Gap?"
    with_it, without = READER.read(question, [FILM])[0], READER.read(question, [TURING, ARENA])[0]
    assert without["probability"] < 0.5 < with_it["probability"]


@pytest.mark.parametrize("passages", [[], [passage("", "")], [passage("Empty", "   ")]])
def test_nothing_is_read_in_nothing(passages):
    assert READER.read("Who directed Jaws?", passages) == []
    assert READER.judge("Jaws is a film.", passages)["text"] == "no"
    assert READER.support("Who directed Jaws?", "Spielberg", passages) < 0.5


@pytest.mark.parametrize("question", ["", "?", "!!! ...", "the of a"])
def test_an_empty_question_has_no_answer(question):
    assert READER.read(question, CROWD) == []


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Are Alan Turing and Ada Byron from the same country?", "yes"),
        ("Are Alan Turing and Jean Moulin from the same country?", "no"),
        ("Is Alan Turing a mathematician?", "yes"),
        ("Is Alan Turing a Brazilian racing driver who won seven titles?", "no"),
    ],
)
def test_claims_are_judged(claim, verdict):
    others = [
        passage("Ada Byron", "Ada Byron was an English writer."),
        passage("Jean Moulin", "Jean Moulin was a French civil servant."),
    ]
    judged = READER.judge(claim, [TURING, *others])
    assert judged["text"] == verdict
    assert 0.5 <= judged["probability"] <= 1


def test_sentences_keep_their_order_and_the_telling_one_ranks_first():
    ranked = READER.sentences("Where was Adriana Trigiani born?", AUTHOR["text"])
    assert " ".join(text for text, _ in ranked) == AUTHOR["text"]
    assert all(0 <= relevance <= 1 for _, relevance in ranked)
    assert "born in Roseto" in max(ranked, key=lambda pair: pair[1])[0] or ranked[0][1] == max(r for _, r in ranked)


def test_the_right_answer_is_better_supported_than_a_wrong_one_or_other_texts():
    question = "Who directed Big Stone Gap?"
    right = READER.support(question, "Adriana Trigiani", [FILM])
    assert right > 0.5
    assert right > READER.support(question, "Donna Gigliotti", [FILM])
    assert right > READER.support(question, "Adriana Trigiani", [TURING])


def test_a_whole_sentence_is_supported_where_it_stands():
    claim = "Adriana Trigiani wrote and directed the 2014 American drama film that Donna Gigliotti produced."
    said = READER.support("Who directed Big Stone Gap?", claim, [FILM])
    assert said > 0.5 > READER.support("Who directed Big Stone Gap?", claim, [TURING])


def test_a_long_and_odd_passage_is_read_in_time():
    odd = passage("Odd", "Aa (" * 200 + "B, " * 200 + '"' * 50 + " 1999–2001 " * 50)
    start = time.process_time()
    READER.read("Who wrote Odd in 1999?", [odd])
    assert time.process_time() - start < 5


def test_a_year_is_no_place_and_a_verb_ends_no_name():
    town = passage("Bo Li", "Bo Li wrote poems. She was born in 1819 near Nuneaton in May 1819, where Bo Li wrote.")
    places = [one["text"] for one in READER.read("In which town was Bo Li born?", [town], limit=20)]
    assert "Nuneaton" in places
    assert not [text for text in places if "1819" in text]
    people = [one["text"] for one in READER.read("Who wrote the poems?", [town], limit=20)]
    assert "Bo Li" in people
    assert "Bo Li wrote" not in people


def test_how_many_is_a_number():
    town = passage("Skien", "Skien is a town in Norway with 55,000 people. Henrik Ibsen was born there.")
    assert [one["text"] for one in READER.read("How many live in Skien?", [town], limit=20)][:1] == ["55,000"]
    assert READER.read("How many live in Skien?", [passage("Skien", "Skien is a town in Norway.")]) == []


def test_a_phrase_that_opens_with_country_wants_one():
    assert view("country to which the Azores belong").wanted == "country"
