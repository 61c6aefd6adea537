"""The wheel holds all it needs: installed in a fresh environment, it answers a question from an empty folder.

It also holds the two promises of the default install: no torch, and no more than 500 MB.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("prompts", "stores", "models", "tools", "evaluation", "nodes", "graph")
MAX_MEGABYTES = 500


def run(*command: str | Path, cwd: Path) -> str:
    """Output of a command that must succeed, in an environment that knows nothing of this checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and nothing else of ours."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in (*FOLDERS, "pyproject.toml", "README.md", "LICENSE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    pip = ("-m", "pip", "--disable-pip-version-check")
    run(sys.executable, *pip, "wheel", "--no-deps", "--wheel-dir", folder, source, cwd=folder)
    run(sys.executable, "-m", "venv", folder / "env", cwd=folder)
    python = folder / "env/bin/python"
    (wheel,) = folder.glob("*.whl")
    run(python, *pip, "install", "--constraint", ROOT / "constraints.txt", wheel, cwd=folder)
    return folder / "env"


def as_json(installed: Path, cwd: Path, *arguments: str | Path) -> Any:
    return json.loads(run(installed / "bin/lookahead", *arguments, "--json", cwd=cwd))


def test_it_answers_from_an_empty_folder(installed: Path, own_folders: Path) -> None:
    where = "from evaluation.sample import passages_path; print(passages_path())"
    sample = Path(run(installed / "bin/python", "-c", where, cwd=own_folders).strip())
    assert sample.is_relative_to(installed)

    as_json(installed, own_folders, "ingest", sample)
    embedded = ("--set", "planner=embedded", "--set", "synthesizer=embedded")
    result = as_json(installed, own_folders, "ask", "Where was the author of The Old Man and the Sea born?", *embedded)

    assert result["answer"].startswith("Oak Park")
    assert "Ernest Hemingway" in [citation["title"] for citation in result["citations"]]


def test_the_default_install_is_small_and_has_no_torch(installed: Path) -> None:
    files = [path for path in installed.rglob("*") if path.is_file() and not path.is_symlink()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    assert megabytes <= MAX_MEGABYTES
    assert not list(installed.glob("lib/python*/site-packages/torch"))
