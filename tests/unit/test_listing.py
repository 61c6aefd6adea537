from models.listing import enumeration, is_listed, listed
from stores.records import Passage


def passage(title: str, text: str) -> Passage:
    return Passage(id=title, document_id=title, title=title, text=text, metadata={})


MOONS = [
    passage("Uranus", "Uranus is a planet. William Herschel discovered it in 1781."),
    passage("Oberon (moon)", "Oberon is a moon of Uranus. William Herschel discovered it in 1787."),
    passage("Titania", "Titania is a moon of Uranus. It was among the discoveries of William Herschel in 1787."),
    passage("Ariel", "Ariel is a moon of Uranus. William Lassell discovered it in 1851."),
    passage("Infrared", "Infrared is light near Uranus that William Herschel discovered."),
]


def texts(question: str, passages: list[Passage]) -> list[str]:
    return [item.text for item in listed(question, passages)]


def test_titles_of_the_asked_kind_that_say_it_are_listed() -> None:
    assert texts("Which moons of Uranus did William Herschel discover?", MOONS) == ["Oberon", "Titania"]
    assert texts("How many moons of Uranus did William Herschel discover?", MOONS) == ["Oberon", "Titania"]


def test_one_thing_is_no_list() -> None:
    assert texts("Which moon of Uranus did William Herschel discover?", MOONS) == []
    assert texts("Which moons of Uranus did William Lassell discover?", MOONS) == []


def test_where_things_lie_may_be_said_with_another_verb() -> None:
    towns = [
        passage("Ulm", "Ulm is a town that stands on the Danube."),
        passage("Linz", "Linz is a town. The Danube divides it."),
        passage("Graz", "Graz is a town on the Mur."),
    ]
    assert texts("Which two towns lie on the Danube?", towns) == ["Ulm", "Linz"]


def test_an_enumeration_in_one_sentence_is_a_list() -> None:
    told = [passage("William Lassell", "William Lassell discovered the moons Triton, Ariel and Umbriel.")]
    assert texts("Which moons did William Lassell discover?", told) == ["Triton", "Ariel", "Umbriel"]
    assert enumeration(["Triton", "Ariel", "Umbriel"]) == "Triton, Ariel and Umbriel"


def test_a_list_is_supported_by_texts_that_name_each() -> None:
    question = "Which moons of Uranus did William Herschel discover?"
    said = [one["text"] for one in MOONS[1:3]]
    assert is_listed(question, "Oberon and Titania", said)
    assert not is_listed(question, "Oberon and Ariel", said)
    assert is_listed(question.replace("Which", "How many"), "2", said)
