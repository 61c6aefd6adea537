"""Questions held out from the reader's training, drawn with passages, and read once by rules and network.

For fitting and measuring what is put on top of the network (`models.training.fit_trained_reader`): only questions that
`reader_examples.split` kept from it, and none that is kept for reporting.
"""

import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evaluation.datasets.loading import question_key
from models.pages import open_pages
from models.question_view import view
from models.reader_combining import Answer, combined
from models.reader_nbest import Reading
from models.span_features import Scene
from models.trained_reader import TrainedReader
from models.training.reader_data import Example, passage
from models.training.reader_examples import Source, draw
from models.training.reader_sources import training_set

DRAWS: Mapping[str, tuple[int, int, float]] = {
    "hotpotqa": (10_000, 3, 1.5),
    "2wiki": (10_000, 3, 1.0),
    "musique": (10_000, 3, 2.0),
    "hop": (10_000, 2, 1.0),
    "squad": (250, 1, 1.0),
    "nq": (250, 1, 1.0),
    "boolq": (80, 1, 0.5),
}
"""Set → (most questions, drawings of each, weight of one in the fit)."""
FOLDS = 3


class Case(NamedTuple):
    """One drawing of a question; without an answer its passages do not hold one."""

    set: str
    example: Example
    answerable: bool
    scene: Scene
    read: Reading
    answers: list[Answer]
    """What network and rules offer, where a span is asked for."""
    weight: float
    fold: int


def cases(data: Path, reader: TrainedReader, seed: int = 5, share: float = 1.0) -> list[Case]:
    """Draw and read.

    Args:
        data: folder of the data sets.
        reader: whose network reads; its fitted weights are not used.
        seed: of the drawing.
        share: of the questions, to try things.
    """
    rng = random.Random(seed)
    held = [one for one in training_set(data, 1)[1] if one.set in DRAWS]
    rng.shuffle(held)
    found = []
    for name, (most, times, weight) in DRAWS.items():
        chosen = [one for one in held if one.set == name][:most]
        for source in chosen[: max(1, round(len(chosen) * share))]:
            found += [_case(source, reader, rng, weight, none=0.0 if n == 0 else 0.25) for n in range(times)]
    return found


def _case(source: Source, reader: TrainedReader, rng: random.Random, weight: float, none: float) -> Case:
    drawn = draw(source, rng, none=none)
    passages = tuple(passage(text.title, text.text, number) for number, text in enumerate(drawn.passages))
    example = Example(source.question, source.answers, passages)
    scene = Scene(view(source.question), open_pages(passages))
    fold = hashlib.blake2b(question_key(source.question).encode(), digest_size=2, salt=b"fold").digest()[0] % FOLDS
    read = reader.reading(source.question, passages)
    answers = combined(scene, read) if kind_of(scene) == "span" else []
    return Case(source.set, example, drawn.kind != "none", scene, read, answers, weight, fold)


def kind_of(scene: Scene) -> str:
    """What is wanted as the reader takes it: "yes_no", "choice" or "span"."""
    return scene.question.wanted if scene.question.wanted in ("yes_no", "choice") else "span"


def kinds(found: Sequence[Case]) -> Mapping[str, list[Case]]:
    """Cases by `kind_of`."""
    apart: dict[str, list[Case]] = {"yes_no": [], "choice": [], "span": []}
    for case in found:
        apart[kind_of(case.scene)].append(case)
    return apart
