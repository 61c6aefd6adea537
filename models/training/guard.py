"""Which questions may never be trained on: those of the files that are kept for reporting.

Every command of this folder that trains calls `reporting_keys` and drops a question whose
`evaluation.datasets.loading.question_key` is in it, whatever file the question comes from: the public sets overlap.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from evaluation.datasets.loading import question_key, question_keys
from stores.errors import InputError

REPORTING = (
    "hotpotqa/bench.json.gz",
    "2wikimultihopqa/dev.json.gz",
    "musique/dev.jsonl.gz",
    "musique/unanswerable.jsonl.gz",
    "squad/dev.json.gz",
    "nq_qed/dev.json.gz",
)
"""Files for reporting, beneath the folder of the data sets."""
STEPS = ("musique/dev.jsonl.gz", "musique/unanswerable.jsonl.gz")
"""Those whose questions are put together of single hops, each with a number of its own in all files of the set."""


def reporting_keys(data: Path) -> set[str]:
    """Keys of every question that is kept for reporting, and of the single hops that such questions are made of.

    Args:
        data: the folder of the data sets, as its README lays it out.

    Raises:
        InputError: one of the files is missing or cannot be read: training must not go on without it.
    """
    missing = [name for name in REPORTING if not (data / name).is_file()]
    if missing:
        raise InputError(
            f"training: {str(data)!r} lacks {', '.join(missing)}: its questions must be known, so that none of them "
            "is trained on; give the folder of the data sets with --data"
        )
    steps = {question_key(question) for _, question in _steps(data)}
    return steps.union(*(question_keys(data / name) for name in REPORTING))


def reporting_hops(data: Path) -> set[str]:
    """Names (as `musique_hop` makes them) of the single hops that questions kept for reporting are made of.

    Args:
        data: the folder of the data sets.
    """
    return {name for name, _ in _steps(data)}


def musique_hop(number: int) -> str:
    """The name of a single hop of MuSiQue."""
    return f"musique {number}"


def _steps(data: Path) -> Iterator[tuple[str, str]]:
    for name in STEPS:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                for step in json.loads(line)["question_decomposition"]:
                    yield musique_hop(step["id"]), step["question"]
