"""The features by which candidates are ranked, as one matrix for a query.

All of them mean the same in every store: scores are shares of the query's best one, ranks are reciprocal, words are
weighed by how rare they are in English (`models.rank_terms.rarity`). What a passage is worth is often told by the
company it keeps: every candidate is looked at beside each *seed* (a candidate that was expanded), weighed by the seed's
strength, which is a formula in the first pass and the first model's probability in the second.
"""

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.rank_terms import rarity, stems_in_order, terms
from stores.records import Matrix
from tools.candidates import Candidate, Pool

Floats = NDArray[np.float32]

OWN = (
    "bm25", "bm25 place", "cosine", "cosine below best", "cosine place", "rrf", "named", "named by", "title asked",
    "title rarity", "covers", "covers names", "covers rest", "length", "parenthesis", "parenthesis asked", "namesakes",
)  # fmt: skip
ASKED = ("question terms", "question names", "question titles", "best cosine", "second bm25")
STRENGTH = ("strength", "strength place", "strength below best")
NAMED_BY = ("strength", "cosine", "adds", "together", "names few", "bm25", "named", "follows")
NAMES = ("strength", "cosine", "adds", "together", "named")
LEFT = ("weight", "strength", "place", "adds", "shares", "cosine")
TOGETHER = ("adds", "shares", "cosine", "covers")
BEST = ("is best", "cosine", "adds", "shares", "named by", "names", "place")
FEATURES = (
    *OWN,
    *ASKED,
    *STRENGTH,
    *(f"partner naming it: {name}" for name in NAMED_BY),
    *(f"partner it names: {name}" for name in NAMES),
    "partners naming it",
    "partners it names",
    "strength of partners naming it",
    "strength of partners it names",
    *(f"left open by partner: {name}" for name in LEFT),
    *(f"beside any: {name}" for name in TOGETHER),
    *(f"beside best: {name}" for name in BEST),
)
"""Name of each column."""
SHARED = 10.0
"""Rarity of shared names that counts as 1."""
_PARENTHESIS = re.compile(r"\(([^()]*)\)\s*$")


class Table(NamedTuple):
    """Candidates and their features."""

    ids: list[str]
    rows: Floats
    """Shape (candidates, features)."""


class _View:
    """What both halves of the features need of a pool."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.ids = list(pool.candidates)
        self.place = {i: n for n, i in enumerate(self.ids)}
        self.candidates = [pool.candidates[i] for i in self.ids]
        weights = np.array([rarity(key) for key in pool.asked], np.float32)
        self.weights = weights / max(float(weights.sum()), 1e-6)
        self.held = np.array(
            [[key in pool.terms[i].stems for key in pool.asked] for i in self.ids], np.float32
        ).reshape(len(self.ids), len(pool.asked))
        self.covers = self.held @ self.weights
        self.vectors = _matrix(pool, self.ids)


def formula(pool: Pool) -> dict[str, float]:
    """Strength of a candidate before any model has seen it: (RRF + cosine + 0.8 · named) / 2.8."""
    return {i: (c.rrf + c.cosine + 0.8 * bool(c.named)) / 2.8 for i, c in pool.candidates.items()}


def features(pool: Pool, strength: dict[str, float]) -> Table:
    """The features of every candidate.

    Args:
        pool: candidates, seeds, and what is known of them.
        strength: of each candidate; 0 where it is missing.
    """
    view = _View(pool)
    if not view.ids:
        return Table([], np.zeros((0, len(FEATURES)), np.float32))
    strengths = np.array([strength.get(i, 0.0) for i in view.ids], np.float32)
    columns = [_own(view), _asked(view), _strength(strengths), _beside(view, strengths)]
    return Table(view.ids, np.concatenate(columns, axis=1).astype(np.float32))


def _own(view: _View) -> Floats:
    pool = view.pool
    best = max((c.bm25 for c in view.candidates), default=0.0) or 1.0
    nearest = max((c.cosine for c in view.candidates), default=0.0)
    names = set(terms(pool.query).names)
    is_name = np.array([key in names for key in pool.asked], bool)
    asked = set(pool.asked)
    namesakes = Counter(c.named for c in view.candidates if c.named)
    total = sum(map(rarity, pool.asked)) or 1.0
    rows = [_own_row(pool, c, asked, namesakes, total, best, nearest) for c in view.candidates]
    parts = [_share(view.held, view.weights, is_name), _share(view.held, view.weights, ~is_name)]
    table = np.array(rows, np.float32)
    return np.concatenate([table[:, :10], view.covers[:, None], *(p[:, None] for p in parts), table[:, 10:]], axis=1)


def _own_row(
    pool: Pool, c: Candidate, asked: set[str], namesakes: Counter[str], total: float, best: float, nearest: float
) -> list[float]:
    title = pool.passages[c.id]["title"]
    within = _PARENTHESIS.search(title)
    words = stems_in_order(title[: within.start()] if within else title)
    told = stems_in_order(within.group(1)) if within else []
    weight = sum(map(rarity, words)) or 1.0
    return [
        c.bm25 / best,
        1 / c.bm25_rank if c.bm25_rank else 0.0,
        c.cosine,
        nearest - c.cosine,
        1 / c.dense_rank if c.dense_rank else 0.0,
        c.rrf,
        float(bool(c.named)),
        sum(map(rarity, stems_in_order(c.named))) / total,
        sum(rarity(word) for word in words if word in asked) / weight,
        weight,
        float(np.log1p(pool.terms[c.id].length)),
        float(bool(within)),
        sum(word in asked for word in told) / len(told) if told else 0.0,
        float(namesakes[c.named]) if c.named else 0.0,
    ]


def _asked(view: _View) -> Floats:
    """The same for every candidate: what kind of question this is."""
    pool = view.pool
    bm25 = sorted((c.bm25 for c in view.candidates), reverse=True)
    row = [
        len(pool.asked),
        len(terms(pool.query).names),
        len({c.named for c in view.candidates if c.named}),
        max(c.cosine for c in view.candidates),
        bm25[1] / bm25[0] if len(bm25) > 1 and bm25[0] else 0.0,
    ]
    return np.tile(np.array(row, np.float32), (len(view.ids), 1))


def _strength(strengths: Floats) -> Floats:
    places = np.empty(len(strengths), np.float32)
    places[np.argsort(-strengths, kind="stable")] = np.arange(1, len(strengths) + 1)
    return np.stack([strengths, 1 / places, strengths.max() - strengths], axis=1)


def _beside(view: _View, strengths: Floats) -> Floats:
    """Each candidate beside the seeds. Pair arrays have shape (seeds, candidates); a seed is no partner of itself."""
    pool = view.pool
    seeds = [i for i in pool.seeds if i in view.place]
    if not seeds:
        return np.zeros((len(view.ids), len(FEATURES) - len(OWN) - len(ASKED) - len(STRENGTH)), np.float32)
    at = np.array([view.place[i] for i in seeds])
    other = np.ones((len(seeds), len(view.ids)), np.float32)
    other[np.arange(len(seeds)), at] = 0
    out, inn, left = (np.zeros_like(other) for _ in range(3))
    for row, i in enumerate(seeds):
        seed = pool.seeds[i]
        out[row] = [other_id in seed.outgoing for other_id in view.ids]
        inn[row] = [other_id in seed.incoming for other_id in view.ids]
        for found, rank in seed.left.items():
            if found in view.place:
                left[row, view.place[found]] = 1 / rank
    held = view.held
    together = np.maximum(held[at][:, None, :], held[None, :, :]) @ view.weights
    pairs = {
        "strength": strengths[at][:, None] * other,
        "cosine": (view.vectors[at] @ view.vectors.T) * other,
        "adds": (together - view.covers[at][:, None]) * other,
        "together": together * other,
        "names few": np.broadcast_to(1 / (1 + out.sum(axis=1, keepdims=True)), other.shape),
        "bm25": np.broadcast_to(_of(view, at, "bm25"), other.shape),
        "named": np.broadcast_to(_of(view, at, "named"), other.shape),
        "follows": left,
        "shares": _shares(view, seeds) * other,
        "place": left,
    }
    strong = pairs["strength"]
    columns = _of_best(strong * out, pairs, NAMED_BY, out) + _of_best(strong * inn, pairs, NAMES, inn)
    columns += [out.sum(axis=0), inn.sum(axis=0), (strong * out).sum(axis=0), (strong * inn).sum(axis=0)]
    weight = strong * left
    columns += [weight.max(axis=0), *_of_best(weight, pairs, LEFT[1:], left)]
    columns += [(strong * pairs[name]).max(axis=0) for name in TOGETHER[:3]] + [pairs["together"].max(axis=0)]
    best = int(np.argmax(strengths[at]))
    columns += [1 - other[best], pairs["cosine"][best], pairs["adds"][best], pairs["shares"][best]]
    columns += [out[best], inn[best], left[best]]
    return np.stack(columns, axis=1)


def _of_best(weight: Floats, pairs: dict[str, Any], names: tuple[str, ...], mask: Floats) -> list[Floats]:
    """Of each candidate's partner of most weight, these measures; 0 where it has none."""
    best = np.argmax(weight, axis=0)
    columns = np.arange(weight.shape[1])
    there = mask[best, columns] > 0
    return [pairs[name][best, columns] * there for name in names]


def _of(view: _View, at: NDArray[np.int64], measure: str) -> Floats:
    best = max((c.bm25 for c in view.candidates), default=0.0) or 1.0
    values = [c.bm25 / best if measure == "bm25" else float(bool(c.named)) for c in view.candidates]
    return np.array(values, np.float32)[at][:, None]


def _shares(view: _View, seeds: list[str]) -> Floats:
    """Rarity of the names that a seed and a candidate both hold and the question does not."""
    pool, asked = view.pool, set(view.pool.asked)
    found = np.zeros((len(seeds), len(view.ids)), np.float32)
    named = [pool.terms[i].names.keys() for i in view.ids]
    for row, i in enumerate(seeds):
        mine = {key: rarity(key) for key in pool.terms[i].names if key not in asked}
        found[row] = [sum(mine[key] for key in mine.keys() & theirs) for theirs in named]
    return found / SHARED


def _share(held: Floats, weights: Floats, mask: NDArray[np.bool_]) -> Floats:
    total = float(weights[mask].sum())
    return (held[:, mask] @ weights[mask]) / total if total else np.zeros(len(held), np.float32)


def _matrix(pool: Pool, ids: list[str]) -> Matrix:
    if not pool.vectors:
        return np.zeros((len(ids), 1), np.float32)
    blank = np.zeros_like(next(iter(pool.vectors.values())))
    return np.stack([pool.vectors.get(i, blank) for i in ids])
