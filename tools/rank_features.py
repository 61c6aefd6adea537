"""The features by which candidates are ranked, as one matrix for a query.

All of them mean the same in every store: scores are shares of the query's best one, ranks are reciprocal, words are
weighed by how rare they are in English (`models.rank_terms.rarity`). What a passage is worth is often told by the
company it keeps (`tools.rank_pairs`): partners count by their *strength*, which is a formula in the first pass and the
first trees' probability in the second.
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.rank_terms import rarity, stems_in_order, terms
from stores.records import Matrix
from tools.candidates import Candidate, Pool
from tools.rank_pairs import COLUMNS, Pairs, pairs, weighed

Floats = NDArray[np.float32]

COVERS = ("covers", "covers names", "covers rest")
OWN = (
    "bm25", "bm25 place", "cosine", "cosine below best", "cosine place", "rrf", "named", "named by", "title asked",
    "title rarity", "length", "parenthesis", "parenthesis asked", "namesakes",
)  # fmt: skip
ASKED = ("question terms", "question names", "question titles", "best cosine", "second bm25")
STRENGTH = ("strength", "strength place", "strength below best")
FEATURES = (*OWN, *COVERS, *ASKED, *STRENGTH, *COLUMNS)
"""Name of each column."""
_PARENTHESIS = re.compile(r"\(([^()]*)\)\s*$")


class Measured(NamedTuple):
    """What is known of the candidates before anybody says how strong they are."""

    ids: list[str]
    alone: Floats
    """`OWN`, `COVERS` and `ASKED`, shape (candidates, features)."""
    beside: Pairs


class Table(NamedTuple):
    """Candidates and their features."""

    ids: list[str]
    rows: Floats
    """Shape (candidates, features)."""

    def scored(self, scores: Floats) -> dict[str, float]:
        """A value for each candidate."""
        return dict(zip(self.ids, map(float, scores), strict=True))


def formula(pool: Pool) -> dict[str, float]:
    """Strength of a candidate before any trees have seen it: (RRF + cosine + 0.8 · named) / 2.8."""
    return {i: (c.rrf + c.cosine + 0.8 * bool(c.named)) / 2.8 for i, c in pool.candidates.items()}


def measure(pool: Pool) -> Measured:
    """All features that do not depend on strength."""
    ids = list(pool.candidates)
    rare = np.array([rarity(key) for key in pool.asked], np.float32)
    weights = rare / max(float(rare.sum()), 1e-6)
    held = np.array([[key in pool.terms[i].stems for key in pool.asked] for i in ids], np.float32)
    held = held.reshape(len(ids), len(pool.asked))
    with np.errstate(invalid="ignore"):  # a product of finite matrices was seen to raise the flag, with a right result
        alone = np.concatenate([_own(pool, ids), _covers(pool, held, weights), _asked(pool)], axis=1)
        return Measured(ids, alone, pairs(pool, ids, held, weights, _matrix(pool, ids)))


def features(measured: Measured, strength: Mapping[str, float]) -> Table:
    """The features of every candidate.

    Args:
        measured: of a pool.
        strength: of each candidate; 0 where it is missing.
    """
    if not measured.ids:
        return Table([], np.zeros((0, len(FEATURES)), np.float32))
    strengths = np.array([strength.get(i, 0.0) for i in measured.ids], np.float32)
    rows = np.concatenate([measured.alone, _strength(strengths), weighed(measured.beside, strengths)], axis=1)
    return Table(measured.ids, rows.astype(np.float32))


def _own(pool: Pool, ids: list[str]) -> Floats:
    found = [pool.candidates[i] for i in ids]
    best = max((c.bm25 for c in found), default=0.0) or 1.0
    nearest = max((c.cosine for c in found), default=0.0)
    asked = set(pool.asked)
    namesakes = Counter(c.named for c in found if c.named)
    total = sum(map(rarity, pool.asked)) or 1.0
    rows = [_own_row(pool, c, asked, namesakes, total, best, nearest) for c in found]
    return np.array(rows, np.float32).reshape(len(ids), len(OWN))


def _own_row(
    pool: Pool, c: Candidate, asked: set[str], namesakes: Counter[str], total: float, best: float, nearest: float
) -> list[float]:
    words, told, weight = _titled(pool.passages[c.id]["title"])
    return [
        c.bm25 / best,
        1 / c.bm25_rank if c.bm25_rank else 0.0,
        c.cosine,
        nearest - c.cosine,
        1 / c.dense_rank if c.dense_rank else 0.0,
        c.rrf,
        float(bool(c.named)),
        _titled(c.named)[2] / total if c.named else 0.0,
        sum(rare for word, rare in words if word in asked) / weight if words else 0.0,
        weight,
        float(np.log1p(pool.terms[c.id].length)),
        float(told is not None),
        sum(word in asked for word in told) / len(told) if told else 0.0,
        float(namesakes[c.named]) if c.named else 0.0,
    ]


@lru_cache(maxsize=8192)
def _titled(title: str) -> tuple[tuple[tuple[str, float], ...], tuple[str, ...] | None, float]:
    """Stems of a title with their rarity, those of its parenthesis (None without one), and the sum of the rarities."""
    within = _PARENTHESIS.search(title)
    words = [(word, rarity(word)) for word in stems_in_order(title[: within.start()] if within else title)]
    told = tuple(stems_in_order(within.group(1))) if within else None
    return tuple(words), told, sum(rare for _, rare in words)


def _covers(pool: Pool, held: Floats, weights: Floats) -> Floats:
    """Share of the question's words that each candidate holds: of all, of names, of the rest."""
    names = terms(pool.query).names
    is_name = np.array([key in names for key in pool.asked], bool)
    masks = (np.ones_like(is_name), is_name, ~is_name)
    return np.stack([held[:, m] @ weights[m] / max(float(weights[m].sum()), 1e-6) for m in masks], axis=1)


def _asked(pool: Pool) -> Floats:
    """The same for every candidate: what kind of question this is."""
    found = pool.candidates.values()
    bm25 = sorted((c.bm25 for c in found), reverse=True)
    row = [
        len(pool.asked),
        len(terms(pool.query).names),
        len({c.named for c in found if c.named}),
        max((c.cosine for c in found), default=0.0),
        bm25[1] / bm25[0] if len(bm25) > 1 and bm25[0] else 0.0,
    ]
    return np.tile(np.array(row, np.float32), (len(found), 1))


def _strength(strengths: Floats) -> Floats:
    places = np.empty(len(strengths), np.float32)
    places[np.argsort(-strengths, kind="stable")] = np.arange(1, len(strengths) + 1)
    return np.stack([strengths, 1 / places, strengths.max() - strengths], axis=1)


def _matrix(pool: Pool, ids: list[str]) -> Matrix:
    if not pool.vectors:
        return np.zeros((len(ids), 1), np.float32)
    blank = np.zeros_like(next(iter(pool.vectors.values())))
    return np.stack([pool.vectors.get(i, blank) for i in ids])
