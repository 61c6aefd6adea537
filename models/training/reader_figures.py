"""Figures of readers on held-out questions: EM and F1 by set, calibration of what they say, time of a run.

Prints nothing: tables are lists of Markdown lines, for the terminal and for the model card alike.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.calibration import auroc, brier, ece
from models.reader import EmbeddedReader
from models.reader_model import HEADS, ReaderModel
from models.training.reader_cases import Case
from models.training.reader_data import best_f1, exact
from models.training.support_rows import RIGHT

Told = tuple[str, float]
"""An answer and its probability; the text is empty when there is none."""
LENGTHS = (150, 250, 384)
"""Tokens of the windows that are timed."""


def first(read: Sequence[Any]) -> Told:
    """The best of what was read."""
    return (read[0]["text"], read[0]["probability"]) if read else ("", 0.0)


def by_rules(case: Case) -> Told:
    """What the reader without a network answers."""
    return first(EmbeddedReader().read(case.example.question, case.example.passages, limit=1))


def by_network(case: Case) -> Told:
    """The network with nothing beside it: its kind, and its best span."""
    read = case.read
    kind = max(("span", read.span), ("yes", read.yes), ("no", read.no), key=lambda one: one[1])
    if kind[0] != "span" or not read.spans:
        return kind
    return read.spans[0].text, read.spans[0].probability * read.span


def table(found: Sequence[Case], told: Mapping[str, Sequence[Told]]) -> list[str]:
    """EM / F1 by set of each reader, on drawings that hold the answer, and the calibration of each on all."""
    lines = [f"| EM / F1 | {' | '.join(told)} | drawings |", "|---" * (len(told) + 2) + "|"]
    for name in dict.fromkeys(case.set for case in found):
        here = [n for n, case in enumerate(found) if case.set == name and case.answerable]
        cells = [
            f"{_mean(exact, found, said, here):.3f} / {_mean(best_f1, found, said, here):.3f}" for said in told.values()
        ]
        lines.append(f"| {name} | {' | '.join(cells)} | {len(here)} |")
    lines.append("")
    for reader, said in told.items():
        p = np.array([probability for _, probability in said])
        right = [c.answerable and best_f1(text, c.example) >= RIGHT for (text, _), c in zip(said, found, strict=True)]
        lines.append(f"- {reader}: {calibration(p, np.array(right, float))}")
    return lines


def _mean(
    metric: Callable[[str, Any], float], found: Sequence[Case], said: Sequence[Told], here: Sequence[int]
) -> float:
    return float(np.mean([metric(said[n][0], found[n].example) for n in here])) if here else float("nan")


def calibration(p: Any, right: Any) -> str:
    """Expected calibration error over ten equal bins, Brier score, AUROC (`evaluation.calibration`)."""
    figures = {"ECE": ece(p, right, bins=10), "Brier": brier(p, right), "AUROC": auroc(p, right)}
    told = [f"{name} {'–' if value is None else f'{value:.3f}'}" for name, value in figures.items()]
    return ", ".join([*told, f"{len(p)} answers"])


def times(folders: Mapping[str, Path], rounds: int = 15) -> list[str]:
    """Milliseconds of one run of each network (median), by length of the window and threads."""
    lines = [f"| window, threads | {' | '.join(folders)} |", "|---" * (len(folders) + 1) + "|"]
    for threads in (1, 2):
        sessions = [ReaderModel(folder, threads).session() for folder in folders.values()]
        for length in LENGTHS:
            cells = [f"{_median_ms(session, length, rounds):.0f} ms" for session in sessions]
            lines.append(f"| {length} tokens, {threads} | {' | '.join(cells)} |")
    return lines


def _median_ms(session: Any, length: int, rounds: int) -> float:
    ids = np.random.default_rng(0).integers(1000, 20_000, (1, length))
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    spent = []
    for _ in range(rounds):
        started = time.perf_counter()
        session.run(HEADS, feed)
        spent.append(1000 * (time.perf_counter() - started))
    return float(np.median(spent))
