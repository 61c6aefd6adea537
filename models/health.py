"""What is known of a model's server from the calls made so far: whether it is down, and until when it asked to wait.

A circuit breaker and a gate. One `Health` for each model and address, shared by all runs of a process, on whatever
event loop or thread; nothing here waits or calls, so its locks are held for microseconds.
"""

import random
import threading
import time
from collections.abc import Callable

from models.token_rate import TokenRate

FAILURES = 3
"""Failures in a row after which a server is taken to be down."""
OPEN_SECONDS = 30.0
"""For so long a server that is down is not asked at all; twice as long each time it is still down after that."""
LONGEST_OPEN = 300.0
LONGEST_HOLD = 300.0
"""A server may ask all to wait; after so many seconds it is asked again whatever it said."""
SPACING = 0.1
LONGEST_SPREAD = 5.0
"""Those who waited are let in one after the other, so many seconds apart, the last ones after so many together: else
all would call in the same moment, and all but a few be told again to wait."""
ANYONE = object()
"""Who calls, where there is only one."""


class NotAsked(ConnectionError):
    """The call was not made: the server was down, or asked to wait, a moment ago; the message says what to do."""


class Health:
    """Of one model's server.

    Args:
        open_seconds: how long a server that is down is left alone.
        clock: seconds that never go back.
        chance: a number from 0 to 1: jitter for those who wait.
    """

    def __init__(
        self,
        open_seconds: float = OPEN_SECONDS,
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.rate = TokenRate()
        self._lock = threading.Lock()
        self._clock, self._chance = clock, chance
        self._first_open = self._open_for = open_seconds
        self._failures = 0
        self._open_until: float | None = None
        self._on_trial: object | None = None
        self._told = self._remedy = ""
        self._not_before, self._queue = 0.0, 0

    def admit(self, who: object = ANYONE) -> float:
        """Ask to make a call: 0 when it may be made now, else the seconds to wait before asking here again.

        Who is let in says afterwards how it went: `answered`, `failed` or `given_up`. When the time of a server that
        was down is over, one call is let in as a trial: only how this one ends counts as its end.

        Args:
            who: the same object as is given when it is said how the call went.

        Raises:
            NotAsked: the server was down a moment ago.
        """
        with self._lock:
            now = self._clock()
            if self._open_until is not None and now < self._open_until:
                seconds = max(round(self._open_until - now), 1)
                told = f"was down a moment ago ({self._told}); it is asked again in {seconds} s; {self._remedy}"
                raise NotAsked(told)
            if now < self._not_before:
                self._queue += 1
                spread = min((self._queue - 1 + self._chance()) * SPACING, LONGEST_SPREAD)
                return self._not_before - now + spread
            if self._open_until is not None:
                self._on_trial = who
                self._open_until = now + self._open_for  # the others; and if the trial is lost, so is no more than this
            return 0.0

    def answered(self) -> None:
        """The server is there: it answered, be it to refuse."""
        with self._lock:
            self._failures, self._open_until, self._on_trial = 0, None, None
            self._open_for = self._first_open

    def failed(self, told: str, remedy: str, who: object = ANYONE) -> None:
        """The server looks as if it were down: this is what was seen of it, and what to do."""
        with self._lock:
            self._failures += 1
            self._told, self._remedy = told, remedy
            if self._on_trial is who:
                self._open_for = min(2 * self._open_for, LONGEST_OPEN)
            if self._on_trial is who or (self._open_until is None and self._failures >= FAILURES):
                self._open_until, self._on_trial = self._clock() + self._open_for, None

    def given_up(self, who: object = ANYONE) -> None:
        """The call ended without a sign of the server, for example because the run was stopped."""
        with self._lock:
            if self._on_trial is who:
                self._on_trial, self._open_until = None, self._clock()

    def hold(self, seconds: float) -> None:
        """The server asked to wait: nobody calls it before."""
        with self._lock:
            until = self._clock() + min(seconds, LONGEST_HOLD)
            if until > self._not_before:
                self._not_before, self._queue = until, 0

    @property
    def is_down(self) -> bool:
        """Whether calls are refused at the moment."""
        with self._lock:
            return self._open_until is not None and self._clock() < self._open_until


_shared: dict[tuple[str, str], Health] = {}
_sharing = threading.Lock()


def shared_health(name: str, address: str = "") -> Health:
    """The health of the model of this name at this address: the same for all who ask in this process."""
    with _sharing:
        return _shared.setdefault((name, address), Health())
