"""A sample of a question set that is the same on every machine and for every version of Python."""

from collections.abc import Sequence
from hashlib import blake2b

from evaluation.datasets.records import Question
from stores.errors import InputError


def sample(questions: Sequence[Question], n: int | None = None, seed: int = 0) -> list[Question]:
    """The `n` questions whose id, hashed together with the seed, comes first; all of them when there are no more.

    Drawn by hash and not by `random`: the sample does not depend on the order of the file, a smaller sample is the
    beginning of a larger one, and a question set that grows keeps most of its sample.

    Raises:
        InputError: `n` is below 1.
    """
    if n is not None and n < 1:
        raise InputError(f"datasets: a sample of {n!r} questions cannot be drawn: take 1 or more")
    if n is None or n >= len(questions):
        return list(questions)
    return sorted(questions, key=lambda question: _rank(question["id"], seed))[:n]


def _rank(identity: str, seed: int) -> bytes:
    return blake2b(f"{seed} {identity}".encode(), digest_size=16).digest()
