"""A call of a language model: the only place where one is made, timed and counted."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from langchain_core.messages import BaseMessage

from models.chat import ChatError, ChatModel
from models.chat_errors import explain
from models.limits import NO_LIMITS, Limits
from models.usage import call_usage
from prompts.answer import Usage

T = TypeVar("T")


async def call(
    chat: ChatModel,
    reason: str,
    ask: Callable[[], Awaitable[T]],
    *,
    message_of: Callable[[T], BaseMessage | None],
    limits: Limits = NO_LIMITS,
) -> tuple[T, Usage]:
    """Ask the model, again where that can help.

    Args:
        chat: which model.
        reason: what for, as it stands in `usage`: "plan", "synthesize".
        ask: makes the call; it may be called several times.
        message_of: the model's message in what `ask` returns, for the tokens it reports.
        limits: how long it may take.

    Returns:
        What `ask` returned, and what all calls took.

    Raises:
        ChatError: the model gave up; the provider's error is its `__cause__`.
    """
    try:
        async with asyncio.timeout(limits.seconds()):
            reply = await ask()
    except Exception as error:  # whatever a provider raises
        raise ChatError(explain(chat.name, error, chat.model), call_usage(reason)) from error
    return reply, call_usage(reason, message_of(reply))
