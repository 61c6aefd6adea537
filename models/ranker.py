"""The learned ranker: gradient-boosted trees over features, evaluated with numpy alone.

The weights are a text file that `models.training.fit_ranker` writes; it names the features that it was trained on.
Knows nothing about stores, questions, or what a feature means.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stores.errors import ModelError

WEIGHTS = Path(__file__).parent / "weights" / "ranker"
LEAVES = 16
"""Of a tree at most: a bit for each in the masks."""
EXPLAINED = 16
"""Features that explain a rank: those that the trees test most often."""
_ALL = np.uint16(0xFFFF)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Trees:
    """A forest as arrays; leaves are numbered from left to right, nodes in any order.

    Evaluated as in Lucchese et al., "QuickScorer: a fast algorithm to rank documents with additive ensembles of
    regression trees", SIGIR 2015: a node whose test fails (feature > threshold) crosses out the leaves of its left
    side; the first leaf that is not crossed out holds the tree's value. All nodes are tested at once.
    """

    names: tuple[str, ...]
    """Of the features, in the order of their columns."""
    usual: Floats
    """Median of each feature among the candidates trained on, shape (features,)."""
    feature: NDArray[np.int64]
    """Tested by each node, shape (nodes, trees); unused nodes test nothing (threshold ∞)."""
    threshold: Floats
    keeps: NDArray[np.uint16]
    """Leaves that remain when the node's test fails, as bits."""
    values: Floats
    """Of each leaf, shape (trees, LEAVES)."""

    def margins(self, rows: Floats) -> Floats:
        """Log-odds of each row, shape (n,), of features of shape (n, features)."""
        nodes, trees = self.feature.shape
        fails = np.ascontiguousarray(rows.T)[self.feature.reshape(-1)] > self.threshold.reshape(-1, 1)
        left = fails.astype(np.uint16)
        left -= 1  # 0 - 1 has every bit
        left |= self.keeps.reshape(-1, 1)
        leaves = _lowest()[np.bitwise_and.reduce(left.reshape(nodes, trees, len(rows)))]
        total: Floats = np.take_along_axis(self.values, leaves, axis=1).sum(axis=0)
        return total

    def probabilities(self, rows: Floats) -> Floats:
        """Of each row to be a passage that is needed, shape (n,)."""
        return probability(self.margins(rows))

    def contributions(self, rows: Floats) -> Floats:
        """What each of the `EXPLAINED` features adds to a row's log-odds, compared with its usual value.

        Returns:
            Shape (n, features); 0 for other features.
        """
        tests = np.bincount(self.feature[np.isfinite(self.threshold)], minlength=len(self.names))
        often = np.isin(np.arange(len(self.names)), np.argsort(-tests, kind="stable")[:EXPLAINED])
        at, feature = np.nonzero((rows != self.usual) & often)
        changed = rows[at]
        changed[np.arange(len(at)), feature] = self.usual[feature]
        told = np.zeros(rows.shape, np.float32)
        told[at, feature] = self.margins(rows)[at] - self.margins(changed)
        return told


def probability(margins: Floats) -> Floats:
    """Log-odds to probabilities."""
    result: Floats = (1 / (1 + np.exp(-np.clip(margins, -30, 30)))).astype(np.float32)
    return result


@lru_cache(maxsize=1)
def _lowest() -> NDArray[np.int64]:
    """Number of the lowest bit of each 16-bit number."""
    numbers = np.arange(1 << LEAVES, dtype=np.int64)
    numbers[0] = 1
    lowest: NDArray[np.int64] = np.log2(numbers & -numbers).astype(np.int64)
    return lowest


@lru_cache(maxsize=4)
def load_trees(name: str, features: tuple[str, ...]) -> Trees:
    """The shipped trees of this name.

    Args:
        name: of the file in `models/weights/ranker/`.
        features: the columns that will be given.

    Raises:
        ModelError: the file is missing, broken, or was trained on other features.
    """
    path = WEIGHTS / f"{name}.json"
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        trees = from_splits(told["features"], told["usual"], told["trees"])
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ModelError(f"ranker: {str(path)!r} holds no usable trees ({error}); install again") from error
    if trees.names != features:
        raise ModelError(
            f"ranker: {str(path)!r} was trained on other features than the program computes; train it again with "
            "`python -m models.training.fit_ranker`, or install again"
        )
    return trees


def from_splits(names: Sequence[str], usual: Sequence[float], forest: Sequence[Any]) -> Trees:
    """Trees from nested lists: a node is [feature, threshold, left, right], a leaf its value.

    >>> trees = from_splits(["x"], [0.0], [[0, 0.5, -1.0, 2.0]])
    >>> trees.margins(np.array([[0.5], [0.6]], np.float32)).tolist()
    [-1.0, 2.0]
    """
    shape = (LEAVES - 1, len(forest))
    feature = np.zeros(shape, np.int64)
    threshold = np.full(shape, np.inf, np.float32)
    keeps = np.full(shape, _ALL, np.uint16)
    values = np.zeros((len(forest), LEAVES), np.float32)
    for tree, root in enumerate(forest):
        nodes, leaves = _walk(root, 0)
        values[tree, : len(leaves)] = leaves
        for node, (tested, at, begin, end) in enumerate(nodes):
            feature[node, tree], threshold[node, tree] = tested, at
            keeps[node, tree] = int(_ALL) & ~(((1 << (end - begin)) - 1) << begin)
    return Trees(tuple(names), np.array(usual, np.float32), feature, threshold, keeps, values)


def _walk(node: Any, begin: int) -> tuple[list[tuple[int, float, int, int]], list[float]]:
    """(feature, threshold, first and behind last leaf of its left side) of each node below, and the leaves' values."""
    if not isinstance(node, list):
        return [], [float(node)]
    tested, at, left, right = node
    left_nodes, left_leaves = _walk(left, begin)
    middle = begin + len(left_leaves)
    right_nodes, right_leaves = _walk(right, middle)
    return [(int(tested), float(at), begin, middle), *left_nodes, *right_nodes], left_leaves + right_leaves
