"""Which evidence is shown to a model, so that the prompt fits its window.

The least relevant passages go first; the last one left is shortened at the ends of its sentences. Lengths are bytes of
UTF-8, since what a token is differs from model to model; `models.token_rate` knows how many bytes one holds.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from langchain_core.messages import BaseMessage

from models.answering import SynthesisInput
from models.token_rate import prompt_size
from prompts.answer import Evidence
from prompts.synthesis import synthesis_messages
from stores.sentences import split_sentences


class Prompt(NamedTuple):
    """Messages, and what of the evidence stands in them."""

    messages: list[BaseMessage]
    passages: int
    size: int
    """Bytes in all."""
    bare: int
    """Bytes that it would have without evidence."""
    shortened: bool
    """Whether a passage lost sentences."""


def fit(given: SynthesisInput, most: float) -> Prompt | None:
    """The prompt with as much of the evidence as fits into so many bytes, in its order.

    Args:
        given: what is synthesized from.
        most: bytes; infinite for all of it.

    Returns:
        The prompt; None when there is evidence and not one sentence of it fits.
    """
    evidence = given["evidence"]
    whole = _prompt(given, evidence)
    if whole.size <= most:
        return whole
    if not evidence:
        return None
    by_relevance = sorted(range(len(evidence)), key=lambda i: -evidence[i]["score"])
    kept = _largest(len(evidence) - 1, lambda n: _prompt(given, _chosen(evidence, by_relevance[:n])).size, most)
    if kept:
        return _prompt(given, _chosen(evidence, by_relevance[:kept]))
    best = evidence[by_relevance[0]]
    sentences = split_sentences(best["text"])
    short = [Evidence(**{**best, "text": " ".join(sentences[:n])}) for n in range(len(sentences))]
    kept = _largest(len(sentences) - 1, lambda n: _prompt(given, [short[n]]).size, most)
    return _prompt(given, [short[kept]])._replace(shortened=True) if kept else None


def _chosen(evidence: Sequence[Evidence], numbers: Sequence[int]) -> list[Evidence]:
    return [evidence[i] for i in sorted(numbers)]


def _prompt(given: SynthesisInput, evidence: Sequence[Evidence]) -> Prompt:
    messages = synthesis_messages(given["question"], evidence, given["bound_queries"])
    bare = synthesis_messages(given["question"], [], given["bound_queries"])
    return Prompt(messages, len(evidence), prompt_size(messages), prompt_size(bare), shortened=False)


def _largest(count: int, size: Callable[[int], int], most: float) -> int:
    """The largest number from 1 to `count` whose size is at most so much; 0 when there is none."""
    return bisect_right(range(1, count + 1), most, key=size)
