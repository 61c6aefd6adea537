import pytest

from models.refusing import refused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1819", "city"), ("October 1973", "place"), ("between 1966 and 1976", "person"), ("26 August", "country"),
        ("Mary Ann Evans wrote", "person"), ("beyond Neptune", "person"), ("American", "person"),
        ("Bergen", "number"), ("May and June", "city"), ("the 1980s", "place"), ("19th century", "person"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(text: str, wanted: str) -> None:
    assert refused(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1819", "date"), ("1819", "entity"), ("Oak Park, Illinois", "city"), ("10 Downing Street", "place"),
        ("Ludwig van Beethoven", "person"), ("van Gogh", "person"), ("the Beatles", "person"), ("bergen", "city"),
        ("three", "number"), ("12th", "number"), ("half", "number"), ("", "place"),
    ],
)  # fmt: skip
def test_what_can_be_is_not(text: str, wanted: str) -> None:
    assert not refused(text, wanted)


def test_long_digits_take_no_time() -> None:
    assert not refused("1" * 5_000 + "x", "city")
