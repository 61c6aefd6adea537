"""What a wheel must hold, and what a checkout must not."""

import ast
import importlib
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest
from langgraph.graph.state import CompiledStateGraph
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS = ("prompts", "stores", "models", "tools", "evaluation", "nodes", "graph")
OPTIONAL = {"bench", "parquet", "providers", "sentence-transformers", "serve", "studio", "train", "web-search"}


def checked_in() -> list[Path]:
    """Files of the repository; in a copy without git, those of the packages."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = [Path(name) for name in listed.stdout.splitlines()] or [
        path.relative_to(ROOT) for path in ROOT.rglob("[!.]*") if path.relative_to(ROOT).parts[0] in FOLDERS
    ]
    return [ROOT / name for name in names if (ROOT / name).is_file() and "__pycache__" not in name.parts]


def normal(requirement: str) -> str:
    """Name of a requirement as the index spells it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;]", requirement)[0]).lower()


def test_packages_are_those_of_the_tree() -> None:
    tree = {
        ".".join(path.parent.relative_to(ROOT).parts) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")
    }
    assert sorted(tree) == sorted(SETUPTOOLS["packages"])


def test_every_package_is_a_regular_one() -> None:
    assert [
        name for name in SETUPTOOLS["packages"] if not (ROOT / name.replace(".", "/") / "__init__.py").is_file()
    ] == []


def test_every_other_file_of_a_package_is_package_data() -> None:
    shipped = {
        path
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in (ROOT / package.replace(".", "/")).glob(pattern)
    }
    places = [path for path in checked_in() if path.relative_to(ROOT).parts[0] in FOLDERS and path.suffix != ".py"]
    others = [path for path in places if path != ROOT / "evaluation/RESULTS.md"]  # for readers of the repository
    assert others, "the sample and the weights are files of packages"
    assert [str(path.relative_to(ROOT)) for path in others if path not in shipped] == []


@pytest.mark.parametrize("name", ["lookahead", "ingest"])
def test_exported_graph_is_compiled_without_checkpointer_and_has_its_context(name: str) -> None:
    module, attribute = json.loads((ROOT / "langgraph.json").read_text())["graphs"][name]["path"].split(":")
    graph = getattr(importlib.import_module(module), attribute)
    assert isinstance(graph, CompiledStateGraph)
    assert graph.checkpointer is None
    assert graph.get_context_jsonschema()["properties"]


def third_party(path: Path) -> set[str]:
    roots = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            roots.add((node.module or "").split(".")[0])
    return roots - set(sys.stdlib_module_names) - set(FOLDERS)


def test_what_is_imported_is_declared() -> None:
    """Each import is a dependency of our own, in the core or in an extra, not only a dependency's dependency."""
    extras = PROJECT["project"]["optional-dependencies"]
    declared = {
        normal(line) for line in [*PROJECT["project"]["dependencies"], *(r for e in OPTIONAL for r in extras[e])]
    }
    installed = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)} imports {root}"
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for root in third_party(path)
        if not declared & {normal(name) for name in [root, *installed.get(root, [])]}
    }
    assert undeclared == set()


def test_every_dependency_is_pinned() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[^\s;@]+( ; .+)?", line)] == []
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = {normal(line) for group in [PROJECT["project"]["dependencies"], *extras.values()] for line in group}
    assert wanted - {normal(line) for line in lines} == {"lookahead-rag"}


def test_no_path_of_somebodys_machine() -> None:
    """Nothing in the repository names a folder that only one machine has."""
    private = re.compile(r"(?<![\w.~])/(?:work|root|home(?!/you/)|Users|mnt|opt)/\w")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in checked_in()
        if path.suffix in {".py", ".md", ".toml", ".json", ".txt", ".yaml", ""} and path != Path(__file__)
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if private.search(line)
    ]
    assert found == []


def test_every_pinned_package_runs_on_the_oldest_python_that_the_project_names() -> None:
    """A pin that wants a later patch of it leaves pip without a solution, as on Debian 12, whose Python is 3.11.2."""
    oldest = f"{PROJECT['project']['requires-python'].removeprefix('>=')}.0"
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {normal(pin) for pin in pins if not pin.startswith("#")}
    asked = {one.name: one.metadata.get("Requires-Python", "") for one in distributions() if normal(one.name) in pinned}
    assert len(asked) > 20
    assert {name: python for name, python in asked.items() if not SpecifierSet(python).contains(oldest)} == {}
