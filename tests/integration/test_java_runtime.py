"""Which Java a server gets: the machine's own where one fits, else PyPI's; and what is said where there is none."""

import subprocess
from pathlib import Path

import pytest

from tests.integration import java_runtime, server_cache
from tests.integration.java_runtime import fitting_java
from tests.integration.server_cache import BuildError

KEPT = server_cache.ROOT


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a machine's Javas, empty as yet; nothing is fetched."""
    folder = tmp_path / "jvm"
    monkeypatch.setattr(java_runtime, "_JVM_FOLDER", folder)
    monkeypatch.setattr(server_cache, "ROOT", tmp_path / "servers")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return folder


def java(home: Path, version: str, program: bool = True) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text(f'IMPLEMENTOR="Debian"\nJAVA_VERSION="{version}"\n')
    if program:
        (home / "bin/java").touch(mode=0o755)
    return home


def test_of_those_that_fit_the_oldest_is_taken(machine: Path) -> None:
    for version in ("11.0.2", "25.0.3", "21.0.8", "17.0.15"):
        java(machine / f"java-{version}", version)
    assert fitting_java(range(17, 26)).version == 17
    assert fitting_java(range(21, 26)).home == machine / "java-21.0.8"


def test_what_cannot_be_run_is_passed_over(machine: Path) -> None:
    java(machine / "a-half-removed", "21.0.8", program=False)
    (machine / "openjdk-21").mkdir()
    wanted = java(machine / "z", "25")
    assert fitting_java(range(21, 26)).program == wanted / "bin/java"


def test_java_home_comes_first_where_it_fits(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java(machine / "java-17", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path / "mine", "21.0.8")))
    assert fitting_java(range(17, 26)).home == tmp_path / "mine"
    assert fitting_java(range(17, 21)).home == machine / "java-17"


def test_without_one_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/no/such/java")
    with pytest.raises(BuildError, match=r"'/no/such/java'\) nor .* has Java 21 to 25.*openjdk-21-jre-headless"):
        fitting_java(range(21, 26))


def test_pypi_has_one_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setattr(server_cache, "ROOT", KEPT)  # 35 MB are fetched once, not in every run
    found = fitting_java(range(21, 26))
    said = subprocess.run([found.program, "-version"], capture_output=True, text=True, check=True).stderr
    assert f'version "{found.version}.' in said
