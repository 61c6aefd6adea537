"""What a candidate is worth beside the *seeds*, the candidates that were expanded: features of pairs.

Pair arrays have shape (seeds, candidates); a seed is no partner of itself. What a partner says counts by the partner's
strength, and of all partners of one kind the one of most weight is looked at.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.rank_terms import rarity
from stores.records import Matrix
from tools.candidates import Pool

Floats = NDArray[np.float32]

NAMED_BY = ("strength", "cosine", "adds", "together", "names few", "bm25", "named", "follows")
NAMES = ("strength", "cosine", "adds", "together", "named")
LEFT = ("strength", "follows", "adds", "shares", "cosine")
ANY = ("adds", "shares", "cosine")
BEST = ("cosine", "adds", "shares", "out", "inn", "follows")
COLUMNS = (
    *(f"partner naming it: {name}" for name in NAMED_BY),
    *(f"partner it names: {name}" for name in NAMES),
    "partners naming it",
    "partners it names",
    "strength of partners naming it",
    "strength of partners it names",
    "left open by partner: weight",
    *(f"left open by partner: {name}" for name in LEFT),
    *(f"beside any: {name}" for name in ANY),
    "beside any: covers",
    "beside best: is best",
    *(f"beside best: {name}" for name in ("cosine", "adds", "shares", "named by", "names", "follows")),
)
"""Name of each feature. A partner *adds* the share of the question's words that only the candidate holds of the two;
*together*: what both hold; *follows*: 1 / rank in the partner's conditional query; *shares*: names in both."""
SHARED = 10.0
"""Rarity of shared names that counts as 1."""


class Pairs(NamedTuple):
    """Seeds beside candidates, whatever strength they have."""

    at: NDArray[np.int64]
    """Place of each seed among the candidates."""
    measures: dict[str, Floats]
    other: Floats
    """0 where seed and candidate are the same, else 1."""
    width: int
    """Candidates."""


def pairs(pool: Pool, ids: Sequence[str], held: Floats, weights: Floats, vectors: Matrix) -> Pairs:
    """Compare.

    Args:
        pool: what is known.
        ids: of the candidates.
        held: which of the question's words each candidate holds, shape (candidates, words).
        weights: of the words, their sum 1.
        vectors: of the candidates.
    """
    place = {i: n for n, i in enumerate(ids)}
    seeds = [seed for seed in pool.seeds.values() if seed.id in place]
    at = np.array([place[seed.id] for seed in seeds], np.int64)
    shape = (len(seeds), len(ids))
    other = np.ones(shape, np.float32)
    other[np.arange(len(seeds)), at] = 0
    out, inn, follows = (np.zeros(shape, np.float32) for _ in range(3))
    for row, seed in enumerate(seeds):
        out[row, [place[i] for i in seed.outgoing if i in place]] = 1
        inn[row, [place[i] for i in seed.incoming if i in place]] = 1
        for i, rank in seed.left.items():
            if i in place:
                follows[row, place[i]] = 1 / rank
    covers = held @ weights
    # What both hold: a's share + b's share − the share that both hold.
    together = covers[at][:, None] + covers[None, :] - (held[at] * weights) @ held.T
    best = max((c.bm25 for c in pool.candidates.values()), default=0.0) or 1.0
    measures = {
        "cosine": (vectors[at] @ vectors.T) * other,
        "adds": (together - covers[at][:, None]) * other,
        "together": together * other,
        "names few": _rows(1 / (1 + out.sum(axis=1)), shape),
        "bm25": _rows([pool.candidates[seed.id].bm25 / best for seed in seeds], shape),
        "named": _rows([float(bool(pool.candidates[seed.id].named)) for seed in seeds], shape),
        "follows": follows,
        "shares": _shares(pool, ids, at) * other,
        "out": out,
        "inn": inn,
    }
    return Pairs(at, measures, other, len(ids))


def weighed(found: Pairs, strengths: Floats) -> Floats:
    """The features of `COLUMNS`, shape (candidates, features).

    Args:
        found: the pairs.
        strengths: of the candidates.
    """
    if not len(found.at):
        return np.zeros((found.width, len(COLUMNS)), np.float32)
    strong = strengths[found.at][:, None] * found.other
    told = {**found.measures, "strength": strong}
    out, inn, follows = told["out"], told["inn"], told["follows"]
    best = int(np.argmax(strengths[found.at]))
    columns = [
        *_of_best(strong * out, told, NAMED_BY, out),
        *_of_best(strong * inn, told, NAMES, inn),
        out.sum(axis=0),
        inn.sum(axis=0),
        (strong * out).sum(axis=0),
        (strong * inn).sum(axis=0),
        (strong * follows).max(axis=0),
        *_of_best(strong * follows, told, LEFT, follows),
        *((strong * told[name]).max(axis=0) for name in ANY),
        told["together"].max(axis=0),
        1 - found.other[best],
        *(told[name][best] for name in BEST),
    ]
    return np.stack(columns, axis=1)


def _of_best(weight: Floats, told: dict[str, Floats], names: tuple[str, ...], mask: Floats) -> list[Floats]:
    """Of each candidate's partner of most weight, these measures; 0 where it has none."""
    best = np.argmax(weight, axis=0)
    columns = np.arange(weight.shape[1])
    there = mask[best, columns] > 0
    return [told[name][best, columns] * there for name in names]


def _rows(values: Sequence[float] | Floats, shape: tuple[int, int]) -> Floats:
    """One value for each seed."""
    return np.broadcast_to(np.asarray(values, np.float32)[:, None], shape)


def _shares(pool: Pool, ids: Sequence[str], at: NDArray[np.int64]) -> Floats:
    """Rarity of the names that a seed and a candidate both hold and the question does not."""
    asked = set(pool.asked)
    keys = {key for place in at for key in pool.terms[ids[place]].names if key not in asked}
    number = {key: n for n, key in enumerate(sorted(keys))}
    names = np.zeros((len(ids), len(number)), np.float32)
    for row, i in enumerate(ids):
        names[row, [number[key] for key in pool.terms[i].names if key in number]] = 1
    weights = np.array([rarity(key) for key in number], np.float32)
    return ((names[at] * weights) @ names.T / SHARED).astype(np.float32)
