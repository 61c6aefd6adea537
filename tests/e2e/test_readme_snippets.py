"""What the README shows, done in its order: the commands print what it says, then its Python runs as one session.

It begins where a newcomer does: in a clone, with an empty default store and nothing in the environment.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SHOWN = re.findall(r"^\$ (.*)\n((?:[^$\n].*\n|\n)*)", README.split("```console\n")[1].split("```")[0], re.MULTILINE)
"""The commands at the top with what they print."""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the clone, without a developer's `.env`; the folder beside it is for what is stored."""
    folder = tmp_path_factory.mktemp("newcomer") / "clone"
    folder.mkdir()
    (folder / "evaluation").symlink_to(ROOT / "evaluation")
    return folder


def run(clone: Path, *command: str) -> str:
    private = ("GROQ_", "OLLAMA_", "NEO4J_", "LOOKAHEAD_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(private)}
    folders = {name: str(clone.parent / name) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    environment |= {**folders, "PYTHONPATH": str(ROOT), "LOOKAHEAD_AUTO": "embedded"}  # whatever runs on this machine
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", *command],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def printed(clone: Path) -> list[str]:
    """What the commands at the top print, one after the other."""
    lines = [shlex.split(line) for line, _ in SHOWN]
    assert [words[:2] for words in lines] == [["lookahead", "ingest"], ["lookahead", "ask"]]
    return [run(clone, "from graph.cli import main; main()", *words[1:]) for words in lines]


def words(printed: str) -> str:
    """The words of what is printed: no figures, line ends or address, and of the timings only that they are there."""
    return re.sub(r"\d[\d.]*|(?<=' of )/\S+|(?<=LLM call) ·.*", "0", " ".join(printed.split()))


def test_the_commands_at_the_top_print_what_is_shown(printed: list[str]) -> None:
    assert [words(shown) for _, shown in SHOWN] == [words(real) for real in printed]


@pytest.mark.usefixtures("printed")
def test_snippets_run_and_print_the_answer(clone: Path) -> None:
    assert len(SNIPPETS) == README.count("```python")
    said = run(clone, "\n".join(SNIPPETS))
    assert said.startswith("Oak Park")
    assert re.search(r"^synthesize \d+ ms$", said, re.MULTILINE)
    assert len(re.findall(r"^Oak Park", said, re.MULTILINE)) == 2
    assert "Answer: Oak Park" in said
    assert "the plan waits to be approved" in said
    assert "4 searches" in said
