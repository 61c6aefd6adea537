"""Ranks one query's candidates in two passes, each with trees of its own.

The first pass weighs every candidate beside seeds chosen by a formula. Its best candidates become further seeds, and
the second pass looks at all of them again, now weighed by what the first one thought of them: so a third and fourth hop
are reached. What a cross-encoder thinks of the best candidates would join `Ranking.scores`.
"""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from models.ranker import Floats, Trees, load_trees
from tools.candidates import Gathering, Pool
from tools.rank_features import FEATURES, STRENGTH, Table, features, formula, measure

Score = Callable[[Floats], Floats]
"""Rows of features → probabilities."""
SEEDS = 8
"""Candidates expanded before the first pass."""
MORE_SEEDS = 6
"""And before the second."""
REASONS = 3
"""Features named for a hit."""


class Ranking(NamedTuple):
    """Candidates of a query after both passes."""

    ids: list[str]
    scores: Floats
    """Probability of each to be needed for the answer."""
    first: Floats
    """Features in the first pass, before the second round of seeds told of themselves; shape (candidates, features)."""
    rows: Floats
    """Features in the second pass."""


async def rank(gathering: Gathering, pool: Pool) -> Ranking:
    """Expand and score the pool with the shipped trees.

    Raises:
        ModelError: the trees or the table of terms cannot be loaded.
    """
    first, second = await asyncio.to_thread(shipped)
    begun = await first_pass(gathering, pool)
    before, table = await second_pass(gathering, pool, begun, first.probabilities)
    scores = await asyncio.to_thread(second.probabilities, table.rows)
    return Ranking(table.ids, scores, before.rows, table.rows)


async def first_pass(gathering: Gathering, pool: Pool) -> Table:
    """Expand the best by formula; features weighed by it."""
    await gathering.expand(pool, _best(formula(pool))[:SEEDS])
    return await asyncio.to_thread(_weighed_by_formula, pool)


async def second_pass(gathering: Gathering, pool: Pool, begun: Table, score: Score) -> tuple[Table, Table]:
    """Expand the best by the first trees; features weighed by the formula, and by the first trees.

    Args:
        gathering: where more candidates come from.
        pool: as the first pass left it.
        begun: what the first pass returned.
        score: the first trees.
    """
    strength = await asyncio.to_thread(lambda: begun.scored(score(begun.rows)))
    await gathering.expand(pool, [i for i in _best(strength) if i not in pool.seeds][:MORE_SEEDS])
    return await asyncio.to_thread(_weighed_twice, pool, score)


def _weighed_by_formula(pool: Pool) -> Table:
    return features(measure(pool), formula(pool))


def _weighed_twice(pool: Pool, score: Score) -> tuple[Table, Table]:
    measured = measure(pool)
    before = features(measured, formula(pool))
    return before, features(measured, before.scored(score(before.rows)))


def _best(strength: dict[str, float]) -> list[str]:
    return sorted(strength, key=lambda i: (-strength[i], i))


def reasons(ranking: Ranking, ids: list[str]) -> dict[str, dict[str, float]]:
    """For each of these candidates the features that spoke loudest for or against it, with what they add in log-odds.

    Both passes count; what the second one takes over from the first (`STRENGTH`) is told by the first one's features.
    """
    first, second = shipped()
    places = [ranking.ids.index(i) for i in ids]
    if not places:
        return {}
    told = first.contributions(ranking.first[places]) + second.contributions(ranking.rows[places])
    told[:, [FEATURES.index(name) for name in STRENGTH]] = 0
    loudest = np.argsort(-np.abs(told), axis=1, kind="stable")[:, :REASONS]
    return {
        i: {FEATURES[n]: round(float(row[n]), 2) for n in best if row[n]}
        for i, row, best in zip(ids, told, loudest, strict=True)
    }


def shipped() -> tuple[Trees, Trees]:
    """The trees of both passes."""
    return load_trees("first", FEATURES), load_trees("second", FEATURES)
