"""Which files a list of paths stands for: folders recursively, in a stable order.

Knows suffixes, not contents. A path that was named and cannot be used is a failure; what merely lies in a folder and is
not ours (hidden files, other suffixes) is skipped and counted.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from stores.errors import InputError
from tools.formats import LONE_SURROGATE
from tools.loading import SUFFIXES, Failure, kind


@dataclass(slots=True)
class Sources:
    """Files to read, in order, and what was left out."""

    files: list[str] = field(default_factory=list)
    """Absolute paths, each once."""
    sizes: list[int] = field(default_factory=list)
    """Bytes of each on disk."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Reason → number of files."""
    failures: list[Failure] = field(default_factory=list)


def find_files(paths: Sequence[str]) -> Sources:
    """Files that `paths` stand for: a file is itself, a folder all files under it.

    Raises:
        InputError: no path given, one does not exist, or there is no file of a known kind under any of them.
    """
    if not paths:
        raise InputError("ingest: no path was given: name a file or a folder")
    found, seen = Sources(), set[str]()
    for path in paths:
        root = os.path.abspath(os.path.expanduser(path))
        if not os.path.exists(root):
            raise InputError(f"ingest: {path!r} does not exist: check the path; nothing was ingested")
        entries = _walk(root, found) if os.path.isdir(root) else _named(root, found)
        for file in entries:
            if not _is_unicode(file):
                found.failures.append(Failure(repr(file), "has a name that is not UTF-8: rename it"))
            elif file not in seen:
                seen.add(file)
                found.files.append(file)
                found.sizes.append(_size(file))
    if not found.files and not found.failures:
        left_out = ", ".join(f"{count} {reason}" for reason, count in found.skipped.most_common(5))
        raise InputError(
            f"ingest: {', '.join(map(repr, paths))} holds no file that can be ingested"
            f"{f' (skipped: {left_out})' if left_out else ''}: known are {', '.join(SUFFIXES)}, each also with .gz"
        )
    return found


def _is_unicode(path: str) -> bool:
    """Whether a store can keep the path; Python reads other bytes as half characters."""
    return path.isascii() or not LONE_SURROGATE.search(path)


def _size(path: str) -> int:
    """Bytes on disk; 0 for a file that has gone since, which reading it will say."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _named(path: str, found: Sources) -> Iterator[str]:
    """A file that was named itself."""
    if not os.path.isfile(path):
        found.failures.append(Failure(path, "is neither a file nor a folder"))
    elif not kind(path):
        found.failures.append(Failure(path, f"is of an unknown kind; known are {', '.join(SUFFIXES)}, each also .gz"))
    else:
        yield path


def _walk(folder: str, found: Sources) -> Iterator[str]:
    """Files under a folder, by name. A folder reached twice (a loop of links) is entered once."""
    entered, stack = {os.path.realpath(folder)}, [folder]
    while stack:
        here = stack.pop()
        if os.path.isdir(here):
            stack.extend(reversed(_listed(here, entered, found)))
        elif not os.path.isfile(here):
            found.skipped["broken link" if os.path.islink(here) else "not a regular file"] += 1
        elif not kind(here):
            found.skipped[os.path.splitext(here)[1].lower() or "without suffix"] += 1
        else:
            yield here


def _listed(folder: str, entered: set[str], found: Sources) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        found.failures.append(Failure(folder, f"cannot be read ({error.strerror})"))
        return []
    paths = []
    for name in names:
        path = os.path.join(folder, name)
        real = os.path.realpath(path)
        if name.startswith("."):
            found.skipped["hidden"] += 1
        elif os.path.isdir(path) and real in entered:
            found.skipped["folder linked twice"] += 1
        else:
            if os.path.isdir(path):
                entered.add(real)
            paths.append(path)
    return paths
