"""Choosing evidence, as pure functions: de-duplicate, cover the question, share the tokens, order for attention."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

CHARS_PER_TOKEN = 4
"""Rule of thumb for English text; evidence is budgeted, not billed, by it."""


def tokens(text: str) -> int:
    """Estimate of the tokens in a text.

    >>> tokens("twelve chars")
    3
    """
    return -(-len(text) // CHARS_PER_TOKEN)


def jaccard(a: Collection[str], b: Collection[str]) -> float:
    """|a ∩ b| / |a ∪ b|, 0 for two empty sets.

    >>> jaccard({"x", "y"}, {"y", "z"})
    0.3333333333333333
    """
    union = len({*a, *b})
    return len({*a} & {*b}) / union if union else 0.0


def distinct(terms: Sequence[Collection[str]], threshold: float) -> dict[int, int]:
    """Find near-copies: maps each index to the first index it is a copy of (itself when it is none).

    Args:
        terms: the terms of each text, best text first.
        threshold: Jaccard similarity from which two texts are the same.

    >>> distinct([{"a", "b"}, {"c"}, {"a", "b"}], 0.8)
    {0: 0, 1: 1, 2: 0}
    """
    first: dict[int, int] = {}
    for i, mine in enumerate(terms):
        originals = (j for j in range(i) if first[j] == j)
        first[i] = next((j for j in originals if jaccard(mine, terms[j]) >= threshold), i)
    return first


def choose_covering(
    relevance: Sequence[float],
    covers: Sequence[Collection[str]],
    wanted: Collection[str],
    *,
    alpha: float,
    min_gain: float,
    required: Collection[int] = (),
) -> list[int]:
    """Choose texts greedily for relevance and new coverage of the wanted terms.

    gain(i) = α · relevance(i) / max relevance + (1 − α) · |new wanted terms of i| / |wanted|. Texts with the
    highest gain come first; stops when the gain is under `min_gain`. Maximal marginal coverage, after Lin and Bilmes,
    "A Class of Submodular Functions for Document Summarization", ACL 2011.

    Args:
        relevance: of each text, any scale from 0.
        covers: terms of each text.
        wanted: terms of the question and its hops.
        alpha: weight of relevance, 0 to 1.
        min_gain: smallest gain worth a place.
        required: indices that are chosen whatever their gain.

    Returns:
        Indices in the order chosen.
    """
    top = max(relevance, default=0.0) or 1.0
    left, open_terms, chosen = list(range(len(relevance))), set(wanted), list[int]()

    def gain(i: int) -> float:
        new = len(open_terms.intersection(covers[i])) / len(wanted) if wanted else 0.0
        return alpha * relevance[i] / top + (1 - alpha) * new

    while left:
        best = max(left, key=gain)
        if gain(best) < min_gain:
            break
        chosen.append(best)
        open_terms -= set(covers[best])
        left.remove(best)
    return chosen + [i for i in left if i in required]


def share(
    costs: Sequence[int],
    owners: Sequence[str],
    weights: Mapping[str, float],
    budget: int,
    required: Sequence[bool] = (),
) -> list[bool]:
    """Say which texts fit: the required first, then each owner by its share, then the rest to whoever comes first.

    Args:
        costs: tokens of each text, best text first.
        owners: the hop each belongs to.
        weights: confidence of each hop.
        budget: tokens in all.
        required: which texts come before all shares, while they fit.

    >>> share([60, 60, 30], ["n1", "n1", "n2"], {"n1": 0.5, "n2": 0.5}, 100)
    [True, False, True]
    """
    total = sum(weights[o] for o in set(owners)) or 1.0
    purse = {o: budget * weights[o] / total for o in set(owners)}
    fits, rest = [False] * len(costs), budget
    for i in sorted(range(len(costs)), key=lambda i: not (required and required[i])):
        allowed = rest if required and required[i] else min(rest, purse[owners[i]])
        if costs[i] <= allowed:
            purse[owners[i]] -= costs[i]
            fits[i], rest = True, rest - costs[i]
    for i, cost in enumerate(costs):
        if not fits[i] and cost <= rest:
            fits[i], rest = True, rest - cost
    return fits


def attention_order(items: Sequence[T]) -> list[T]:
    """Best first and last, worst in the middle: where a language model reads most carefully.

    Source: Liu et al., "Lost in the Middle", TACL 2024.

    >>> attention_order([1, 2, 3, 4, 5])
    [1, 3, 5, 4, 2]
    """
    return [*items[::2], *reversed(items[1::2])]


def compress(text: str, sentences: Callable[[str], list[tuple[str, float]]], keep: float) -> str:
    """Keep the sentences with at least `keep` of the best one's relevance, and the first, which says what it is about.

    Args:
        text: a passage.
        sentences: gives its sentences in order with their relevance.
        keep: share of the best relevance, 0 to 1.
    """
    scored = sentences(text)
    best = max((score for _, score in scored), default=0.0)
    kept = [s for i, (s, score) in enumerate(scored) if i == 0 or score >= keep * best]
    return " ".join(s.strip() for s in kept) or text
