"""What the ranker sees of a text."""

from models.rank_terms import rarity, stem, stems_in_order, terms


def test_words_are_told_by_their_stems() -> None:
    found = terms("The directors directed Amélie in Paris.")
    assert found.stems == {"director", "direct", "ameli", "pari"}
    assert found.names == {"ameli": "Amélie", "pari": "Paris"}
    assert found.length == 6


def test_a_number_is_a_name_and_a_lone_letter_is_nothing() -> None:
    assert terms("In 1984 x came 7").names == {"1984": "1984", "7": "7"}
    assert stem("x") == ""


def test_stems_come_in_order_and_once() -> None:
    assert stems_in_order("Ed Wood wrote of Ed Wood's films") == ["ed", "wood", "wrote", "film"]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    assert rarity(stem("film")) < rarity(stem("director")) < rarity("neverseenbefore")
