"""A call of a language model: the only place where one is made, timed, repeated and counted.

The only retry layer, too: a provider's client that repeats calls by itself is told not to where it is made.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn, TypeVar

from langchain_core.messages import BaseMessage

from models.chat import ChatError, ChatModel
from models.chat_errors import Failure, explain, provider_of, read_failure, remedy, said, status_of
from models.health import NotAsked
from models.limits import NO_LIMITS, Limits
from models.retrying import retry_after
from models.token_rate import prompt_size
from models.usage import add_usage, call_usage, no_usage, wait_usage
from prompts.answer import Usage

T = TypeVar("T")

DEADLINE_MARGIN = 0.05
"""Seconds: a call that is stopped when no more than these are left was stopped by the run's deadline."""
CUT_MARGIN = 16
"""A prompt that is reported to be this close to the window, in tokens, was cut by the server to fit into it."""


async def call(
    chat: ChatModel,
    reason: str,
    ask: Callable[[], Awaitable[T]],
    *,
    message_of: Callable[[T], BaseMessage | None],
    limits: Limits = NO_LIMITS,
    prompt: Sequence[BaseMessage] = (),
) -> tuple[T, Usage]:
    """Ask the model, again where that can help: after a busy or broken server, not after a refusal.

    Args:
        chat: which model; its `retry` says how often and after what waits, its `health` whether the server is down.
        reason: what for, as it stands in `usage`: "plan", "synthesize". Repeated calls are counted under
            "plan: again after KIND"; see `prompts.answer.Usage`.
        ask: makes the call; it may be called several times.
        message_of: the model's message in what `ask` returns, for the tokens it reports.
        limits: how long it may take, waits and repeated calls included.
        prompt: the messages that are sent, from whose length and reported tokens is learnt how long prompts may be.

    Returns:
        What `ask` returned, and what all calls took.

    Raises:
        ChatError: the model gave up, or was not asked because its server was down or told all to wait a moment ago;
            the provider's error, a `TimeoutError` or `health.NotAsked` is its `__cause__`.
    """
    tries = _Tries(chat, reason, limits)
    while True:
        seconds = await tries.admitted()
        try:
            async with asyncio.timeout(seconds) as clock:
                reply = await ask()
        except Exception as error:  # whatever a provider raises
            await tries.failed(error, timed_out=seconds if clock.expired() else None)
        except BaseException:  # the run was stopped: nothing was learnt of the server
            chat.health.given_up(tries)
            raise
        else:
            return reply, tries.answered(message_of(reply), prompt)


class _Tries:
    """The calls made for one purpose: what they took so far, and whether there may be another."""

    def __init__(self, chat: ChatModel, reason: str, limits: Limits) -> None:
        self.chat, self.reason, self.limits = chat, reason, limits
        self.key = reason
        self.usage = no_usage()
        self.failures: Counter[str] = Counter()
        self.last: Exception | None = None

    async def admitted(self) -> float:
        """Wait until the server may be asked; returns the seconds that the call may take."""
        while True:
            seconds = self.limits.seconds(self.chat.retry.clock())
            if seconds <= 0:
                problem = "was not asked: the run's time was over; set a longer deadline_ms"
                self._end(problem, TimeoutError(), ", and the run's time is over")
            try:
                wait = self.chat.health.admit(self)
            except NotAsked as down:
                self._end(str(down), down)
            if not wait:
                return seconds
            left = self._left()
            if wait > left:
                told = f"asks to wait {wait:.0f} s more, longer than the {left:.0f} s that are left"
                self._end(f"{told}; wait, or take another model", NotAsked(told), f", {told}")
            await self._wait(wait)

    def answered(self, message: BaseMessage | None, prompt: Sequence[BaseMessage]) -> Usage:
        """Take in that the model answered; returns what all calls took."""
        self.chat.health.answered()
        last, size = call_usage(self.key, message, self.chat.price), prompt_size(prompt)
        if size and not is_cut(self.chat, last["prompt_tokens"], size):
            self.chat.health.rate.learn(size, last["prompt_tokens"])
        return add_usage(self.usage, last)

    async def failed(self, error: Exception, *, timed_out: float | None) -> None:
        """Take in that a call failed; wait before the next where there may be one, else raise ChatError.

        Args:
            error: what the call raised.
            timed_out: seconds after which it was stopped here, if it was.
        """
        if timed_out is not None:
            error = TimeoutError(f"no answer within {timed_out:.3g} s")
        failure = read_failure(error)
        self._count(failure, error)
        if timed_out is not None:
            self._check_deadline(timed_out, error)
        self._report(failure, error)
        asked = retry_after(error) if failure.repeats else None
        wait = self.chat.retry.backoff(self.failures.total()) if asked is None else asked
        held = asked is not None or failure.kind == "429"
        if held:
            self.chat.health.hold(wait)  # all others wait too, and this one with them
        if self._is_enough(failure):
            self._end("", error)
        if wait > self._left():
            self._end("", error, f", asks to wait {wait:.0f} s, longer than the {self._left():.0f} s that are left")
        if not held:
            await self._wait(wait)

    def _count(self, failure: Failure, error: Exception) -> None:
        refused = status_of(error) is not None or failure.kind == "no connection"
        self.usage = add_usage(self.usage, call_usage(self.key, None, self.chat.price, refused=refused))
        self.last, self.key = error, f"{self.reason}: again after {failure.kind}"
        self.failures[failure.kind] += 1

    def _check_deadline(self, seconds: float, error: Exception) -> None:
        """End all tries when it was the run's time that was over: that says nothing of the server."""
        if self.limits.left(self.chat.retry.clock()) >= DEADLINE_MARGIN:
            return
        self.chat.health.given_up(self)
        told = f"did not answer within the {seconds:.3g} s that the deadline left"
        problem = f"{self.chat.name!r} {told}; set a longer deadline_ms, or take a faster model"
        raise ChatError(problem, self.usage) from error

    def _report(self, failure: Failure, error: Exception) -> None:
        name, model, health = self.chat.name, self.chat.model, self.chat.health
        if failure.down:
            health.failed(said(error, model), remedy(name, error, model), self)
        elif failure.answered:
            health.answered()
        else:
            health.given_up(self)

    def _is_enough(self, failure: Failure) -> bool:
        return (
            self.failures.total() >= self.chat.retry.tries
            or self.failures[failure.kind] > failure.repeats
            or (failure.down and self.chat.health.is_down)
        )

    async def _wait(self, seconds: float) -> None:
        started = self.chat.retry.clock()
        try:
            await self.chat.retry.sleep(seconds)
        finally:
            self.usage = add_usage(self.usage, wait_usage(self.chat.retry.clock() - started))

    def _left(self) -> float:
        """Seconds that may still be waited."""
        if self.limits.ends_at is not None:
            return max(self.limits.left(self.chat.retry.clock()), 0.0)
        return max(self.chat.retry.wait_seconds - self.usage["wait_ms"] / 1000, 0.0)

    def _end(self, problem: str, cause: Exception, note: str = "") -> NoReturn:
        """End all tries: for what the last call failed with, and a note to it; for the problem where none was made."""
        if self.last is None:
            raise ChatError(f"{self.chat.name!r} {problem}", self.usage) from cause
        calls = self.failures.total()
        note = (f" ({calls} calls)" if calls > 1 else "") + note
        raise ChatError(explain(self.chat.name, self.last, self.chat.model, note), self.usage) from self.last


def is_cut(chat: ChatModel, reported: int, size: int) -> bool:
    """Whether the server read less than the whole prompt, by the tokens it reports.

    Ollama cuts a prompt to `num_ctx` without a word, and then reports just that many.

    Args:
        chat: the model.
        reported: tokens of the prompt; 0 when the server told none.
        size: bytes of the prompt.
    """
    if chat.window is not None and reported >= chat.window - CUT_MARGIN:
        return True
    return provider_of(chat.name, chat.model) == "ollama" and chat.health.rate.is_cut(size, reported)
