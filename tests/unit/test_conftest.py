"""The guard of tests/conftest.py holds: run pytest on a few tests that try to get round it."""

import re
import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).parents[1] / "conftest.py"
BODIES = """
import asyncio, os, socket
from pathlib import Path
import pytest

def test_connects():
    socket.create_connection(("127.0.0.1", 9))

def test_connects_and_swallows_the_refusal():
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect(("127.0.0.1", 9))
    except OSError:
        pass

def test_looks_a_host_up():
    with pytest.raises(OSError):
        socket.getaddrinfo("localhost", 80)

def test_may_run_an_event_loop():
    asyncio.run(asyncio.sleep(0))

def test_sees_no_key_and_no_store_of_ours():
    assert "GROQ_API_KEY" not in os.environ
    assert not Path(os.environ["LOOKAHEAD_STORE"]).exists()
    assert list(Path.cwd().iterdir()) == []
"""
CALLS = {
    "test_connects": "failed",
    "test_connects_and_swallows_the_refusal": "passed and failed",
    "test_looks_a_host_up": "passed and failed",
    "test_may_run_an_event_loop": "passed",
    "test_sees_no_key_and_no_store_of_ours": "passed",
}


def test_outside_integration_a_test_that_uses_the_network_fails(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_bodies.py").write_text(BODIES)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rA",
        "-p",
        "no:cacheprovider",
        f"--rootdir={tmp_path}",
        str(tmp_path),
    ]
    environment = {"GROQ_API_KEY": "gsk_x", "LOOKAHEAD_STORE": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    seen = set(re.findall(r"^(PASSED|FAILED|ERROR) \S+::(\w+)", run.stdout, re.MULTILINE))
    for test, outcome in CALLS.items():
        assert (("PASSED", test) in seen) == ("passed" in outcome), run.stdout
        assert (bool({("FAILED", test), ("ERROR", test)} & seen)) == ("failed" in outcome), run.stdout
