"""How much of a run's time is left, and how much of it a stage may take."""

import time

from models.limits import Limits
from nodes.context import Context
from nodes.state import State

PLAN_SHARE = 0.5
"""Share of the time left that planning may take."""
SEARCH_SHARE = 0.7
"""Share of the time left that a round of searches may take; the answer needs the rest."""


def seconds_left(state: State, context: Context) -> float | None:
    """Seconds until the deadline, 0 when it has passed; None when there is none."""
    if context.deadline_ms is None:
        return None
    return max(state["started_at"] + context.deadline_ms / 1000 - time.time(), 0.0)


def limits(seconds: float | None, context: Context) -> Limits:
    """Limits of a language model's calls, all of which must be done in so many seconds (None: no deadline)."""
    return Limits(context.model_timeout_ms / 1000, None if seconds is None else time.monotonic() + seconds)


def searches_end(state: State, context: Context) -> float | None:
    """When the searches that start now must have ended, in seconds since the epoch; None when there is no deadline."""
    left = seconds_left(state, context)
    return None if left is None else time.time() + SEARCH_SHARE * left
