import pytest

from models import values
from models.computing import compare, rule, same, sides
from models.pages import open_pages


def pages(**texts):
    return open_pages(
        [
            {"id": title, "document_id": title, "title": title.replace("_", " "), "text": text, "metadata": {}}
            for title, text in texts.items()
        ]
    )


PEOPLE = pages(
    Ada_Lovelace="Ada Lovelace (10 December 1815 – 27 November 1852) was an English mathematician.",
    Alan_Turing="Alan Turing (23 June 1912 – 7 June 1954) was an English computer scientist.",
)
OPTIONS = ("Ada Lovelace", "Alan Turing")


@pytest.mark.parametrize(
    ("question", "winner"),
    [
        ("Who is older, Ada Lovelace or Alan Turing?", 0),
        ("Who was born later, Ada Lovelace or Alan Turing?", 1),
        ("Who died first, Ada Lovelace or Alan Turing?", 0),
        ("Who lived longer, Ada Lovelace or Alan Turing?", 1),
    ],
)
def test_dates_of_two_lives_are_compared(question, winner):
    assert compare(question, OPTIONS, PEOPLE).choice == winner


def test_films_are_compared_by_release():
    films = pages(Red="Red is a 1994 film.", Blue="Blue is a 1993 film.")
    assert compare("Which film was released first, Red or Blue?", ("Red", "Blue"), films).choice == 1


def test_films_are_compared_by_their_directors():
    films = pages(
        Red="Red is a 1994 film directed by Ann Lee.",
        Blue="Blue is a 1993 film directed by Bo Li.",
        Ann_Lee="Ann Lee (born 1 May 1950) is a director.",
        Bo_Li="Bo Li (born 2 May 1940) is a director.",
    )
    question = "Which film has the director who was born first, Red or Blue?"
    assert compare(question, ("Red", "Blue"), films).choice == 1
    assert compare(question.replace("first", "later"), ("Red", "Blue"), films).choice == 0


def test_numbers_are_compared_by_what_is_counted():
    genera = pages(
        Crowea="Crowea is a genus of 3 species found in 1798.", Dracula="Dracula is a genus of 118 species of orchids."
    )
    assert compare("Which genus has more species, Crowea or Dracula?", ("Crowea", "Dracula"), genera).choice == 1
    assert compare("Which genus has fewer species, Crowea or Dracula?", ("Crowea", "Dracula"), genera).choice == 0


def test_what_is_missing_is_not_guessed():
    half = pages(Red="Red is a film.", Blue="Blue is a 1993 film.")
    assert compare("Which film was released first, Red or Blue?", ("Red", "Blue"), half) is None
    assert compare("Who is better, Ada Lovelace or Alan Turing?", OPTIONS, PEOPLE) is None


def test_equal_values_decide_nothing():
    films = pages(Red="Red is a 1993 film.", Blue="Blue is a 1993 film.")
    assert compare("Which film was released first, Red or Blue?", ("Red", "Blue"), films) is None


@pytest.mark.parametrize(("text", "answer"), [("Bo Li is a French painter.", 1), ("Bo Li is a painter from Spain.", 0)])
def test_same_country_is_computed(text, answer):
    both = pages(Ann_Lee="Ann Lee is a painter born in France.", Bo_Li=text)
    assert same("Are Ann Lee and Bo Li from the same country?", both, [[0], [1]]).choice == answer


def test_a_name_does_not_change_the_rule():
    assert (
        rule("Which film has the director who was born earlier, Dead Man's Evidence or Red Sky?").attribute == "birth"
    )


def test_each_option_finds_its_own_page_first():
    assert sides("Who is older, Ada Lovelace or Alan Turing?", OPTIONS, PEOPLE)[1][0] == 1


@pytest.mark.parametrize(
    ("text", "year"),
    [("12 May 1907", 1907), ("May 12, 1907", 1907), ("in May 1907", 1907), ("1907", 1907), ("5,000 men", None)],
)
def test_dates_are_read(text, year):
    value = values.date_value(text)
    assert (value if value is None else int(value)) == year


def test_dates_of_one_year_are_ordered():
    assert values.date_value("3 March 2001") < values.date_value("March 20, 2001") < values.date_value("1 April 2001")


@pytest.mark.parametrize(
    ("text", "number"), [("3,677 seated", 3677), ("2.5 million", 2.5e6), ("twelve", 12), ("few", None)]
)
def test_numbers_are_read(text, number):
    assert values.number_value(text) == number
