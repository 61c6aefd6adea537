"""Questions that nobody wrote: a sentence with a name taken out, answered by another passage that holds the name.

Recurring span selection (Ram et al. 2021, "Splinter", arXiv 2101.00438), across passages: the two share another name of
the sentence, so that the second one is about the same thing. Before the reader learns questions it learns with these,
of which a corpus holds as many as are wanted, to find what is meant by its surroundings. Pure functions over passages.
"""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from models.names import name_spans
from models.span_patterns import dates
from models.training.reader_examples import Source, Text
from stores.sentences import split_sentences

FEW, MANY = 2, 40
"""Passages that a name stands in: fewer do not recur, more say nothing."""
SHORTEST, LONGEST = 6, 36
"""Words of a sentence."""
OFTEN = 8
"""Questions with the same answer."""
NEAR = 8
"""Passages without the answer beside a question."""


class _Corpus(NamedTuple):
    texts: Sequence[Text]
    holders: dict[str, list[int]]
    """Name or date → the passages that hold it."""


def recurring(texts: Sequence[Text], rng: random.Random, most: int = 30_000) -> list[Source]:
    """Questions made of passages.

    Args:
        texts: passages; equal ones count once.
        rng: which sentences are taken.
        most: questions at most.
    """
    corpus = _corpus(list(dict.fromkeys(texts)))
    used: dict[str, int] = {}
    found: list[Source] = []
    for number in rng.sample(range(len(corpus.texts)), len(corpus.texts)):
        for made in _of_passage(corpus, number, rng):
            if used.get(made.answers[0], 0) < OFTEN:
                used[made.answers[0]] = used.get(made.answers[0], 0) + 1
                found.append(made)
                break
        if len(found) == most:
            break
    return found


def _corpus(texts: Sequence[Text]) -> _Corpus:
    holders: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        for name in {text.title, *(name for one in split_sentences(text.text) for name, _ in _marked(one))}:
            holders.setdefault(name, []).append(number)
    return _Corpus(texts, {name: held for name, held in holders.items() if FEW <= len(held) <= MANY})


def _marked(sentence: str) -> list[tuple[str, tuple[int, int]]]:
    """Names and dates of a sentence with their places; none within another."""
    spans = name_spans(sentence)
    told = _dates(sentence)
    spans = [one for one in spans if not any(one[0] < end and start < one[1] for start, end in told)]
    return [(sentence[start:end].strip("\"“”'.,"), (start, end)) for start, end in sorted([*spans, *told])]


def _dates(text: str) -> list[tuple[int, int]]:
    """Where whole dates stand, without the years and months in them."""
    spans = [(start, end) for _, start, end in dates(text)]
    return [one for one in spans if not any(o != one and o[0] <= one[0] and one[1] <= o[1] for o in spans)]


def _of_passage(corpus: _Corpus, number: int, rng: random.Random) -> Iterator[Source]:
    """Questions out of one passage, in an order drawn."""
    sentences = [one for one in split_sentences(corpus.texts[number].text) if _fits(one)]
    for sentence in rng.sample(sentences, len(sentences)):
        marked = [(name, place) for name, place in _marked(sentence) if name in corpus.holders]
        for name, place in rng.sample(marked, len(marked)):
            told = [other for other, _ in marked if other not in name and name not in other]
            gold = _elsewhere(corpus, number, name, told)
            if gold is not None:
                yield _source(corpus, number, sentence, name, place, gold, told)


def _fits(sentence: str) -> bool:
    return SHORTEST <= len(sentence.split()) <= LONGEST


def _elsewhere(corpus: _Corpus, number: int, name: str, told: Sequence[str]) -> int | None:
    """Another passage that holds the name, and most of what else the sentence names; None where it names nothing."""
    shared = {
        held: sum(held in corpus.holders[other] for other in told) for held in corpus.holders[name] if held != number
    }
    best = max(shared, key=lambda held: (shared[held], -held), default=None)
    return best if best is not None and shared[best] else None


def _source(
    corpus: _Corpus, number: int, sentence: str, name: str, place: tuple[int, int], gold: int, told: Sequence[str]
) -> Source:
    asked = "when" if (0, len(name)) in _dates(name) else "what"
    question = f"{sentence[: place[0]]}{asked}{sentence[place[1] :]}".rstrip(". ") + "?"
    near = dict.fromkeys(held for other in told for held in corpus.holders[other] if held not in (number, gold))
    others = tuple(corpus.texts[held] for held in near if name not in corpus.texts[held].text)[:NEAR]
    return Source(
        f"recurring{number}", "recurring", question[0].upper() + question[1:], (name,), (corpus.texts[gold],), others
    )
