"""Answers from what a language model knows: no search, no evidence, and so no citation to check."""

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from models.calling import call
from models.chat import NO_STREAM, ChatError, text_of
from nodes.context import Context
from nodes.deadline import limits, seconds_left
from nodes.deps import Deps
from nodes.state import State
from prompts.closed_book import closed_book_messages
from prompts.synthesis import read_synthesis
from stores.errors import ModelError

NEEDS = (
    "closed_book: it answers from what a language model knows, and behind synthesizer={name!r} stands none: "
    "set GROQ_API_KEY, run Ollama, or name one, such as synthesizer=groq or synthesizer=ollama"
)


async def closed_book(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Ask the synthesizer's model.

    Raises:
        ModelError: there is none, or it failed.
    """
    context = runtime.context
    chat = await deps.chat_model("synthesizer", context.synthesizer)
    if chat is None:
        raise ModelError(NEEDS.format(name=context.synthesizer))
    messages = closed_book_messages(state["question"])
    seconds = seconds_left(state, context)
    reply, usage = await call(
        chat,
        "synthesize",
        lambda: chat.model.ainvoke(messages, RunnableConfig(run_name="write the answer", tags=[NO_STREAM])),
        message_of=lambda message: message,
        limits=limits(seconds, context),
        prompt=messages,
    )
    try:
        wrote = read_synthesis(text_of(reply))
    except ValueError as error:
        raise ChatError(f"closed_book: {chat.name!r} cannot be understood: {error}", usage) from error
    runtime.stream_writer({"type": "text", "text": wrote["explanation"]})
    return {
        "answer": wrote["answer"].strip(),
        "explanation": wrote["explanation"],
        "sufficient": wrote["sufficient"],
        "confidence": wrote["probability"],
        "abstained": not wrote["sufficient"],
        "models": {"synthesizer": chat.name},
        "usage": usage,
    }
