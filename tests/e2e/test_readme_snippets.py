"""What the README shows of a run is what a run prints; its Python snippets run in order, as pasted into one session."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_snippets_run_and_print_the_answer(sample_store: str) -> None:
    assert len(SNIPPETS) == README.count("```python")
    environment = {**os.environ, "LOOKAHEAD_STORE": sample_store, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", "\n".join(SNIPPETS)]
    session = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert session.returncode == 0, session.stderr
    printed = session.stdout
    assert printed.startswith("Oak Park")
    assert re.search(r"^synthesize \d+ ms$", printed, re.MULTILINE)
    assert len(re.findall(r"^Oak Park", printed, re.MULTILINE)) == 2
    assert "Answer: Oak Park" in printed


def without_figures(printed: str) -> str:
    """The words of an answer: no figures, no line ends, and of the timings only that they are there."""
    body, _, timings = printed.strip().rpartition("\n")
    return " ".join(re.sub(r"\d[\d.]*", "0", f"{body}\n{timings.split('·')[0]}").split())


def test_the_first_answer_is_as_printed(sample_store: str) -> None:
    shown = README.split("```console\n$ lookahead ask ")[1].split("```")[0]
    question, _, answer = shown.partition("\n")
    command = [Path(sys.executable).parent / "lookahead", "ask", question.strip('"'), "--store", sample_store]
    embedded = ["--set", "planner=embedded", "--set", "synthesizer=embedded"]
    run = subprocess.run([*command, *embedded], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert without_figures(answer) == without_figures(run.stdout)
