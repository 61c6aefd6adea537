"""Reads a hop's query: once for each thing that its placeholder may well stand for.

"Which artist sang it?" may have two answers that are nearly as sure. Which one is meant shows when the next hop is
read: the wrong one seldom has the attribute that is asked for.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from models.mentioning import PassageT, mentioning
from models.reader import Candidate, Reader
from models.spans import answer_key
from prompts.plan import fill, placeholders

ALTERNATIVES = 2
"""Candidates tried for one placeholder when they are close."""
CLOSE = 0.6
"""A candidate is close when it has this share of the best one's probability."""


class Binding(Candidate):
    """What a placeholder was filled with, and from which parent."""

    node: str
    """Id of the parent hop it was read from."""


class Bound(NamedTuple):
    """A query with its placeholders filled in one way."""

    query: str
    passages: Sequence[Any]
    """What it is read in, the best first."""
    share: float
    """Root of the binding's share of the best one's probability; 1 for the best."""


def best_bindings(bindings: Iterable[Binding]) -> dict[str, Binding]:
    """The most probable binding of each placeholder, by its parent's id; of one parent they come best first."""
    best: dict[str, Binding] = {}
    for one in bindings:
        best.setdefault(one["node"], one)
    return best


def runners_up(query: str, bindings: Sequence[Binding]) -> list[Binding]:
    """Bindings of a single placeholder that come close to its best one.

    Args:
        query: as planned, placeholders and all.
        bindings: of the query's placeholders, best first.
    """
    if len(set(placeholders(query))) != 1 or len(bindings) < 2:
        return []
    best, *others = bindings
    return [b for b in others if b["probability"] >= CLOSE * best["probability"]][: ALTERNATIVES - 1]


def ways(query: str, bound: str, bindings: Sequence[Binding], passages: Sequence[PassageT], most: int) -> list[Bound]:
    """The query as it was searched, then as its runners-up fill it.

    Args:
        query: as planned.
        bound: as searched, with the best of each placeholder.
        bindings: as in `runners_up`.
        passages: the hop's, best first; `most` of those that name what was filled in are read.
        most: passages of one way.
    """
    named = [one["text"] for one in best_bindings(bindings).values()]
    found = [Bound(bound, mentioning(passages, named)[:most], 1.0)]
    for one in runners_up(query, bindings):
        share = (one["probability"] / max(bindings[0]["probability"], 1e-9)) ** 0.5
        about = mentioning(passages, [one["text"]])[:most]
        found.append(Bound(fill(query, {one["node"]: one["text"]}), about, share))
    return found


def read_bound(reader: Reader, found: Sequence[Bound], *, limit: int = 5) -> list[Candidate]:
    """Answers in all ways, best first; of equal ones the more probable."""
    best: dict[str, Candidate] = {}
    for way in found:
        for one in reader.read(way.query, way.passages, limit=limit):
            told = Candidate(**{**one, "probability": one["probability"] * way.share})
            known = best.setdefault(answer_key(one["text"]), told)
            if told["probability"] > known["probability"]:
                best[answer_key(one["text"])] = told
    return sorted(best.values(), key=lambda one: -one["probability"])[:limit]
