"""The README's Python snippets, run in order on the shipped sample, as a reader would paste them into one session."""

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
