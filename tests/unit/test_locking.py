"""One process at a time writes into a folder of results."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from graph.bench import locking, report
from graph.bench.folder import open_folder
from graph.bench.locking import hold, holding, release
from graph.bench.opening import Bench
from graph.bench.state import BenchContext
from stores.errors import InputError

pytest.importorskip("fcntl")
HOLDS = """
import fcntl, os, sys, time
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
os.write(file, str(os.getpid()).encode())
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the folder."""
    command = [sys.executable, "-S", "-c", HOLDS, str(tmp_path / locking.LOCK)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.fixture(autouse=True)
def own(tmp_path: Path) -> Iterator[None]:
    yield
    release(tmp_path)


def is_free(folder: Path) -> bool:
    """Whether another process could take the folder: locks of two open files exclude each other inside one, too."""
    import fcntl

    with (folder / locking.LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_the_second_one_is_told_who_writes_and_nothing_is_thrown_away(
    tmp_path: Path, other: subprocess.Popen[str]
) -> None:
    (tmp_path / "predictions.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=rf"another run \(process {other.pid}\) is writing into .* --out") as caught:
        open_folder(tmp_path, {}, fresh=True)
    assert "\n" not in str(caught.value)
    assert (tmp_path / "predictions.jsonl").exists()


def test_a_killed_one_leaves_nothing_locked(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    other.send_signal(signal.SIGKILL)
    other.wait()
    open_folder(tmp_path, {}, fresh=False)
    assert not is_free(tmp_path)


def test_it_is_held_until_it_is_given_up_and_twice_is_once(tmp_path: Path) -> None:
    hold(tmp_path)
    hold(tmp_path)
    assert not is_free(tmp_path)
    release(tmp_path)
    release(tmp_path)
    assert is_free(tmp_path)


def test_a_folder_that_is_refused_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        open_folder(tmp_path, {}, fresh=False)
    assert is_free(tmp_path)


async def test_a_step_holds_the_folder_and_one_that_raises_gives_it_up(tmp_path: Path) -> None:
    async def step(state: dict[str, str], runtime: None, *, deps: list[bool]) -> dict[str, bool]:
        deps.append(is_free(tmp_path))
        return {"ok": 1 / int(state["divisor"]) > 0}

    seen: list[bool] = []
    assert await holding(step)({"out": str(tmp_path), "divisor": "1"}, None, deps=seen) == {"ok": True}
    assert (seen, is_free(tmp_path)) == ([False], False), "the next step goes on with it"
    with pytest.raises(ZeroDivisionError):
        await holding(step)({"out": str(tmp_path), "divisor": "0"}, None, deps=seen)
    assert is_free(tmp_path)


async def test_the_last_step_gives_it_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_write", lambda state: tmp_path / "report.html" if not is_free(tmp_path) else None)
    state: Any = {"out": str(tmp_path)}
    done = await holding(report.report)(state, Runtime(context=BenchContext()), deps=Bench())
    assert done == {"report": str(tmp_path / "report.html")}
    assert is_free(tmp_path)


def test_without_such_locks_nothing_is_guarded(
    tmp_path: Path, other: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    open_folder(tmp_path, {}, fresh=False)
    assert (tmp_path / "run.json").exists()
