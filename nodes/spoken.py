"""What a stage streams of the answer, streamed as messages too: `messages` mode shows the answer and nothing else.

Calls of language models are kept out of that stream (`models.chat.NO_STREAM`): a plan is no answer, and the answer is
shown as users read it, without the form that a model writes it in; the embedded answer is shown alike.
"""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessageChunk
from langgraph.config import get_config
from langgraph.graph.message import push_message

WHOLE_ONLY = "StreamMessagesHandlerV2"
"""LangGraph's name for what listens in that stream; it exports no type to ask for."""


class Spoken:
    """A stream writer that says every piece of the answer as part of one message.

    What is taken back cannot be taken out of a message stream: what follows is another message.
    """

    def __init__(self, write: Callable[[Any], None]) -> None:
        self._write = write
        self._message_id: str | None = None
        self._space = ""

    def __call__(self, event: Any) -> None:
        """Write an event, and say it if it is a piece of the answer; space at its end is said with what follows."""
        self._write(event)
        match event:
            case {"type": "text", "text": str() as piece}:
                self._message_id = self._message_id or uuid.uuid4().hex
                text = self._space + piece
                self._space = text[len(text.rstrip()) :]
                say(text.rstrip(), self._message_id)
            case {"type": "answer_reset"}:
                self._message_id, self._space = "", ""

    def update(self) -> Mapping[str, str]:
        """What the state is told of it."""
        return {} if self._message_id is None else {"message_id": self._message_id}


def say(piece: str, message_id: str) -> None:
    """Add a piece to a message of the stream; where nobody runs a graph, nobody listens.

    LangGraph's newer stream (`astream_events`, version "v3") takes no pieces but those of its own chat models; had it
    been shown one, it would leave out the whole message that the reply brings.
    """
    try:
        handlers = getattr(get_config()["callbacks"], "handlers", [])
    except RuntimeError:
        return
    if not any(type(handler).__name__ == WHOLE_ONLY for handler in handlers):
        push_message(AIMessageChunk(content=piece, id=message_id), state_key=None)
