"""The README names every file, every setting and every command, and none that is gone."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import typer.main
from pydantic import BaseModel
from pydantic_settings import BaseSettings

from graph.checkpoints import CheckpointSettings
from graph.lookahead import graph
from graph.web.settings import WebSettings
from nodes.context import Context
from nodes.ingest_context import IngestContext
from prompts.plan import BUDGET_COST, repair

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FOLDERS = ("prompts", "stores", "models", "tools", "evaluation", "nodes", "graph", "tests", ".ci")


def section(title: str) -> str:
    """Text of a second-level section."""
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def listed_files() -> dict[str, str]:
    """Path -> what the README says of it: a tree of names indented by two under their folder's line."""
    files: dict[str, str] = {}
    folders: list[str] = []
    for line in section("Every file").split("```")[1].splitlines()[1:]:
        indent, name, said = re.fullmatch(r"( *)(\S+)(?: +(.*))?", line).groups()  # type: ignore[union-attr]
        folders[len(indent) // 2 :] = [name]
        files["".join(folders)] = said or ""
    return files


def files_to_list() -> set[str]:
    """What is checked in; of the tests only folders, and an `__init__.py` only where it does more than name it."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    names = listed.stdout.split() or [
        str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()
    ]
    files = [Path(name) for name in names if (ROOT / name).is_file() and "__pycache__" not in name]
    return {
        f"tests/{path.parts[1]}/" if path.parts[0] == "tests" and len(path.parts) > 2 else str(path)
        for path in files
        if path.name != "__init__.py" or len((ROOT / path).read_text().splitlines()) > 1
    }


def test_every_file_has_its_line() -> None:
    lines = {path: said for path, said in listed_files().items() if not path.endswith("/") or path.startswith("tests/")}
    lines.pop("tests/", None)
    assert sorted(files_to_list() - lines.keys()) == [], "files without a line in the README"
    assert sorted(lines.keys() - files_to_list()) == [], "lines in the README without a file"
    assert [path for path, said in lines.items() if not said] == [], "lines that say nothing"


@pytest.mark.parametrize("settings", [Context, IngestContext])
def test_every_knob_has_its_row(settings: type[BaseModel]) -> None:
    rows = [
        f"| `{name}` | {'' if field.default is None else f'`{field.default}`'} | {field.description} |"
        for name, field in settings.model_fields.items()
    ]
    assert [row for row in rows if row not in section("Settings")] == []


def test_every_variable_has_its_row_and_stands_in_the_example() -> None:
    settings: tuple[type[BaseSettings], ...] = (WebSettings, CheckpointSettings)
    example = (ROOT / ".env.example").read_text()
    for name in dict.fromkeys(name for kind in settings for name in kind.model_fields):
        assert f"| `{name.upper()}` |" in section("Settings")
        assert f"\n# {name.upper()}=" in example


def test_every_command_has_its_row() -> None:
    from graph.cli import app

    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    rows = set(re.findall(r"^\| `lookahead ([\w-]+)", section("Command line"), re.MULTILINE))
    assert rows == set(commands)


def test_every_make_target_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", README)) <= targets


def test_the_picture_is_the_graph() -> None:
    drawn = set(
        re.findall(r"^    (\w+)(?:\(.*?\))? --> (\w+)", README.split("```mermaid")[1].split("```")[0], re.MULTILINE)
    )
    real = {
        (
            edge.source.strip("_").upper() if "__" in edge.source else edge.source,
            edge.target.strip("_").upper() if "__" in edge.target else edge.target,
        )
        for edge in graph.get_graph().edges
    }
    assert drawn == real


def test_the_plan_shown_needs_no_repair() -> None:
    shown = json.loads(README.split("```json\n")[1].split("```")[0])
    plan, repairs = repair(shown, "Where was the author of The Old Man and the Sea born?", 8)
    assert repairs == []
    assert [node.op for node in plan.nodes] == ["lookup", "bridge"]
    assert re.findall(r"^\| `(\w+)` \|", section("Plans"), re.MULTILINE) == list(BUDGET_COST)
