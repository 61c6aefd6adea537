"""The trees of the learned ranker, evaluated by numpy."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import models.ranker
from models.ranker import from_splits, load_trees, probability
from stores.errors import ModelError
from tools.rank_features import FEATURES


def random_tree(rng: random.Random, leaves: int) -> Any:
    if leaves == 1:
        return rng.uniform(-1, 1)
    left = rng.randint(1, leaves - 1)
    return [rng.randrange(4), rng.choice([0.0, 0.25, 0.5]), random_tree(rng, left), random_tree(rng, leaves - left)]


def walked(node: Any, row: Any) -> float:
    while isinstance(node, list):
        node = node[2] if row[node[0]] <= node[1] else node[3]
    return float(node)


def test_all_nodes_at_once_come_to_the_leaves_that_a_walk_comes_to() -> None:
    rng = random.Random(0)
    forest = [random_tree(rng, rng.randint(1, 16)) for _ in range(40)]
    rows = np.random.default_rng(0).choice([-1, 0.0, 0.2, 0.25, 0.5, 0.7], (50, 4)).astype(np.float32)
    trees = from_splits("abcd", [0.0] * 4, forest)
    assert trees.margins(rows) == pytest.approx([sum(walked(tree, row) for tree in forest) for row in rows], abs=1e-5)


def test_no_rows_have_no_scores() -> None:
    assert from_splits("a", [0.0], [[0, 0.5, 1.0, 2.0]]).probabilities(np.zeros((0, 1), np.float32)).shape == (0,)


def test_a_feature_adds_what_is_lost_when_it_is_as_usual() -> None:
    trees = from_splits("ab", [0.0, 0.0], [[0, 0.5, -1.0, 2.0], [1, 0.5, 0.0, 0.25]])
    told = trees.contributions(np.array([[1.0, 0.0], [0.0, 1.0]], np.float32))
    assert told.tolist() == [[3.0, 0.0], [0.0, 0.25]]


def test_margins_become_probabilities() -> None:
    assert probability(np.array([0.0, -1000.0, 1000.0], np.float32)).round(3).tolist() == [0.5, 0.0, 1.0]


@pytest.mark.parametrize("name", ["first", "second"])
def test_the_shipped_trees_fit_the_features(name: str) -> None:
    trees = load_trees(name, FEATURES)
    assert trees.usual.shape == (len(FEATURES),)
    assert len(trees.values) >= 100


def test_trees_of_other_features_are_refused() -> None:
    with pytest.raises(ModelError, match="trained on other features"):
        load_trees("first", ("some", "others"))


def test_broken_trees_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.json").write_text('{"features": ["a"], "usual": [0], "trees": [[0, 0.5')
    monkeypatch.setattr(models.ranker, "WEIGHTS", tmp_path)
    with pytest.raises(ModelError, match=r"broken.json.*install again"):
        load_trees("broken", ("a",))
