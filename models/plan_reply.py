"""What a chat model replies when it is asked for a plan: piece by piece while it writes, and what stands in it."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel

from models.chat import text_of
from prompts.plan import PlanNode
from prompts.plan_stream import PlanWriting
from prompts.planning import read_plan


async def streamed(
    asking: Runnable[Any, Any],
    messages: list[BaseMessage],
    config: RunnableConfig,
    writing: PlanWriting,
    tell: Callable[[PlanNode], None],
) -> Any:
    """Ask, and tell each node the moment it is written; returns the reply.

    Structured output lets no piece of the message through, so it is taken from the events of the model inside; of the
    outer one, where models stand in each other. A model that does not stream has no such event, only its end.
    """
    model_run = message = output = None
    async with aclosing(asking.astream_events(messages, config, version="v2")) as events:  # type: ignore[type-var]
        async for event in events:
            kind, data, run = event["event"], event["data"], event["run_id"]
            if kind == "on_chat_model_start":
                model_run = model_run or run
            elif kind == "on_chat_model_stream" and run == model_run:
                for node in writing.feed(_piece(data["chunk"])):
                    tell(node)
            elif kind == "on_chat_model_end" and run == model_run:
                message = data["output"]
            elif kind.endswith("_end") and not event["parent_ids"]:
                output = data.get("output")
    return output if message is None else message


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
