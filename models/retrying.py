"""How long to wait before a language model is asked again. It knows neither models nor what went wrong."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed call is repeated, and after what waits. Clock, chance and sleep can be replaced in tests."""

    tries: int = 4
    """Most calls for one purpose, the first included."""
    base_seconds: float = 0.5
    cap_seconds: float = 8.0
    wait_seconds: float = 60.0
    """Most time to wait in all where no deadline says so."""
    random: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic

    def backoff(self, failures: int) -> float:
        """Seconds to wait after so many failures: exponential, with full jitter.

        random(0, min(cap, base * 2^n)), n = 0 after the first failure: Marc Brooker, "Exponential Backoff And Jitter",
        AWS Architecture Blog, 2015.

        >>> Retry(random=lambda: 1.0).backoff(3)
        2.0
        """
        return self.random() * min(self.cap_seconds, self.base_seconds * 2.0 ** (failures - 1))


def retry_after(error: BaseException, now: Callable[[], float] = time.time) -> float | None:
    """Seconds that the server asked to wait, by the headers of its response; None when it did not ask.

    Read are `retry-after-ms` (as the APIs of OpenAI have it) and `retry-after` in seconds or as an HTTP date (RFC 9110,
    section 10.2.3).

    Args:
        error: one that may carry a response.
        now: seconds since the epoch, for dates.
    """
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    told = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    milliseconds, seconds = _number(told.get("retry-after-ms")), _number(told.get("retry-after"))
    if milliseconds is not None:
        return milliseconds / 1000
    if seconds is not None:
        return seconds
    try:
        return max(parsedate_to_datetime(told.get("retry-after", "")).timestamp() - now(), 0.0)
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    """A number of 0 or more, and not without end."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
