"""The pinned packages: what they ask of Python must be no more than the project itself does."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]


def test_every_pinned_package_runs_on_the_oldest_python_that_the_project_names() -> None:
    """A pin that wants a later patch of it leaves pip without a solution, as on Debian 12, whose Python is 3.11.2."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    oldest = f"{told.removeprefix('>=')}.0"
    pinned = set(re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE))
    names = {name.lower().replace("_", "-") for name in pinned}
    asked = {
        one.name: one.metadata["Requires-Python"]
        for one in importlib.metadata.distributions()
        if one.name.lower().replace("_", "-") in names and one.metadata["Requires-Python"]
    }
    assert len(asked) > 20
    assert {name: python for name, python in asked.items() if not SpecifierSet(python).contains(oldest)} == {}
