"""Synthesizer: evidence → answer and explanation. The embedded one computes; LLMs stand behind the same protocol.

It knows plans and evidence, nothing about stores, state or the graph.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from models.answering import Case, SynthesisInput, answers
from models.explaining import explain, unanswered
from models.limits import NO_LIMITS, Limits
from models.reader import Reader
from prompts.answer import Synthesis

__all__ = ["EmbeddedSynthesizer", "SynthesisInput", "Synthesizer"]

TOO_UNSURE = 0.05
"""Under this probability no answer is given: of such answers fewer than one in ten was right on held-out questions."""


class Synthesizer(Protocol):
    """What the graph asks of a synthesizer."""

    name: str

    async def synthesize(
        self,
        given: SynthesisInput,
        *,
        emit: Callable[[str], None],
        reset: Callable[[], None] = lambda: None,
        limits: Limits = NO_LIMITS,
    ) -> Synthesis:
        """Answer and explain; `emit` gets the text in pieces while it is made, `reset` takes back what it got.

        Raises:
            LookaheadError: the model gave up; the embedded synthesizer never does.
        """
        ...


class EmbeddedSynthesizer:
    """Answers with the reader and explains with quotations: no LLM, no network."""

    name = "embedded"

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    async def synthesize(
        self,
        given: SynthesisInput,
        *,
        emit: Callable[[str], None],
        reset: Callable[[], None] = lambda: None,
        limits: Limits = NO_LIMITS,
    ) -> Synthesis:
        """Answer by the plan's operators; the emitted pieces are the explanation's sentences, a blank behind each."""
        synthesis, sentences = await asyncio.to_thread(self._answer, given)
        for sentence in sentences:
            emit(f"{sentence} ")
        return synthesis

    def _answer(self, given: SynthesisInput) -> tuple[Synthesis, list[str]]:
        case = Case(given, self.reader)
        found = answers(case) if case.evidence else []
        best = found[0] if found else None
        if best is None or best["probability"] < TOO_UNSURE:
            told = unanswered(case, best)
            probability = best["probability"] if best else 0.0
            return Synthesis(answer="", explanation=" ".join(told), sufficient=False, probability=probability), told
        told = explain(case, best)
        return (
            Synthesis(
                answer=best["text"], explanation=" ".join(told), sufficient=True, probability=best["probability"]
            ),
            told,
        )
