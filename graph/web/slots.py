"""How many may do something at the same time; who comes too many is told when to come again."""

import time
from collections.abc import Callable

from stores.errors import LookaheadError

SMOOTHING = 0.2
"""Weight of the latest in the running mean of how long one takes."""


class Busy(LookaheadError):
    """All places are taken."""

    def __init__(self, said: str, seconds: int) -> None:
        super().__init__(said)
        self.seconds = seconds
        """When to come again."""


class Slots:
    """Places.

    Args:
        limit: how many there are.
        what: what is done there, in the plural.
        variable: the setting that says how many.
    """

    def __init__(self, limit: int, what: str, variable: str) -> None:
        self._limit, self._what, self._variable = limit, what, variable
        self._mean_seconds = 1.0
        self.taken = 0

    def take(self) -> Callable[[], None]:
        """Take a place; what is returned gives it back, once.

        Raises:
            Busy: there is none.
        """
        if self.taken >= self._limit:
            raise Busy(
                f"service: {self.taken:,} {self._what} are under way and no more are taken at once "
                f"({self._variable}={self._limit}): come again a little later",
                max(1, round(self._mean_seconds)),
            )
        self.taken += 1
        started, held = time.monotonic(), True

        def give_back() -> None:
            nonlocal held
            if held:
                held = False
                self.taken -= 1
                self._mean_seconds += SMOOTHING * (time.monotonic() - started - self._mean_seconds)

        return give_back
