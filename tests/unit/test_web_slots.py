"""Places: how many there are, for whom, and when to come again."""

import pytest

from graph.web.slots import Busy, Slots


def test_a_place_is_given_back_once() -> None:
    slots = Slots(1, "questions", "MOST")
    give_back = slots.take()
    with pytest.raises(Busy, match=r"1 questions are under way .*MOST=1") as busy:
        slots.take()
    assert busy.value.seconds >= 1
    give_back()
    give_back()
    assert slots.taken == 0
    slots.take()
    assert slots.taken == 1


def test_one_of_several_clients_leaves_places_to_the_others() -> None:
    slots = Slots(8, "questions", "MOST", shared=True)
    held = [slots.take("one") for _ in range(6)]
    with pytest.raises(Busy, match="6 questions of one client are under way"):
        slots.take("one")
    slots.take("two")
    slots.take("two")
    with pytest.raises(Busy, match="8 questions are under way"):
        slots.take("two")
    held[0]()
    slots.take("two")
    assert slots.taken == 8


def test_a_single_client_has_all_places_and_everybody_has_one() -> None:
    alone = Slots(8, "questions", "MOST")
    assert len([alone.take("one") for _ in range(8)]) == 8
    Slots(1, "ingestions", "MOST", shared=True).take("one")
