"""Which file of questions is meant, and what it is. Blocks: call it in a thread."""

from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from evaluation.datasets.catalogue import SOURCES, fetched_files
from evaluation.datasets.files import sha256
from evaluation.datasets.loading import LAYOUTS, SUFFIXES, known_layout, layout_of
from stores.errors import InputError


class QuestionFile(NamedTuple):
    """A file of questions."""

    path: Path
    layout: str
    name: str
    """Of the set, for people and folders."""
    sha256: str


def find(file: str, dataset: str) -> QuestionFile:
    """The file that is named, else the fetched one of the set.

    Args:
        file: a path; empty to take a fetched set.
        dataset: a layout or auto; without a file the name of a set that was fetched.

    Raises:
        InputError: there is no such file or set, or it holds no questions of a known layout.
    """
    path = Path(file) if file else _fetched(dataset)
    layout = known_layout(dataset if file or dataset in LAYOUTS else "auto") or layout_of(path)
    name = SUFFIXES.sub("", path.name)
    folder = path.resolve().parent.name
    return QuestionFile(path, layout, f"{folder}-{name}" if folder else name, sha256(path))


def _fetched(dataset: str) -> Path:
    if dataset == "auto":
        raise InputError("bench: there is no file of questions: name one with --file, or a fetched set with --dataset")
    for source in SOURCES:
        if source.name == dataset.lower():
            path = fetched_files(source)[0]
            if path.exists():
                return path
            raise InputError(
                f"bench: {dataset!r} is not there yet: fetch it with `lookahead datasets fetch {source.name}`, or name "
                "a file with --file"
            )
    close = get_close_matches(dataset.lower(), [source.name for source in SOURCES], 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise InputError(
        f"bench: there is no set {dataset!r}: {hint}name a file with --file, or one of `lookahead datasets list`"
    )
