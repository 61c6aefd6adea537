"""The import table of the layout: a folder imports only the folders named behind it, and there are no circles."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAY_IMPORT = {
    "prompts": set(),
    "stores": set(),
    "models": {"prompts", "stores"},
    "tools": {"prompts", "stores", "models"},
    "evaluation": {"prompts", "stores", "models", "tools"},
    "nodes": {"prompts", "stores", "models", "tools"},
    "graph": {"prompts", "stores", "models", "tools", "evaluation", "nodes"},
}
COMMANDS = "models.training"
"""The exception: these may import everything, and nothing imports them."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for folder in MAY_IMPORT for path in sorted((ROOT / folder).rglob("*.py"))}


def imports(source: str, *, at_import_only: bool = False) -> Iterator[str]:
    """Dotted names that a module's source imports; a relative import comes out with its dots."""
    tree = ast.parse(source)
    for node in tree.body if at_import_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from (f"{base}.{alias.name}" for alias in node.names)


def wrong(module: str, imported: str) -> str | None:
    """What is wrong with this import, or None."""
    folder, target = module.split(".")[0], imported.split(".")[0]
    if imported.startswith("."):
        return "relative import: write the full name"
    if f"{imported}.".startswith(f"{COMMANDS}.") and not f"{module}.".startswith(f"{COMMANDS}."):
        return f"nothing imports {COMMANDS}"
    if f"{module}.".startswith(f"{COMMANDS}.") or target == folder or target not in {*MAY_IMPORT, "tests"}:
        return None
    return None if target in MAY_IMPORT[folder] else f"{folder} may import only {sorted(MAY_IMPORT[folder])}"


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_what_the_table_allows(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {imported}: {why}"
        for module, path in MODULES.items()
        if module.split(".")[0] == folder
        for imported in imports(path.read_text())
        if (why := wrong(module, imported))
    ]
    assert found == []


def test_no_circles() -> None:
    edges = {
        module: {
            target
            for imported in imports(path.read_text(), at_import_only=True)
            for target in (imported, imported.rpartition(".")[0])
            if target in MODULES and target != module
        }
        for module, path in MODULES.items()
    }
    TopologicalSorter(edges).prepare()  # raises CycleError with the circle in it


@pytest.mark.parametrize(
    ("module", "imported", "complaint"),
    [
        ("prompts.plan", "stores.records.Passage", "may import only"),
        ("nodes.prune", "graph.api.ask", "may import only"),
        ("nodes.prune", "evaluation.metrics.f1", "may import only"),
        ("stores.base", "tests.fakes", "may import only"),
        ("graph.api", "models.training.reader.main", "nothing imports"),
        ("graph.api", ".lookahead.graph", "relative"),
        ("graph.api", "nodes.state.State", None),
        ("models.training.reader", "graph.api.ask", None),
        ("stores.base", "numpy.ndarray", None),
    ],
)
def test_the_rule_itself(module: str, imported: str, complaint: str | None) -> None:
    said = wrong(module, imported)
    assert said == complaint if complaint is None else complaint in str(said)
