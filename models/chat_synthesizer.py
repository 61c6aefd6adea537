"""Synthesizer on a LangChain chat model: one call for the answer, streamed."""

from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig

from models.calling import call
from models.chat import ChatError, ChatModel, as_chat_model, text_of
from models.limits import NO_LIMITS, Limits
from models.synthesizer import SynthesisInput
from prompts.answer import Synthesis
from prompts.synthesis import read_synthesis, readable, synthesis_messages


class ChatSynthesizer:
    """Writes the answer with a chat model, streamed.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
    """

    def __init__(self, model: BaseChatModel | ChatModel, *, name: str = "") -> None:
        self.chat = as_chat_model(model, name)
        self.name = self.chat.name

    async def synthesize(
        self,
        given: SynthesisInput,
        *,
        emit: Callable[[str], None],
        reset: Callable[[], None] = lambda: None,
        limits: Limits = NO_LIMITS,
    ) -> Synthesis:
        """Answer and explain; the emitted pieces are the explanation. See `models.synthesizer.Synthesizer`.

        Raises:
            ChatError: the model failed, or wrote nothing that an answer can be read from.
        """
        messages = synthesis_messages(given["question"], given["evidence"], given["bound_queries"])
        shown = ""

        async def ask() -> Any:
            nonlocal shown
            if shown:
                reset()
            shown, whole = "", None  # whole: an AIMessageChunk, whose + is typed as that of a prompt
            async for chunk in self.chat.model.astream(messages, RunnableConfig(run_name="write the answer")):
                whole = chunk if whole is None else whole + chunk
                shown = _show(readable(text_of(whole)), shown, emit)
            return whole

        whole, usage = await call(self.chat, "synthesize", ask, message_of=lambda reply: reply, limits=limits)
        try:
            synthesis = read_synthesis(text_of(whole))
        except ValueError as error:
            raise ChatError(f"{self.name!r} cannot be understood: {error}; take another model", usage) from error
        _show(synthesis["explanation"], shown, emit)
        return Synthesis(**{**synthesis, "usage": usage})


def _show(text: str, shown: str, emit: Callable[[str], None]) -> str:
    """Emit what is new in the text; returns what has been shown."""
    if not text.startswith(shown) or text == shown:
        return shown
    emit(text[len(shown) :])
    return text
