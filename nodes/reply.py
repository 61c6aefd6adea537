"""Answers a question that came as a message by a message: explanation, then the answer itself."""

import uuid
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.deps import Deps
from nodes.spoken import say
from nodes.state import State

UNKNOWN = "The documents hold no answer to this."


async def reply(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Add the answer to the conversation.

    What was streamed of it is the beginning of this message, and is not streamed again. `additional_kwargs` hold what
    does not stand in the text: {"citations", "confidence", "abstained"}.
    """
    closing = _closing(state)
    if state["message_id"]:
        say(closing, state["message_id"])
    message = AIMessage(
        f"{state['explanation']}{closing}".strip() or UNKNOWN,
        id=state["message_id"] or uuid.uuid4().hex,
        additional_kwargs={name: state[name] for name in ("citations", "confidence", "abstained")},
    )
    return {"messages": [message]}


def _closing(state: State) -> str:
    """The last line."""
    if not state["answer"]:
        return ""
    return f"\n\n{'Not sure enough' if state['abstained'] else 'Answer'}: {state['answer']}"
