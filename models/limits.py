"""How long calls of a language model may take."""

import math
import time
from typing import NamedTuple


class Limits(NamedTuple):
    """How long calls may take."""

    call_seconds: float = 120.0
    """Longest time for one call."""
    ends_at: float | None = None
    """`time.monotonic()` when all must be done, waits and repeated calls included; None when there is no deadline."""

    def seconds(self, now: float | None = None) -> float:
        """Seconds that a call which starts now may take; 0 when there is no time left."""
        return max(min(self.call_seconds, self.left(now)), 0.0)

    def left(self, now: float | None = None) -> float:
        """Seconds until all must be done; infinite when there is no deadline."""
        return math.inf if self.ends_at is None else self.ends_at - (time.monotonic() if now is None else now)


NO_LIMITS = Limits()
