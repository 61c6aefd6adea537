"""How many may do something at the same time; who comes too many is told when to come again."""

import random
import time
from collections import Counter
from collections.abc import Callable

from stores.errors import LookaheadError

SMOOTHING = 0.1
"""Weight of the latest in the running mean of the time between two that end."""
LONGEST_SECONDS = 300
"""Nobody is told to come again later than this."""
SHARE = 0.75
"""Of the places, what one of several clients may hold: where there are two or more, none has them all to itself."""


class Busy(LookaheadError):
    """All places are taken."""

    def __init__(self, said: str, seconds: int) -> None:
        super().__init__(said)
        self.seconds = seconds
        """When to come again."""


def most_of_one(limit: int) -> int:
    """How many of a limit one of several clients may have."""
    return max(1, int(limit * SHARE))


class Slots:
    """Places.

    Args:
        limit: how many there are.
        what: what is done there, in the plural.
        variable: the setting that says how many.
        shared: several clients share them.
    """

    def __init__(self, limit: int, what: str, variable: str, *, shared: bool = False) -> None:
        self._limit, self._what, self._variable = limit, what, variable
        self._most = most_of_one(limit) if shared else limit
        self._mean_seconds, self._ended = 0.0, 0.0
        self._held = Counter[str | None]()

    @property
    def taken(self) -> int:
        """Places that are taken."""
        return self._held.total()

    def take(self, client: str | None = None) -> Callable[[], None]:
        """Take a place; what is returned gives it back, once.

        Args:
            client: who takes it, where they are told apart.

        Raises:
            Busy: there is none, or none for this client.
        """
        if self.taken >= self._limit:
            raise Busy(
                f"service: as many {self._what} are under way as are taken at once ({self._variable}={self._limit}): "
                "come again a little later",
                self._come_again(),
            )
        if self._held[client] >= self._most:
            raise Busy(
                f"service: as many of your {self._what} are under way as one of several clients may have at once "
                f"({self._most}, of {self._variable}={self._limit}): come again when one of them has ended",
                self._come_again(),
            )
        self._held[client] += 1
        started, mine = time.monotonic(), True

        def give_back() -> None:
            nonlocal mine
            if mine:
                mine = False
                self._held[client] -= 1
                now = time.monotonic()
                between = now - max(started, self._ended)
                self._mean_seconds += SMOOTHING * (between - self._mean_seconds)
                self._ended = now

        return give_back

    def _come_again(self) -> int:
        """Seconds until half to all of the places are free: not all come back together, and no place stays empty."""
        seconds = self._mean_seconds * self.taken * random.uniform(0.5, 1.0)
        return min(max(1, round(seconds)), LONGEST_SECONDS)
