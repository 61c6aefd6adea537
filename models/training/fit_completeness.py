"""Fit how a found set of passages tells that something is missing: `python -m models.training.fit_completeness`.

    python -m models.training.fit_completeness --data DIR [--seed 5] [--write]

Every question is asked twice of a corpus of its own, as `lookahead` answers it: once with all its passages among
others, once with one of them taken away at random, as MuSiQue's unanswerable questions are made (Trivedi et al., TACL
2022). A logistic model tells the two apart. Single questions (SQuAD, NQ, single hops) stand beside those of several
hops. Figures are of five-fold cross-validation over questions. Needs scipy (extra `train`).
"""

import argparse
import asyncio
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation.calibration import auroc, brier
from graph.lookahead import build
from models.completeness import WEIGHTS, completeness_features
from models.embedder import Embedder, load_embedder
from models.span_features import Feature
from models.supporting import logistic
from models.training.logistic import Weights, fit_logistic
from models.training.rank_corpora import ingest_pool
from models.training.reader_examples import Source, Text
from models.training.reader_sources import training_set
from models.user_cache import cache_folder
from models.vector_cache import CachedEmbedder
from nodes.check import searched
from nodes.context import Context
from nodes.deps import Deps
from stores.records import Document
from tools.retrieval import hash_text

WANTED = {"hotpotqa": 400, "2wiki": 200, "musique": 150, "hop": 150, "nq": 100, "squad": 100}
"""Questions of a set at most."""
OTHERS = 18
"""Passages beside a question's own at most."""
FEWEST = 5
FOLDS = 5
PRIOR = 0.8
"""Share of questions that have all they need, as the weights are written; half of those that they are fitted on do."""
AT_ONCE = 2
CARD = """\
# Completeness

Written by `python -m models.training.fit_completeness`; do not edit. `completeness.json`: weights of a logistic model
over the features of `models/completeness.py`. Under the licence of this project; the questions it was fitted on are
those of the ranker and the reader. Figures are of five-fold cross-validation over questions, half of the runs lacking a
passage; the ranker has seen many of the questions of several hops, so theirs are rather too high. As written, four of
five questions are taken to have all they need.

{figures}
"""


class Row(NamedTuple):
    """A question with all its passages, or with one missing."""

    source: Source
    complete: bool
    features: list[Feature]


def main() -> None:
    """Ask, fit, show, and with --write keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="keep the weights and their card")
    given = parser.parse_args()
    started = time.perf_counter()
    rows = asyncio.run(ask(chosen(given.data, given.seed), random.Random(given.seed)))
    figures = [*table(rows), "", f"{len(rows):,} runs in {time.perf_counter() - started:.0f} s, seed {given.seed}."]
    print("\n".join(figures))
    if given.write:
        weights = fit(rows)
        for name in ("one", "several"):
            weights[name] += math.log(PRIOR / (1 - PRIOR))
        told = {name: round(value, 4) for name, value in sorted(weights.items())}
        WEIGHTS.parent.mkdir(exist_ok=True)
        WEIGHTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        (WEIGHTS.parent / "README.md").write_text(CARD.format(figures="\n".join(figures)), encoding="utf-8")
        print(f"{WEIGHTS}: written")


def chosen(data: Path, seed: int) -> list[Source]:
    """Questions with enough passages beside their own; those held out from the reader's training come first."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    found: dict[str, Source] = {}
    for part in reversed(training_set(data, 1)):
        for source in rng.sample(part, len(part)):
            fits = source.gold and len(source.others) >= FEWEST and counts[source.set] < WANTED.get(source.set, 0)
            if fits and source.question not in found:
                found[source.question] = source
                counts[source.set] += 1
    return list(found.values())


async def ask(questions: Sequence[Source], rng: random.Random) -> list[Row]:
    """Each with all its passages and with one missing, as the default settings answer."""
    told = [
        (source, gold)
        for source in questions
        for gold in (source.gold, _without(source.gold, rng.randrange(len(source.gold))))
    ]
    free = asyncio.Semaphore(AT_ONCE)
    with tempfile.TemporaryDirectory() as folder:
        embedder = CachedEmbedder(load_embedder(), cache_folder() / "training")
        async with Deps(folder) as deps:
            lookahead = build(deps)

            async def one(number: int, source: Source, gold: tuple[Text, ...]) -> Row:
                async with free:
                    if number % 100 == 0:
                        print(f"asking: {number:,} of {len(told):,}", file=sys.stderr, flush=True)
                    return await _row(lookahead, deps, embedder, source, gold)

            return list(await asyncio.gather(*(one(number, *each) for number, each in enumerate(told))))


async def _row(lookahead: Any, deps: Deps, embedder: Embedder, source: Source, gold: tuple[Text, ...]) -> Row:
    texts = [*gold, *[one for one in source.others if one not in source.gold][:OTHERS]]
    documents = [Document(hash_text(f"{one.title}\n{one.text}"), one.title, one.text) for one in texts]
    namespace = await ingest_pool(await deps.store(), embedder, documents)
    context = Context(planner="embedded", synthesizer="embedded", namespace=namespace)
    state = await lookahead.ainvoke({"question": source.question}, context=context)
    features = completeness_features(source.question, searched(state), state["evidence"])
    return Row(source, len(gold) == len(source.gold), features)


def _without(gold: tuple[Text, ...], number: int) -> tuple[Text, ...]:
    return gold[:number] + gold[number + 1 :]


def fit(rows: Sequence[Row]) -> Weights:
    """Logistic regression; every set counts as its root of questions, so that no set speaks alone."""
    counts = Counter(row.source.set for row in rows)
    weights = [counts[row.source.set] ** -0.5 for row in rows]
    return fit_logistic([row.features for row in rows], [float(row.complete) for row in rows], weights)


def table(rows: Sequence[Row]) -> list[str]:
    """Figures by set as lines of Markdown."""
    folds = [int(hash_text(row.source.question), 16) % FOLDS for row in rows]
    told = [0.0] * len(rows)
    for fold in range(FOLDS):
        weights = fit([row for row, at in zip(rows, folds, strict=True) if at != fold])
        for number, (row, at) in enumerate(zip(rows, folds, strict=True)):
            if at == fold:
                told[number] = logistic(row.features, weights)
    lines = [
        "| set | questions | AUROC | Brier | mean with all / one missing |",
        "|---|---|---|---|---|",
    ]
    asked = {row.source.set for row in rows}
    for name in [*(name for name in WANTED if name in asked), ""]:
        here = [number for number, row in enumerate(rows) if name in ("", row.source.set)]
        p, label = [told[number] for number in here], [float(rows[number].complete) for number in here]
        means = " / ".join(f"{np.mean([x for x, y in zip(p, label, strict=True) if y == side]):.2f}" for side in (1, 0))
        lines.append(
            f"| {name or 'all'} | {len(here) // 2} | {auroc(p, label):.3f} | {brier(p, label):.3f} | {means} |"
        )
    return lines


if __name__ == "__main__":
    main()
