"""Fit the learned ranker and write `models/weights/ranker/`.

    python -m models.training.fit_ranker --data DIR [--pools FOLDER] [--seed 7]

DIR holds hotpotqa/{tune,train,dev_fullwiki_retrieved}.json.gz, 2wikimultihopqa/train.json.gz, musique/train.jsonl.gz in
their official layouts, and the files kept for reporting, whose questions are dropped (`models.training.guard`). Pools
are kept in FOLDER, so that a second run embeds nothing. Two models are fitted, one for each pass
(`tools.learned_ranking`); the second sees what the first thinks of questions that it was not fitted on. Figures are
those of cross-validation over questions. Needs lightgbm (extra `train`).
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
SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.06,
    "num_leaves": LEAVES - 1,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
}
ROUNDS = 250


def write_terms(documents: Sequence[Document]) -> None:
    """The table of how many passages each stem stands in; before anything asks how rare a word is."""
    counts = Counter(key for d in documents for key in terms(passage_text(d.title, d.text)).stems)
    kept = {key: count for key, count in sorted(counts.items()) if count >= LEAST}
    told = {"passages": len(documents), "least": LEAST, "counts": kept}
    TABLE.write_text(json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def fit(rows: Sequence[Rows], seed: int) -> Any:
    """A LightGBM booster."""
    import lightgbm

    data = lightgbm.Dataset(np.concatenate([r.features for r in rows]), np.concatenate([r.labels for r in rows]))
    fixed = {"seed": seed, "deterministic": True, "force_row_wise": True, "verbose": -1}
    return lightgbm.train({**SETTINGS, **fixed}, data, ROUNDS)


def out_of_fold(rows: Sequence[Rows], seed: int) -> list[Any]:
    """For each fold a model that has not seen its questions."""
    return [fit([r for r in rows if r.asked.fold != fold], seed) for fold in range(FOLDS)]


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


def nested(node: dict[str, Any]) -> Any:
    """A node of a dumped booster as `models.ranker.from_splits` takes it."""
    if "leaf_value" in node:
        return float(f"{node['leaf_value']:.5g}")
    # Features are fp32: the largest fp32 number that is not above the threshold divides them as the threshold does.
    threshold = np.float32(node["threshold"])
    if float(threshold) > node["threshold"]:
        threshold = np.nextafter(threshold, np.float32(-np.inf))
    sides = nested(node["left_child"]), nested(node["right_child"])
    return [node["split_feature"], float(str(threshold)), *sides]


def write_trees(name: str, booster: Any, rows: Sequence[Rows]) -> None:
    """The booster as JSON, a tree a line."""
    usual = np.median(np.concatenate([r.features for r in rows]), axis=0)
    forest = [json.dumps(nested(tree["tree_structure"])) for tree in booster.dump_model()["tree_info"]]
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
        models = out_of_fold(first, seed)
        one = figures(first, models)
        _say(started, json.dumps(one, indent=1))
        second = [await second_rows(store, r, _score(models[r.fold])) for r in asked]
        _say(started, "rows of the second pass")
    two = figures(second, out_of_fold(second, seed))
    _say(started, json.dumps(two, indent=1))
    for name, rows in (("first", first), ("second", second)):
        write_trees(name, fit(rows, seed), rows)
    counts = {name: (len(questions), len(documents)) for name, (questions, documents) in read.items()}
    told = card(counts, len(union), whole, seed, {**SETTINGS, "trees": ROUNDS}, one, two, time.time() - started)
    (WEIGHTS / "README.md").write_text(told, encoding="utf-8")


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
