"""What the ranker sees of a text."""

from pathlib import Path

import pytest

import models.rank_terms
from models.rank_terms import rarity, stem, stems_in_order, terms
from stores.errors import ModelError


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


@pytest.mark.parametrize("text", [None, '{"passages": 3, "cou', "[]", '{"passages": 3, "least": 0, "counts": {}}'])
def test_a_missing_or_broken_table_is_refused(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text is not None:
        (tmp_path / "terms.json").write_text(text)
    monkeypatch.setattr(models.rank_terms, "TABLE", tmp_path / "terms.json")
    models.rank_terms._table.cache_clear()
    with pytest.raises(ModelError, match=r"ranker: .*terms\.json.*holds no usable terms.*install again"):
        rarity("film")
