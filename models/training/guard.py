"""Which questions may never be trained on: those of the files that are kept for reporting.

Every command of this folder that trains calls `reporting_keys` and drops a question whose
`evaluation.datasets.loading.question_key` is in it, whatever file the question comes from: the public sets overlap.
"""

from pathlib import Path

from evaluation.datasets.loading import question_keys
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


def reporting_keys(data: Path) -> set[str]:
    """Keys of every question that is kept for reporting.

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
    return set().union(*(question_keys(data / name) for name in REPORTING))
