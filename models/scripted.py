"""A chat model that says what it is told: for tests, demonstrations and programs that must run without a model.

Unlike the fakes of langchain-core it does structured output with the methods of a real client, streams, reports tokens,
fails on demand, and keeps what it was asked.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableMap, RunnablePassthrough
from pydantic import Field, PrivateAttr

Method = Literal["json_schema", "json_mode"]
Piece = str | Exception
Answer = str | Exception | AIMessage | Sequence[Piece]
"""A text, streamed word by word; an error to raise; a whole message; or the pieces of a stream, an error among them."""


class ScriptedChatModel(BaseChatModel):
    """Answers from a list, in order, or from a function of the messages."""

    answers: Sequence[Any] | Callable[[list[BaseMessage]], Any] = ()
    """Each an `Answer`; a list that has run out is an error."""
    supports: frozenset[Method] = frozenset({"json_schema", "json_mode"})
    """Methods of structured output that it knows; it refuses others as clients do, when it is told, not when called."""
    seconds_per_piece: float = 0.0
    """Time it takes to write one piece, a word where the answer is a text; in async calls."""
    reports_usage: bool = True
    """Whether messages carry token counts (a token is a word here)."""
    model_name: str = "scripted"
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    """The messages of each call."""
    options: list[dict[str, Any]] = Field(default_factory=list)
    """The options of each call, such as response_format."""
    _said: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def with_structured_output(
        self,
        schema: Mapping[str, Any] | type,
        *,
        method: str = "json_schema",
        include_raw: bool = False,
        **kwargs: Any,
    ) -> Runnable[Any, Any]:
        """Ask for JSON, as the clients of Groq and Ollama do.

        Raises:
            NotImplementedError: the method is none of `supports`.
        """
        if method not in self.supports:
            raise NotImplementedError(f"{self.model_name!r} does not support method={method!r}")
        asked = {"type": "json_object"}
        if method == "json_schema":
            asked = {"type": "json_schema", "json_schema": schema}  # type: ignore[dict-item]
        model = self.bind(response_format=asked, **kwargs)
        if not include_raw:
            return model | JsonOutputParser()
        parsed = RunnablePassthrough.assign(parsed=itemgetter("raw") | JsonOutputParser(), parsing_error=lambda _: None)
        unparsed = RunnablePassthrough.assign(parsed=lambda _: None)
        return RunnableMap(raw=model) | parsed.with_fallbacks([unparsed], exception_key="parsing_error")

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return self._result(messages, self._next(messages, kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        answer = self._next(messages, kwargs)
        await asyncio.sleep(self.seconds_per_piece * len(_pieces(answer)))
        return self._result(messages, answer)

    def _result(self, messages: list[BaseMessage], answer: Answer) -> ChatResult:
        if isinstance(answer, AIMessage):
            return ChatResult(generations=[ChatGeneration(message=answer)])
        text = "".join(_text(piece) for piece in _pieces(answer))
        usage = self._usage(messages, text)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, usage_metadata=usage))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        answer = self._next(messages, kwargs)
        if isinstance(answer, AIMessage):
            yield ChatGenerationChunk(message=_chunk(answer))
            return
        said = ""
        for piece in _pieces(answer):
            said += _text(piece)
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=_text(piece)))
            if run_manager:
                run_manager.on_llm_new_token(_text(piece), chunk=chunk)
            yield chunk
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=self._usage(messages, said)))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        due = asyncio.get_running_loop().time()
        for chunk in self._stream(messages, stop, None, **kwargs):
            due += self.seconds_per_piece  # as a server writes: no slower where its reader is slow
            await asyncio.sleep(max(due - asyncio.get_running_loop().time(), 0))
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk

    def _next(self, messages: list[BaseMessage], options: dict[str, Any]) -> Answer:
        self.asked.append(list(messages))
        self.options.append(options)
        if callable(self.answers):
            answer = self.answers(messages)
        elif self._said < len(self.answers):
            answer = self.answers[self._said]
        else:
            raise AssertionError(f"the script of {len(self.answers)} answers has no answer to call {self._said + 1}")
        self._said += 1
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[no-any-return]

    def _usage(self, messages: Sequence[BaseMessage], text: str) -> UsageMetadata | None:
        if not self.reports_usage:
            return None
        read, written = sum(len(str(m.text).split()) for m in messages), len(text.split())
        return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _pieces(answer: Answer) -> Sequence[Piece]:
    """Words with the space behind them, or the pieces as given."""
    if isinstance(answer, AIMessage | Exception):
        return []
    return re.findall(r"\s*\S+\s*", answer) if isinstance(answer, str) else list(answer)


def _chunk(message: AIMessage) -> AIMessageChunk:
    """A whole message as a stream of one piece."""
    return AIMessageChunk(content=message.content, tool_calls=message.tool_calls, usage_metadata=message.usage_metadata)


def _text(piece: Piece) -> str:
    if isinstance(piece, Exception):
        raise piece
    return piece
