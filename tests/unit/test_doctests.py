"""The examples in docstrings are tests."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("prompts", "stores", "models", "tools", "nodes", "evaluation", "graph")
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_hold(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0
