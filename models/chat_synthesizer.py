"""Synthesizer on a LangChain chat model: one call for the answer, streamed.

A second one is made only where the prompt turned out to be too long for the model, with half of the evidence.
"""

import math
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, NamedTuple

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig

from models.calling import call, is_cut
from models.chat import NO_STREAM, ChatError, ChatModel, as_chat_model, finish_of, is_broken_off, text_of
from models.chat_errors import is_too_long, provider_of, said
from models.fitting import Prompt, fit
from models.limits import NO_LIMITS, Limits
from models.synthesizer import SynthesisInput
from models.usage import add_usage, no_usage
from prompts.answer import Synthesis, Usage
from prompts.synthesis import is_answered, read_synthesis, readable

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

REASON = "synthesize"
SHORTER = "synthesize: again, shorter"
"""As it stands in `usage["by_reason"]`."""
SMALLER = "set a smaller context_tokens"
MAX_REPLY = 60_000
"""Characters; a model that writes more does not answer, and is hung up on."""
LOOKS = 50
"""The text is looked at anew when it has grown by a fiftieth, so that the time for all looks grows as the text does."""


class _Reply(NamedTuple):
    """What became of a call."""

    message: BaseMessage | None
    """None when the prompt was refused for its length."""
    usage: Usage
    """Of all calls so far."""
    too_long: str
    """What showed that the prompt was too long; empty when it was not."""


class ChatSynthesizer:
    """Writes the answer with a chat model, streamed.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
    """

    def __init__(self, model: "BaseChatModel | ChatModel", *, name: str = "") -> None:
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
        shown = _Shown(emit, reset)
        prompt = self._fitted(given)
        reply, warnings = await self._ask(prompt, shown, limits), self._left_out(prompt, given)
        shorter = self._shorter(given, prompt) if reply.too_long else None
        if shorter is not None:
            left = f"{shorter.passages} of {len(given['evidence'])} passages"
            warnings = [f"{self.name!r} {reply.too_long}; it was asked again with {left}; {self._remedy()}"]
            reply = await self._ask(shorter, shown, limits, before=reply.usage)
        if reply.too_long:
            warnings.append(f"{self.name!r} {reply.too_long}; {self._remedy()}")
        return self._read(reply, shown, warnings)

    def _most(self) -> float:
        """Bytes that a prompt may have beside the reply, by what is known so far."""
        window = self.chat.window
        if window is None:
            return math.inf
        return self.chat.health.rate.bytes(window - min(self.chat.reply_tokens, window // 2))

    def _fitted(self, given: SynthesisInput) -> Prompt:
        """The prompt with as much evidence as fits."""
        prompt = fit(given, self._most())
        if prompt is None:
            bare = fit(SynthesisInput(**{**given, "evidence": []}), math.inf)
            tokens = self.chat.health.rate.tokens(bare.size if bare else 0)
            problem = f"has a window of {self.chat.window} tokens, of which the prompt takes {tokens} without a passage"
            raise ChatError(f"{self.name!r} {problem}; {self._remedy()}", no_usage())
        return prompt

    def _shorter(self, given: SynthesisInput, prompt: Prompt) -> Prompt | None:
        """A prompt with half the evidence at most; None when not even that can be made."""
        if not prompt.passages:
            return None
        half = min(prompt.bare + (prompt.size - prompt.bare) / 2, prompt.size - 1)
        return fit(given, min(half, self._most())) or fit(given, half)

    def _left_out(self, prompt: Prompt, given: SynthesisInput) -> list[str]:
        """What is said of passages that are not shown."""
        number, window = len(given["evidence"]) - prompt.passages, self.chat.window
        if not number and not prompt.shortened:
            return []
        window_text = f"the {window:,} tokens of {self.name!r}" + (" (num_ctx)" if self._is_ollama else "")
        told = f"the {number} least relevant of {len(given['evidence'])} passages were left out" if number else ""
        if prompt.shortened:
            told = f"{told}, and the last one was shortened" if told else "the passage was shortened"
        return [f"{told}: the prompt would not fit {window_text}; {self._remedy()}"]

    def _remedy(self) -> str:
        return "set a larger OLLAMA_NUM_CTX or a smaller context_tokens" if self._is_ollama else SMALLER

    @property
    def _is_ollama(self) -> bool:
        return provider_of(self.name, self.chat.model) == "ollama"

    async def _ask(self, prompt: Prompt, shown: "_Shown", limits: Limits, before: Usage | None = None) -> _Reply:
        """Make the call. That the prompt is too long is an answer too where it is the first, with no usage before."""
        reason = REASON if before is None else SHORTER
        earlier = before or no_usage()
        try:
            message, usage = await call(
                self.chat,
                reason,
                lambda: self._stream(prompt, shown),
                message_of=lambda reply: reply,
                limits=limits,
                prompt=prompt.messages,
            )
        except ChatError as error:
            usage, cause = add_usage(earlier, error.usage), error.__cause__
            if before is None and cause is not None and is_too_long(cause):
                return _Reply(None, usage, f"refused the prompt as too long ({said(cause, self.chat.model)})")
            raise ChatError(str(error), usage) from cause
        too_long, reported = "", usage["prompt_tokens"]
        if is_cut(self.chat, reported, prompt.size):
            self.chat.health.rate.learn_bound(prompt.size, reported)
            too_long = f"read only {reported:,} tokens of the prompt, which was longer"
        return _Reply(message, add_usage(earlier, usage), too_long)

    async def _stream(self, prompt: Prompt, shown: "_Shown") -> BaseMessage | None:
        """One call, shown while it is written."""
        shown.restart()
        pieces: list[Any] = []
        text, looked = "", 0
        config = RunnableConfig(run_name="write the answer", tags=[NO_STREAM])  # users see what is emitted
        stream: Any = self.chat.model.astream(prompt.messages, config)
        async with aclosing(stream):
            async for piece in stream:
                pieces.append(piece)
                text += text_of(piece)
                if len(text) > MAX_REPLY:
                    raise ValueError(f"it had written {len(text):,} characters, and no end")
                if (len(text) - looked) * LOOKS >= looked:  # each look reads the whole text
                    shown.update(readable(text))
                    looked = len(text)
        whole = pieces[0] + pieces[1:] if len(pieces) > 1 else next(iter(pieces), None)
        if is_broken_off(self.chat, whole) and not is_answered(text_of(whole)):
            raise ConnectionResetError("the stream ended before the answer did")
        return whole

    def _read(self, reply: _Reply, shown: "_Shown", warnings: list[str]) -> Synthesis:
        """What the model wrote, as an answer. Raises ChatError when there is none in it."""
        if reply.message is None:
            problem = f"{reply.too_long}, and no less of the evidence can be shown; {self._remedy()}"
            raise ChatError(f"{self.name!r} {problem}", reply.usage, warnings)
        text, cut_off = text_of(reply.message), finish_of(reply.message) == "length"
        try:
            if cut_off and not is_answered(text):
                raise ValueError(f"it was stopped for its length before it had answered: {text[-60:]!r}")
            synthesis = read_synthesis(text)
        except ValueError as error:
            problem = f"{self.name!r} cannot be understood: {error}; take another model"
            raise ChatError(problem, reply.usage, warnings) from error
        if cut_off or is_broken_off(self.chat, reply.message):
            why = "was stopped for its length" if cut_off else "broke off without a last word"
            warnings.append(f"{self.name!r} {why}: the explanation may lack its end")
        shown.update(synthesis["explanation"])
        return Synthesis(**{**synthesis, "usage": reply.usage, "warnings": warnings})


class _Shown:
    """What the reader has been shown of the answer."""

    def __init__(self, emit: Callable[[str], None], reset: Callable[[], None]) -> None:
        self.emit, self.reset = emit, reset
        self.text = ""

    def update(self, text: str) -> None:
        """Show what is new in the text; begin anew where it says something else than before."""
        if not text.startswith(self.text):
            self.restart()
        if text != self.text:
            self.emit(text[len(self.text) :])
        self.text = text

    def restart(self) -> None:
        """Take back what was shown."""
        if self.text:
            self.reset()
        self.text = ""
