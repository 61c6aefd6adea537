"""Which rows a benchmark has: methods, lookahead with one thing switched off, and experiments out of a file."""

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graph.bench.state import Variant
from graph.methods import method_of
from graph.yaml_file import read_yaml
from stores.errors import InputError

MAIN = "lookahead"
ABLATIONS: Mapping[str, Mapping[str, Any]] = {
    "prune": {"prune": False},
    "probe": {"probe": False},
    "bind": {"bind": False},
    "reader": {"reader": "rules"},
    "rerank": {"reranker": "rrf"},
    "compress": {"compress": False},
    "check": {"check": False},
    "fallback": {"fallback": False},
    "schedule": {"schedule": "sequential"},
}
"""What is switched off, and the settings that switch it off."""
FIELDS = ("name", "hypothesis", "method", "settings")


def variants_of(methods: Sequence[str], ablate: Sequence[str], experiments: str) -> list[Variant]:
    """The rows, in the order in which they are shown.

    Args:
        methods: names, aliases too.
        ablate: keys of `ABLATIONS`.
        experiments: path of a YAML file; empty for none.

    Raises:
        InputError: an unknown method or switch, two rows of one name, or a file that cannot be used.
    """
    names = dict.fromkeys(method_of(name) for name in methods)
    rows = [Variant(name=name, method=name, settings={}, hypothesis="") for name in names]
    rows += [_without(switch) for switch in dict.fromkeys(ablate)]
    rows += _read(Path(experiments)) if experiments else []
    if not rows:
        raise InputError("bench: there is no method to run: name some with --methods lookahead,standard_rag")
    twice = [name for name, count in Counter(row["name"] for row in rows).items() if count > 1]
    if twice:
        raise InputError(f"bench: two rows are called {twice[0]!r}: give the experiment another name")
    return rows


def _without(switch: str) -> Variant:
    if switch not in ABLATIONS:
        near = difflib.get_close_matches(switch, ABLATIONS, 1)
        guess = f", did you mean {near[0]!r}? Take" if near else "; take"
        raise InputError(f"--ablate: there is no {switch!r}{guess} some of {', '.join(ABLATIONS)}")
    return Variant(name=f"{MAIN} −{switch}", method=MAIN, settings=dict(ABLATIONS[switch]), hypothesis="")


def _read(path: Path) -> list[Variant]:
    value = read_yaml(path, "--experiments", "not YAML")
    if not isinstance(value, list) or not value:
        raise InputError(f"--experiments: {str(path)!r} must hold a list of {{name, hypothesis, method, settings}}")
    return [_experiment(entry, number, path) for number, entry in enumerate(value, 1)]


def _experiment(entry: Any, number: int, path: Path) -> Variant:
    def wrong(problem: str) -> InputError:
        return InputError(f"--experiments: entry {number} of {str(path)!r} {problem}")

    if not isinstance(entry, dict):
        raise wrong(f"is no mapping of {', '.join(FIELDS)}")
    if unknown := [key for key in entry if key not in FIELDS]:
        raise wrong(f"has {unknown[0]!r}; take {', '.join(FIELDS)}")
    name, settings = entry.get("name"), entry.get("settings") or {}
    if not isinstance(name, str) or not name.strip():
        raise wrong("has no name")
    if not isinstance(settings, dict):
        raise wrong(f"has settings {settings!r}; write fields of Context, as in {{top_k: 8}}")
    method = method_of(str(entry.get("method") or MAIN))
    return Variant(name=name.strip(), method=method, settings=settings, hypothesis=str(entry.get("hypothesis") or ""))
