"""`lookahead bench` as a process of its own, on questions of the shipped sample and the real models."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation.sample import passages_path
from graph.bench.locking import hold, release

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("lookahead")
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-c", "from graph.cli import main; main()"]
FILE = passages_path().with_name("questions.jsonl")
RUN = ["bench", "--file", str(FILE), "--corpus", "sample", "--methods", "lookahead,ranked_rag", "--sample", "6"]
WAIT_SECONDS = 180


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A store that holds the sample, for all tests of this file."""
    folder = tmp_path_factory.mktemp("bench")
    own = {"LOOKAHEAD_STORE": str(folder / "store"), "LOOKAHEAD_CACHE": str(folder / "cache")}
    path = {} if SCRIPT.exists() else {"PYTHONPATH": str(ROOT)}
    private = ("GROQ_", "OLLAMA_", "NEO4J_", "LOOKAHEAD_")
    found = {name: value for name, value in os.environ.items() if not name.startswith(private)} | own | path
    run(found, "ingest", str(passages_path()), "--namespace", "sample")
    return found


@pytest.fixture(scope="module")
def whole(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Folder of a run that nothing stopped, and what it printed."""
    out = tmp_path_factory.mktemp("whole")
    done = run(environment, *RUN, "--latency-sample", "2", "--out", str(out), "--json")
    assert len(done.stdout.splitlines()) == 1
    return out, json.loads(done.stdout)


def run(environment: dict[str, str], *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *arguments], env=environment, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def stop(environment: dict[str, str], out: Path, rows: int, how: signal.Signals) -> tuple[int, str]:
    """Run, and send the signal when so many predictions are there; the exit code and what was said."""
    process = subprocess.Popen(
        [*COMMAND, *RUN, "--latency-sample", "0", "--parallel", "1", "--out", str(out)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        ends = time.monotonic() + WAIT_SECONDS
        while written(out) < rows:
            assert process.poll() is None, "it was over before it could be stopped"
            assert time.monotonic() < ends
            time.sleep(0.01)
        process.send_signal(how)
        _, said = process.communicate(timeout=WAIT_SECONDS)
    finally:
        process.kill()
    return process.returncode, said


def written(out: Path) -> int:
    path = out / "predictions.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def answers(out: Path) -> dict[tuple[str, str], tuple[Any, ...]]:
    rows = [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]
    assert len({(row["method"], row["id"]) for row in rows}) == len(rows), "nothing was asked twice"
    return {(row["method"], row["id"]): (row["answer"], row["confidence"], row["ranked"]) for row in rows}


def test_a_run_leaves_results_and_a_report(whole: tuple[Path, dict[str, Any]]) -> None:
    out, printed = whole
    results = json.loads((out / "results.json").read_text())
    assert (printed["questions"], printed["answered"], printed["failed"], printed["timed"]) == (6, 12, 0, 4)
    assert {"em", "f1", "recall@2", "recall@5", "all_gold@5", "p50_ms", "p95_ms", "llm_calls"} <= set(
        results["methods"]["lookahead"]
    )
    assert results["methods"]["lookahead"]["f1"]["value"] > 0
    assert len(results["ids"]) == 6
    assert results["settings"]["sample"] == 6
    assert Path(printed["report"]).read_text().startswith("<!")
    assert (out / "report.md").exists()


def test_a_run_killed_twice_comes_to_the_same_as_one_that_was_not(
    environment: dict[str, str], whole: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    assert stop(environment, tmp_path, 2, signal.SIGKILL)[0] == -signal.SIGKILL
    before = written(tmp_path)
    assert stop(environment, tmp_path, before + 2, signal.SIGKILL)[0] == -signal.SIGKILL
    there = written(tmp_path)
    done = json.loads(run(environment, *RUN, "--latency-sample", "0", "--out", str(tmp_path), "--json").stdout)
    assert there <= done["resumed"] < done["answered"] == 12
    assert answers(tmp_path) == answers(whole[0])
    figures = whole[1]["methods"]["lookahead"]
    assert done["methods"]["lookahead"]["f1"] == figures["f1"]


def test_ctrl_c_says_how_to_go_on(environment: dict[str, str], tmp_path: Path) -> None:
    code, said = stop(environment, tmp_path, 1, signal.SIGINT)
    assert code == 130
    assert said.splitlines()[-1] == (
        f"stopped: what is answered is kept in {tmp_path}; run the same command again to go on"
    )
    assert "Traceback" not in said


def test_other_settings_in_the_same_folder_are_refused_in_a_sentence(
    environment: dict[str, str], whole: tuple[Path, dict[str, Any]]
) -> None:
    done = run(environment, *RUN, "--out", str(whole[0]), "--set", "top_k=3", code=1)
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "settings.top_k was 5 and is 3" in said
    assert done.stdout == ""


def test_a_folder_into_which_another_process_writes_is_refused_in_a_sentence(
    environment: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("fcntl")
    out = tmp_path / "out"
    out.mkdir()
    hold(out)
    done = run(environment, *RUN, "--out", str(out), "--fresh", code=1)
    release(out)
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert f"another run (process {os.getpid()}) is writing" in said
    assert [path.name for path in out.iterdir()] == [".lock"], "nothing was written"


def test_two_runs_are_compared(environment: dict[str, str], whole: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    run(environment, *RUN, "--latency-sample", "0", "--set", "bind=false", "--out", str(tmp_path))
    said = run(environment, "bench", "compare", str(whole[0]), str(tmp_path)).stdout
    assert "bind" in said
    found = json.loads(run(environment, "bench", "compare", str(whole[0]), str(tmp_path), "--json").stdout)
    assert {change["metric"] for change in found["changes"]} >= {"em", "f1"}
    assert all(change["n"] == 6 for change in found["changes"] if change["metric"] == "f1")


def test_without_questions_help_is_shown(environment: dict[str, str]) -> None:
    said = run(environment, "bench").stdout
    assert "--methods" in said
    assert "compare" in said
