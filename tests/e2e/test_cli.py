"""The installed command `lookahead` as a process of its own, on the shipped sample and the real models."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation.sample import passages_path, questions
from graph.api import Result

ROOT = Path(__file__).parents[2]
SCRIPT = Path(sys.executable).with_name("lookahead")
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-c", "from graph.cli import main; main()"]
EMBEDDED = ["--set", "planner=embedded", "--set", "synthesizer=embedded"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A store and a cache for all tests of this file, so that the sample is embedded once."""
    folder = tmp_path_factory.mktemp("cli")
    own = {
        "LOOKAHEAD_STORE": str(folder / "store"),
        "LOOKAHEAD_CACHE": str(folder / "cache"),
        "LOOKAHEAD_AUTO": "embedded",
    }
    path = {} if SCRIPT.exists() else {"PYTHONPATH": str(ROOT)}
    private = ("GROQ_", "OLLAMA_", "NEO4J_", "LOOKAHEAD_")
    return {name: value for name, value in os.environ.items() if not name.startswith(private)} | own | path


@pytest.fixture(scope="module")
def sample(environment: dict[str, str]) -> dict[str, Any]:
    """Summary of the first ingestion of the sample."""
    return json.loads(run(environment, "ingest", str(passages_path()), "--json").stdout)  # type: ignore[no-any-return]


def run(
    environment: dict[str, str], *arguments: str, code: int = 0, **options: Any
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *arguments], env=environment, capture_output=True, text=True, timeout=120, check=False, **options
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def test_the_sample_twice(environment: dict[str, str], sample: dict[str, Any]) -> None:
    again = json.loads(run(environment, "ingest", str(passages_path()), "--json").stdout)
    assert sample["added"] == again["unchanged"] > 100
    assert (sample["failed"], again["added"], again["passages"]) == (0, 0, 0)
    assert json.loads(run(environment, "verify", "--json").stdout)["sound"]


@pytest.mark.usefixtures("sample")
def test_an_answer_as_one_json_object(environment: dict[str, str]) -> None:
    done = run(environment, "ask", questions()[0]["question"], *EMBEDDED, "--json")
    result = json.loads(done.stdout)
    assert result.keys() == Result.__annotations__.keys()
    assert result["hops"]
    assert result["timings_ms"]["total"] > 0
    assert done.stderr == ""


@pytest.mark.usefixtures("sample")
def test_an_answer_for_people_has_no_colours_in_a_pipe(environment: dict[str, str]) -> None:
    said = run(environment, "ask", questions()[0]["question"], *EMBEDDED, "--trace").stdout
    assert "\x1b" not in said
    assert said.startswith("Plan")
    assert "no LLM call" in said


@pytest.mark.usefixtures("sample")
def test_questions_from_a_pipe_are_answered_one_by_one(environment: dict[str, str]) -> None:
    asked = [question["question"] for question in questions()[:2]]
    done = run(environment, "ask", *EMBEDDED, "--json", input="\n\n".join(asked))
    assert [json.loads(line)["question"] for line in done.stdout.splitlines()] == asked


@pytest.mark.usefixtures("sample")
def test_a_ready_plan_is_run_as_it_is(environment: dict[str, str], tmp_path: Path) -> None:
    given = next(question for question in questions() if question.get("plan"))
    (tmp_path / "plan.json").write_text(json.dumps(given["plan"]))
    done = run(environment, "ask", given["question"], *EMBEDDED, "--plan", str(tmp_path / "plan.json"), "--json")
    plan = json.loads(done.stdout)["plan"]
    assert plan["planner"] == "given"
    assert [node["query"] for node in plan["nodes"]] == [node["query"] for node in given["plan"]["nodes"]]


def test_the_demo_answers_three_questions_and_says_what_to_type_next(environment: dict[str, str]) -> None:
    said = run(environment, "demo").stdout
    assert all(f"\n{number}. " in said for number in (1, 2, 3))
    assert "lookahead ask --namespace sample --store" in said
    assert "lookahead ingest PATH" in said


@pytest.fixture
def half_ingested(environment: dict[str, str], tmp_path: Path) -> tuple[Path, str]:
    """A corpus whose ingestion was stopped by Ctrl-C after its first batches, and what was said."""
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(f'{{"id": "{n}", "title": "Item {n}", "text": "It is {n}."}}\n' for n in range(50_000)))
    command = [*COMMAND, "ingest", str(corpus), "--namespace", "stopped"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        while not any(
            namespace["name"] == "stopped"
            for namespace in json.loads(run(environment, "stats", "--json").stdout)["namespaces"]
        ):
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    return corpus, said


def test_ctrl_c_keeps_what_is_stored_and_the_same_command_goes_on(
    environment: dict[str, str], half_ingested: tuple[Path, str]
) -> None:
    corpus, said = half_ingested
    stats = json.loads(run(environment, "stats", "--namespace", "stopped", "--json").stdout)
    stored = stats["namespaces"][0]["documents"]
    assert said.splitlines()[-1] == f"stopped: {stored:,} documents are stored; run the same command again to go on"
    assert run(environment, "verify", "--namespace", "stopped").stdout.startswith("sound")
    lines = corpus.read_text().splitlines(keepends=True)
    corpus.write_text("".join(lines[: stored + 5]))
    again = json.loads(run(environment, "ingest", str(corpus), "--namespace", "stopped", "--json").stdout)
    assert (again["unchanged"], again["added"]) == (stored, 5)


def test_an_error_leaves_stdout_empty(environment: dict[str, str]) -> None:
    done = run(environment, "ask", "Who?", "--namespace", "nowhere", "--json", code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")


def test_a_folder_that_cannot_be_written(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = run(environment, "ingest", str(passages_path()), "--store", str(tmp_path / "file"), code=1)
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
