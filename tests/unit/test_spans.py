import tracemalloc

from models.spans import REMEMBERED, analyse, answer_key, bare_title


def found(text):
    return {span.text: span.kind for sentence in analyse(text) for span in sentence.spans}


def test_a_name_comes_whole_and_in_parts():
    spans = found("He was crowned by the King of Poland at the University of Oxford.")
    assert {"King of Poland", "Poland", "University of Oxford", "Oxford"} <= spans.keys()


def test_a_town_comes_with_its_state_and_alone():
    spans = found("She lives in Golden Valley, Minnesota.")
    assert {"Golden Valley, Minnesota", "Golden Valley", "Minnesota"} <= spans.keys()


def test_a_life_has_two_dates_and_their_years():
    spans = found("Ada Lovelace (10 December 1815 – 27 November 1852) was a mathematician.")
    assert spans["10 December 1815"] == spans["27 November 1852"] == "date"
    assert spans["1815"] == spans["1852"] == "year"


def test_a_number_comes_with_its_unit():
    spans = found("The arena has 3,677 seated places and cost $ 2.5 million.")
    assert spans["3,677"] == "number"
    assert spans["3,677 seated"] == "quantity"
    assert "$ 2.5 million" in spans


def test_a_year_is_no_number():
    assert found("It opened in 1864.")["1864"] == "year"


def test_a_nationality_is_told_from_a_name():
    spans = found("She is the American-British director of Alien Nation.")
    assert spans["American-British"] == "nation"
    assert spans["Alien Nation"] == "name"


def test_the_words_of_a_definition_are_phrases():
    assert "film director" in found("Kaye is an American film director.")


def test_a_quotation_is_found_without_its_quotes():
    assert found('The song "we can work it out" was a hit.')["we can work it out"] == "quote"


def test_every_span_stands_in_its_sentence():
    for sentence in analyse("Dr. J. R. Smith left the U.S. in May 1999 (aged 40), never to return. It was 5.5 km off!"):
        assert all(span.text in sentence.text and span.end <= len(sentence.tokens) for span in sentence.spans)


def test_a_passage_is_analysed_once():
    assert analyse("One passage.") is analyse("One passage.")


def test_nothing_is_found_in_nothing():
    assert analyse("") == ()
    assert found("... !?") == {}


def test_keys_and_titles():
    assert answer_key("The  Shins!") == answer_key("shins")
    assert bare_title("Arizona (song)") == "Arizona"
    assert bare_title("(untitled)") == "(untitled)"


def test_what_is_remembered_of_passages_is_little_in_memory():
    """A server keeps it for good: after a crowd as many passages as are remembered at all."""
    sentence = "On {} May 1901 the painter Anna Berg of Golden Valley, Minnesota sold {} works to the King of Poland. "
    texts = ["".join(sentence.format(number + n, n) for n in range(8)) for number in range(8)]
    assert 700 < len(texts[0]) < 900  # as a passage is
    analyse(texts[0].replace("Berg", "Bergen"))  # whatever is loaded once
    analyse.cache_clear()
    tracemalloc.start()
    try:
        for text in texts:
            analyse(text)
        held = tracemalloc.get_traced_memory()[0] / len(texts)
    finally:
        tracemalloc.stop()
    assert held > 1_000
    assert analyse.cache_info().maxsize == REMEMBERED
    assert held * REMEMBERED < 50e6
