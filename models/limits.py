"""How long calls of a language model may take."""

import time
from typing import NamedTuple


class Limits(NamedTuple):
    """How long calls may take."""

    call_seconds: float = 120.0
    """Longest time for one call."""
    ends_at: float | None = None
    """`time.monotonic()` when all must be done, waits and repeated calls included; None when there is no deadline."""

    def seconds(self) -> float:
        """Seconds that a call which starts now may take; 0 when there is no time left."""
        left = self.call_seconds if self.ends_at is None else self.ends_at - time.monotonic()
        return max(min(self.call_seconds, left), 0.0)


NO_LIMITS = Limits()
