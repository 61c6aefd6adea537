"""Places: how many there are, for whom, and when to come again; and turns: few at a time, in the order they came."""

import asyncio
from typing import Any

import pytest

from graph.web import slots as slots_module
from graph.web.slots import Busy, Slots
from models.planner import Planned
from tests.fakes import FakePlanner, impatient
from tests.unit.web import PLAN, QUESTION, client, fake_deps, service, until


def test_a_place_is_given_back_once() -> None:
    slots = Slots(1, "questions", "MOST")
    give_back = slots.take()
    with pytest.raises(Busy, match=r"as many questions are under way .*\(MOST=1\)") as busy:
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
    with pytest.raises(Busy, match=r"as many of your questions are .* \(6, of MOST=8\)"):
        slots.take("one")
    slots.take("two")
    slots.take("two")
    with pytest.raises(Busy, match=r"as many questions are under way .* \(MOST=8\)"):
        slots.take("two")
    held[0]()
    slots.take("two")
    assert slots.taken == 8


def test_a_single_client_has_all_places_and_everybody_has_one() -> None:
    alone = Slots(8, "questions", "MOST")
    assert len([alone.take("one") for _ in range(8)]) == 8
    Slots(1, "ingestions", "MOST", shared=True).take("one")


def test_who_is_refused_comes_again_before_all_places_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(slots_module.time, "monotonic", lambda: clock[0])
    slots = Slots(60, "questions", "MOST")
    held = [slots.take() for _ in range(60)]
    for number in range(200):  # one every two seconds
        clock[0] += 2
        held[number % 60]()
        held[number % 60] = slots.take()
    told = set()
    for _ in range(100):
        with pytest.raises(Busy) as busy:
            slots.take()
        told.add(busy.value.seconds)
    assert 59 <= min(told) < 80
    assert 100 < max(told) <= 120


class Slow(FakePlanner):
    """Notes the order in which questions are worked on, and ends none before it may."""

    name = "slow"

    def __init__(self) -> None:
        super().__init__(PLAN)
        self.order: list[str] = []
        self.running = self.most = 0
        self.may_end = asyncio.Event()

    async def plan(self, question: str, **options: Any) -> Planned:
        self.order.append(question)
        self.running += 1
        self.most = max(self.most, self.running)
        await self.may_end.wait()
        self.running -= 1
        return await super().plan(question, **options)


async def test_runs_that_compute_here_are_worked_on_few_at_a_time_in_their_order() -> None:
    planner = Slow()
    app = service(fake_deps(planner=planner), lookahead_at_once=2)
    async with client(app) as http:
        texts = [f"{QUESTION} {number}" for number in range(8)]
        asking = []
        for text in texts:
            asking.append(asyncio.create_task(http.post("/ask", json={"question": text})))
            await asyncio.sleep(0)
        await until(lambda: planner.running == 2)
        assert "lookahead_runs_waiting 6.0" in (await http.get("/metrics")).text
        planner.may_end.set()
        asking[-1].cancel()  # who leaves the queue leaves no hole
        answers = await asyncio.gather(*asking[:-1])
        assert [answer.status_code for answer in answers] == [200] * 7
        assert (planner.most, planner.order) == (2, texts[:-1])


async def test_runs_that_ask_a_language_model_need_no_turn() -> None:
    planner = Slow()
    app = service(fake_deps(planner=planner, model=impatient(None)), lookahead_at_once=1)
    async with client(app) as http:
        asking = [asyncio.create_task(http.post("/ask", json={"question": QUESTION})) for _ in range(4)]
        await until(lambda: planner.running == 4)
        planner.may_end.set()
        assert [answer.status_code for answer in await asyncio.gather(*asking)] == [200] * 4
