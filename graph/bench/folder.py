"""The folder of a run: what is in it, whether a run may go on in it, and what was done there already.

Each prediction carries the fingerprint of what it was made with: settings, models, corpus, questions, code. A run goes
on where the fingerprints agree; answers made otherwise are never mixed in. Everything here blocks: call it in a thread.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import graph
from evaluation.datasets.records import Question
from graph.bench.locking import hold, released_on_error
from stores.errors import InputError, StoreError

RUN = "run.json"
QUESTIONS = "questions.jsonl"
PREDICTIONS = "predictions.jsonl"
LATENCY = "latency.jsonl"
OWN = (RUN, QUESTIONS, PREDICTIONS, LATENCY, "judgements.jsonl", "results.json", "report.md", "report.html")
"""What a run writes, but for pictures: thrown away before one that begins anew."""
ROOT = Path(graph.__file__).parents[1]
ANSWERING = (
    "prompts/*.py",
    "stores/*.py",
    "models/*.py",
    "models/weights/**/*",
    "tools/*.py",
    "nodes/*.py",
    "graph/*.py",
)
"""Files that an answer may depend on."""
APART = ("graph/benchmark.py", "graph/api.py", "graph/results.py")
"""Files among them on which none does."""

Parts = Mapping[str, Any]
"""What an answer was made with: readable, JSON."""


@cache
def code_version(patterns: tuple[str, ...] = ANSWERING) -> str:
    """Hash of the code and weights that answers depend on; reports, tests and the command line are left out."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}):
        name = path.relative_to(ROOT).as_posix()
        if name not in APART and not name.endswith(".pyc"):
            digest.update(name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def fingerprint(parts: Parts) -> str:
    """Short name of what an answer was made with.

    >>> fingerprint({"top_k": 5}) == fingerprint({"top_k": 5}) != fingerprint({"top_k": 8})
    True
    """
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=8).hexdigest()


def open_folder(folder: Path, made_with: Mapping[str, Parts], *, fresh: bool) -> None:
    """Make the folder ready for a run, or for one that goes on; from here on this process holds it (`locking`).

    Args:
        folder: made where it does not exist.
        made_with: of each variant, what its answers are made with.
        fresh: throw away what another run has left.

    Raises:
        InputError: another process writes into it, or it holds answers of one of the variants that were made otherwise.
        StoreError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        hold(folder)
        with released_on_error(folder):
            _begin(folder, made_with, fresh)
    except OSError as error:
        raise StoreError(f"bench: the folder {str(folder)!r} cannot be written: {error.strerror}") from error


def _begin(folder: Path, made_with: Mapping[str, Parts], fresh: bool) -> None:
    if fresh:
        for name in OWN:
            (folder / name).unlink(missing_ok=True)
    known = _known(folder)
    held = {str(row["method"]) for name in (PREDICTIONS, LATENCY) for row in _rows(folder / name)}
    for variant, parts in made_with.items():
        if variant in held and known.get(variant) != parts:
            raise InputError(
                f"bench: {str(folder)!r} holds answers of {variant!r} that were made otherwise "
                f"({difference(known.get(variant), parts)}): name another folder with --out, or begin anew with --fresh"
            )
    write_whole(folder / RUN, json.dumps({"made_with": {**known, **made_with}}, indent=1, ensure_ascii=False))


def _known(folder: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((folder / RUN).read_text(encoding="utf-8"))["made_with"])
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"bench: {str(folder / RUN)!r} cannot be read: name another folder with --out, or begin anew with --fresh"
        ) from None


def read_made_with(folder: Path) -> dict[str, Any]:
    """What the answers of each variant are made with, as the run began."""
    return _known(folder)


def difference(old: Any, new: Any, name: str = "") -> str:
    """The first thing in which what answers were made with differs.

    >>> difference({"settings": {"top_k": 5}}, {"settings": {"top_k": 8}})
    'settings.top_k was 5 and is 8'
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            if old.get(key) != new.get(key):
                return difference(old.get(key), new.get(key), f"{name}.{key}".lstrip("."))
    if old is None and not name:
        return f"{RUN} does not say how"
    return "the program has changed since" if name == "code" else f"{name} was {old!r} and is {new!r}"


def write_whole(path: Path, text: str) -> None:
    """Write a file in one move: it is never there half."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, encoding="utf-8", errors="replace")
    draft.replace(path)


def write_questions(folder: Path, questions: Iterable[Question]) -> None:
    """Keep the questions that are asked, so that every step, and a run that goes on, reads the same ones."""
    lines = (json.dumps(question, ensure_ascii=False) + "\n" for question in questions)
    write_whole(folder / QUESTIONS, "".join(lines))


def read_questions(folder: Path) -> Iterator[Question]:
    """The questions that are asked, one at a time, in their order."""
    with (folder / QUESTIONS).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def done(path: Path, fingerprints: Mapping[str, str]) -> set[tuple[str, str]]:
    """(variant, question id) of the rows that stand: of these fingerprints, and not of runs that raised."""
    found: set[tuple[str, str]] = set()
    for row in _rows(path):
        key = (row["method"], row["id"])
        if fingerprints.get(row["method"]) == row.get("fingerprint") and not row.get("error"):
            found.add(key)
        else:
            found.discard(key)
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a file, one at a time; a line that a kill cut off is passed over, as `append_row` will mend it."""
    if not path.exists():
        return
    with path.open("rb") as lines:
        for line in lines:
            with suppress(ValueError):
                yield json.loads(line)
