"""What a chat model replies when it is asked for a plan: piece by piece while it writes, and what stands in it."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel

from models.chat import text_of
from prompts.plan import PlanNode
from prompts.plan_stream import PlanWriting
from prompts.planning import read_plan


def model_within(asking: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The model that is asked for JSON, without LangChain's parser behind it; `asking` itself where there is none.

    The parser tries a JSON that is broken again for each of its characters (1 s for 8 kB, minutes for 100 kB, all on
    the event loop), lets no piece of the message through, and leaves its call running when the run is stopped.
    """
    first = getattr(asking, "first", None)  # {"raw": model} | parser, as `include_raw` makes it
    inside = getattr(first, "steps__", {}).get("raw")
    return inside if isinstance(inside, Runnable) else asking


async def streamed(
    asking: Runnable[Any, Any],
    messages: list[BaseMessage],
    config: RunnableConfig,
    writing: PlanWriting,
    tell: Callable[[PlanNode], None],
) -> Any:
    """Ask, and tell each node the moment it is written; returns the reply."""
    pieces: list[Any] = []
    stream: Any = asking.astream(messages, config)
    async with aclosing(stream):
        async for piece in stream:
            pieces.append(piece)
            if isinstance(piece, AIMessageChunk):  # a model that cannot stream gives one message, and no chunk
                for node in writing.feed(_piece(piece)):
                    tell(node)
    if len(pieces) > 1 and isinstance(pieces[0], AIMessageChunk):
        return pieces[0] + pieces[1:]
    return pieces[-1] if pieces else None


def _piece(chunk: BaseMessage) -> str:
    """What a piece of a message adds to its text, or to the arguments of a tool's call."""
    calls = getattr(chunk, "tool_call_chunks", [])
    return text_of(chunk) or "".join(str(call["args"] or "") for call in calls)


def message_of(reply: Any) -> BaseMessage | None:
    """The model's message in a reply: itself, or under "raw" where structured output was asked for."""
    raw = reply.get("raw") if isinstance(reply, dict) else reply
    return raw if isinstance(raw, BaseMessage) else None


def plan_data(reply: Any) -> tuple[Any, bool]:
    """What a reply holds for `repair`, and whether it came as JSON and nothing else. Raises PlanError when nothing."""
    message = message_of(reply)
    if message is None:  # a model whose structured output knows no include_raw
        return (reply.model_dump() if isinstance(reply, BaseModel) else reply), True
    if isinstance(message, AIMessage):  # models that know tools only: langchain-core asks them for a call with the plan
        for call in message.tool_calls:
            return call["args"], True
        for broken in message.invalid_tool_calls:
            return read_plan(broken["args"] or "")
    return read_plan(text_of(message))
