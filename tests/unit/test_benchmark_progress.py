"""What is shown while a benchmark runs, where stderr is no terminal."""

from typing import Any

import pytest

from graph.cli.bench_progress import BenchProgress


class Clock:
    """Seconds, as told."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("graph.cli.bench_progress.time", clock)
    return clock


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from graph.cli.output import err

    said: list[str] = []
    monkeypatch.setattr(err(), "print", lambda text, **_: said.append(str(text)))
    return said


def event(step: str, done: int = 0, total: int = 0) -> dict[str, Any]:
    return {"type": "progress", "step": step, "done": done, "total": total, "detail": ""}


def test_a_line_now_and_then_with_the_time_that_is_left(clock: Clock, lines: list[str]) -> None:
    with BenchProgress() as progress:
        progress.update(event("load"))
        progress.update(event("answer", 100, 400))
        for done in range(101, 201):
            clock.now += 1
            progress.update(event("answer", done, 400))
    assert lines == [
        "reading the questions",
        "asking: 100 of 400 are there",
        "asking: 130 of 400, 4 min 30 s left",
        "asking: 160 of 400, 4 min 0 s left",
        "asking: 190 of 400, 3 min 30 s left",
    ]


def test_nothing_is_said_beside_an_object_of_json(clock: Clock, lines: list[str]) -> None:
    with BenchProgress(quiet=True) as progress:
        progress.update(event("load"))
        clock.now += 100
        progress.update(event("answer", 3, 4))
    assert lines == []
