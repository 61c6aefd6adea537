"""What is kept between runs: made once, whole or not at all; and what a machine without a compiler is told."""

import fcntl
from pathlib import Path

import pytest

from tests.integration import neo4j_build, ollama_build, server_cache
from tests.integration.server_cache import BuildError, kept, run_step


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(server_cache, "ROOT", tmp_path / "servers")
    return tmp_path / "servers"


def test_while_one_makes_it_others_wait_and_then_find_it(root: Path) -> None:
    made = []

    def make(folder: Path) -> None:
        made.append(folder)
        with (root / "server-1.lock").open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert not (root / "server-1").exists()
        (folder / "program").write_text("whole")

    for _ in range(2):
        assert (kept("server-1", make) / "program").read_text() == "whole"
    assert len(made) == 1


def test_what_failed_is_not_kept_and_what_was_killed_is_cleared_away(root: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise BuildError("no compiler")

    killed = root / "server-1.part-abc"
    killed.mkdir(parents=True)
    with pytest.raises(BuildError, match="no compiler"):
        kept("server-1", fail)
    assert [path.name for path in root.iterdir()] == ["server-1.lock"]


@pytest.mark.usefixtures("root")
def test_without_go_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match="'go' is not on PATH; install Go"):
        ollama_build.ollama_program()


@pytest.mark.usefixtures("root")
def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(BuildError, match="'no-such-compiler' is not on PATH; install gcc"):
        ollama_build.ollama_program()


@pytest.mark.usefixtures("root")
def test_without_maven_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match=r"'mvn' is not on PATH; install Maven .*apt-get install maven"):
        neo4j_build.neo4j_jars(neo4j_build.VERSIONS[0])


def test_a_step_that_fails_ends_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"sh -c .* failed \(3\):\nno such version"):
        run_step(["sh", "-c", "echo no such version; exit 3"], tmp_path)
