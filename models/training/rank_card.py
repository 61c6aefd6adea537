"""The card of the ranker's weights: what they were trained on, how, and what they reach."""

import platform
from collections.abc import Mapping
from typing import Any

LICENCES = {"hotpotqa": "CC BY-SA 4.0", "2wikimultihopqa": "Apache-2.0", "musique": "CC BY 4.0"}
TEXT = """\
# The learned ranker

Written by `python -m models.training.fit_ranker --data DIR`; do not edit.

Gradient-boosted trees (LightGBM; log loss in the first pass, LambdaMART in the second), evaluated by `models/ranker.py`
with numpy alone: `first.json` and `second.json`, one for each pass of `tools/learned_ranking.py`, name the features
that they look at. `terms.json`: how many passages of the pool of all sets a stem stands in.

## Trained on

| set | questions | passages of its pool | licence |
|---|---|---|---|
{sets}

The pool of all sets holds {union:,} passages. Questions that stand in a `bench`, `dev` or `unanswerable` file were
dropped (`models/training/guard.py`). The trees hold no text of the sets; `terms.json` holds single words with counts.

Seed {seed}, {seconds:,.0f} s in all on {machine}, vectors of passages not counted where they were kept from before.
Settings: {settings}.

## Figures

Cross-validated over questions, in percent; each question asked in the pool named (without a name: that of its own set).

| set, way of searching, pool | questions | gold among candidates | first pass R@2 / R@5 | both passes R@2 / R@5 |
|---|---|---|---|---|
{rows}
"""
Figures = Mapping[str, Mapping[str, float]]


def card(
    counts: Mapping[str, tuple[int, int]],
    union: int,
    whole: str,
    seed: int,
    settings: Mapping[str, Any],
    first: Figures,
    second: Figures,
    seconds: float,
) -> str:
    """Markdown.

    Args:
        counts: for each set its questions and passages.
        union: passages of the pool of all sets.
        whole: its namespace.
        seed: of the training.
        settings: of LightGBM.
        first: figures of the first pass, by set, way of searching and pool.
        second: of the second.
        seconds: wall time.
    """
    sets = [
        f"| {name} | {questions:,} | {passages:,} | {LICENCES[name.split('/')[0]]} |"
        for name, (questions, passages) in counts.items()
    ]
    rows = [
        f"| {name.replace(whole, 'all sets').partition(', pool-')[0]} | {told['questions']:,.0f} "
        f"| {told['candidates']:.1f} | {_pair(first[name])} | {_pair(told)} |"
        for name, told in second.items()
    ]
    said = ", ".join(f"{name} {value}" for name, value in settings.items())
    return TEXT.format(
        sets="\n".join(sets),
        rows="\n".join(rows),
        union=union,
        seed=seed,
        seconds=seconds,
        machine=platform.machine(),
        settings=said,
    )


def _pair(told: Mapping[str, float]) -> str:
    return f"{told['recall@2']:.1f} / {told['recall@5']:.1f}"
