"""Fit the learned ranker and write `models/weights/ranker/`.

    python -m models.training.fit_ranker --data DIR [--pools FOLDER] [--seed 7]

DIR holds hotpotqa/{tune,train,dev_fullwiki_retrieved}.json.gz, 2wikimultihopqa/train.json.gz, musique/train.jsonl.gz in
their official layouts, and the files kept for reporting, whose questions are dropped (`models.training.guard`). Pools
are kept in FOLDER, so that a second run embeds nothing. Two models are fitted, one for each pass
(`tools.learned_ranking`): the first tells probabilities; the second sees what the first thinks of questions that it was
not fitted on, and learns the order of each question's candidates (LambdaMART), made probabilities afterwards by a
logistic function of its score. Figures are those of cross-validation over questions. Needs lightgbm (extra `train`).
"""

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.embedder import load_embedder
from models.rank_terms import TABLE, terms
from models.ranker import LEAVES, WEIGHTS, Floats
from models.training.guard import reporting_keys
from models.training.rank_card import card
from models.training.rank_corpora import ingest_pool, read_training
from models.training.rank_rows import FOLDS, Asked, Rows, first_rows, recall, second_rows, to_ask
from models.user_cache import cache_folder
from models.vector_cache import CachedEmbedder
from stores.opening import open_store
from stores.records import Document
from tools.passage_text import passage_text
from tools.rank_features import FEATURES

SETS = {
    "hotpotqa/tune": "hotpotqa/tune.json.gz",
    "hotpotqa/train": "hotpotqa/train.json.gz",
    "hotpotqa/dev_fullwiki_retrieved": "hotpotqa/dev_fullwiki_retrieved.json.gz",
    "2wikimultihopqa/train": "2wikimultihopqa/train.json.gz",
    "musique/train": "musique/train.jsonl.gz",
}
LEAST = 20
"""Passages that a word must stand in to have a row in the table of terms."""
WEIGHTS_OF_SETS = {"musique/train": 3.0}
"""How much a question counts; 1 where nothing is said. There are few questions of three and four hops."""
SETTINGS: dict[str, Any] = {
    "learning_rate": 0.06,
    "num_leaves": LEAVES - 1,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.5,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
}
FIRST = {"objective": "binary"}
SECOND = {"objective": "lambdarank", "lambdarank_truncation_level": 8}
ROUNDS = 250


def write_terms(documents: Sequence[Document]) -> None:
    """The table of how many passages each stem stands in; before anything asks how rare a word is."""
    counts = Counter(key for d in documents for key in terms(passage_text(d.title, d.text)).stems)
    kept = {key: count for key, count in sorted(counts.items()) if count >= LEAST}
    told = {"passages": len(documents), "least": LEAST, "counts": kept}
    TABLE.write_text(json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def fit(rows: Sequence[Rows], objective: dict[str, Any], seed: int) -> Any:
    """A LightGBM booster."""
    import lightgbm

    weights = [np.full(len(r.labels), WEIGHTS_OF_SETS.get(r.asked.set_name, 1.0)) for r in rows]
    data = lightgbm.Dataset(
        np.concatenate([r.features for r in rows]),
        np.concatenate([r.labels for r in rows]),
        weight=np.concatenate(weights),
        group=[len(r.labels) for r in rows],
    )
    fixed = {"seed": seed, "deterministic": True, "force_row_wise": True, "verbose": -1}
    return lightgbm.train({**SETTINGS, **objective, **fixed}, data, ROUNDS)


def out_of_fold(rows: Sequence[Rows], objective: dict[str, Any], seed: int) -> list[Any]:
    """For each fold a model that has not seen its questions."""
    return [fit([r for r in rows if r.asked.fold != fold], objective, seed) for fold in range(FOLDS)]


def calibration(rows: Sequence[Rows], models: Sequence[Any]) -> tuple[float, float]:
    """(a, b) such that 1 / (1 + exp(−(a · score + b))) is the share of needed candidates, by scores out of fold.

    Source: Platt, "Probabilistic outputs for support vector machines", 1999; by Newton's method.
    """
    scores = np.concatenate([models[r.asked.fold].predict(r.features, raw_score=True) for r in rows])
    labels = np.concatenate([r.labels for r in rows])
    given = np.stack([scores, np.ones_like(scores)], axis=1)
    found = np.zeros(2)
    for _ in range(50):
        told = 1 / (1 + np.exp(-given @ found))
        slope = given.T @ (told - labels)
        found = found - np.linalg.solve((given * (told * (1 - told))[:, None]).T @ given + 1e-9 * np.eye(2), slope)
    return float(found[0]), float(found[1])


def figures(rows: Sequence[Rows], models: Sequence[Any]) -> dict[str, dict[str, float]]:
    """For each set, by way of searching and pool: recall in percent, by models that have not seen the question."""
    found: dict[str, list[list[float]]] = {}
    for r in rows:
        scores = models[r.asked.fold].predict(r.features)
        name = f"{r.asked.set_name}, {r.asked.mode}, {r.asked.namespace}"
        found.setdefault(name, []).append([recall(r, scores, k) for k in (2, 5, None)])
    means = {name: np.mean(values, axis=0) * 100 for name, values in found.items()}
    names = ("recall@2", "recall@5", "candidates")
    return {
        name: {"questions": len(found[name]), **dict(zip(names, map(float, mean), strict=True))}
        for name, mean in means.items()
    }


def nested(node: dict[str, Any], scale: float = 1.0, shift: float = 0.0) -> Any:
    """A node of a dumped booster as `models.ranker.from_splits` takes it; a leaf's value times `scale` plus `shift`."""
    if "leaf_value" in node:
        return float(f"{node['leaf_value'] * scale + shift:.5g}")
    # Features are fp32: the largest fp32 number that is not above the threshold divides them as the threshold does.
    threshold = np.float32(node["threshold"])
    if float(threshold) > node["threshold"]:
        threshold = np.nextafter(threshold, np.float32(-np.inf))
    sides = (nested(node[side], scale, shift) for side in ("left_child", "right_child"))
    return [node["split_feature"], float(str(threshold)), *sides]


def write_trees(name: str, booster: Any, rows: Sequence[Rows], scale: float = 1.0, shift: float = 0.0) -> None:
    """The booster as JSON, a tree a line, so that its log-odds are `scale` · score + `shift`."""
    usual = np.median(np.concatenate([r.features for r in rows]), axis=0)
    told = booster.dump_model()["tree_info"]
    forest = [json.dumps(nested(tree["tree_structure"], scale, shift / len(told))) for tree in told]
    head = json.dumps({"features": FEATURES, "usual": [round(float(x), 4) for x in usual]})
    text = head[:-1] + ', "trees": [\n' + ",\n".join(forest).replace(", ", ",") + "\n]}\n"
    (WEIGHTS / f"{name}.json").write_text(text, encoding="utf-8")


async def train(data: Path, pools: Path, seed: int) -> None:
    """Read, ask, fit, write."""
    started = time.time()
    forbidden = reporting_keys(data)
    embedder = CachedEmbedder(load_embedder(), pools)
    read = {name: read_training(data / file, forbidden) for name, file in SETS.items()}
    union = list({d.key: d for _, documents in read.values() for d in documents}.values())
    WEIGHTS.mkdir(exist_ok=True)
    write_terms(union)
    async with open_store(str(pools)) as store:
        whole = await ingest_pool(store, embedder, union)
        asked: list[Asked] = []
        for name, (questions, documents) in read.items():
            own = await ingest_pool(store, embedder, documents)
            asked += to_ask(name, questions, [own, whole], embedder)
        _say(started, f"{len(asked):,} searches in pools of up to {len(union):,} passages")
        first = [await first_rows(store, one) for one in asked]
        _say(started, "rows of the first pass")
        models = out_of_fold(first, FIRST, seed)
        one = figures(first, models)
        _say(started, json.dumps(one, indent=1))
        second = [await second_rows(store, r, _score(models[r.fold])) for r in asked]
        _say(started, "rows of the second pass")
    two = write_both(first, second, seed)
    _say(started, json.dumps(two, indent=1))
    counts = {name: (len(questions), len(documents)) for name, (questions, documents) in read.items()}
    told = card(counts, len(union), whole, seed, {**SETTINGS, "trees": ROUNDS}, one, two, time.time() - started)
    (WEIGHTS / "README.md").write_text(told, encoding="utf-8")


def write_both(first: Sequence[Rows], second: Sequence[Rows], seed: int) -> dict[str, dict[str, float]]:
    """Fit both passes on all rows and write their trees; figures of the second."""
    models = out_of_fold(second, SECOND, seed)
    write_trees("first", fit(first, FIRST, seed), first)
    write_trees("second", fit(second, SECOND, seed), second, *calibration(second, models))
    return figures(second, models)


def _score(booster: Any) -> Any:
    def score(rows: Floats) -> Floats:
        return np.asarray(booster.predict(rows), np.float32)

    return score


def _say(started: float, text: str) -> None:
    print(f"{time.time() - started:6.0f} s  {text}", flush=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Fit the learned ranker")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--pools", type=Path, default=cache_folder() / "training", help="where pools are kept")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    asyncio.run(train(given.data, given.pools, given.seed))


if __name__ == "__main__":
    main()
