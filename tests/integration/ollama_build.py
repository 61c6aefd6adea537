"""Builds the real Ollama server from the Go module proxy, once; from the repository's root:

    python -m tests.integration.ollama_build

It needs Go 1.24+, a C and a C++ compiler, pip, and apt-get for two sets of headers where the system lacks them. Go
modules leave out folders named `vendor`, so three headers come from elsewhere: two from Debian, one from PyPI.
Knows nothing about running the server.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.integration.server_cache import BuildError, kept

VERSION = "0.17.4"
_MODULE = f"github.com/ollama/ollama@v{VERSION}"
_LDFLAGS = "-s -w -X github.com/ollama/ollama/version.Version=" + VERSION
_DEBIAN = {"nlohmann/json.hpp": "nlohmann-json3-dev", "stb/stb_image.h": "libstb-dev"}
"""Header → Debian package."""
_MINIAUDIO = "miniaudio-1.61"
_MINIAUDIO_PIN = "miniaudio==1.61 --hash=sha256:e88e97837d031f0fb6982394218b6487de02eaa382ad273b8fca37791a2b4b15"
_REPORT_SECONDS = 20
_LOG_LINES = 30
"""Last lines of a failed command that are shown."""

Say = Callable[[str], None]


def ollama_program(say: Say = print) -> Path:
    """Return the path of the server's program, built when it isn't there yet: minutes, and 1 GB of disk meanwhile.

    Raises:
        BuildError: a tool is missing, or a step failed.
    """
    flags = _compiler_flags()
    recipe = [_MODULE, _LDFLAGS, *flags, *_DEBIAN.values(), _MINIAUDIO_PIN, platform.system(), platform.machine()]
    name = f"ollama-{VERSION}-{hashlib.sha256('|'.join(recipe).encode()).hexdigest()[:8]}"
    return kept(name, lambda folder: _build(folder, flags, say)) / "ollama"


def _compiler_flags() -> list[str]:
    """What this processor has: a prompt is read eight times faster with instructions for half floats."""
    try:
        have = set(Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split())
    except OSError:
        have = set()
    return ["-O2", *(f"-m{flag}" for flag in ("avx2", "f16c", "fma") if {"avx2", "f16c", "fma"} <= have)]


def _build(folder: Path, flags: Sequence[str], say: Say) -> None:
    start = time.monotonic()
    compiler = _tools()
    say(f"Building Ollama {VERSION} in {folder.parent} (once, some minutes) ...")
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        work = Path(temporary)
        includes = " ".join(f"-I{path}" for path in [*_debian(work, compiler), _miniaudio(work)])
        say(f"  headers: {time.monotonic() - start:.0f} s")
        environment = {
            **os.environ,
            # Go's own caches would keep 0.9 GB for a build that is done once.
            **{"GOMODCACHE": f"{work}/modules", "GOCACHE": f"{work}/objects", "GOBIN": str(folder)},
            **{"CGO_ENABLED": "1", "CGO_CFLAGS": " ".join(flags), "CGO_CXXFLAGS": f"{' '.join(flags)} {includes}"},
        }
        command = ["go", "install", "-v", "-trimpath", "-modcacherw", "-ldflags", _LDFLAGS, _MODULE]
        _run(command, work, environment, say)
    say(f"Ollama {VERSION}: built in {time.monotonic() - start:.0f} s")


def _tools() -> str:
    """Return the C++ compiler's command, once Go and both compilers are there."""
    if shutil.which("go") is None:
        raise BuildError(
            "ollama: 'go' is not on PATH; install Go 1.24 or newer (https://go.dev/dl, golang-go, brew install go)"
        )
    wanted = subprocess.run(["go", "env", "CC", "CXX"], capture_output=True, text=True, check=True).stdout.split("\n")
    for command in wanted[:2]:
        if shutil.which(command.split()[0]) is None:
            raise BuildError(
                f"ollama: the compiler {command!r} is not on PATH; install gcc and g++ (apt-get install g++)"
            )
    return wanted[1].split()[0]


def _debian(work: Path, compiler: str) -> list[Path]:
    """Unpack the packages of headers that the compiler does not find by itself; nothing is installed."""
    packages = [package for header, package in _DEBIAN.items() if not _finds(compiler, header)]
    if not packages:
        return []
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        raise BuildError(
            f"ollama: the headers of {packages} are missing, and there is no apt-get to fetch them: install them"
        )
    fetch = ["apt-get", "download", *packages]
    if subprocess.run(fetch, cwd=work, capture_output=True, check=False).returncode != 0:
        if os.geteuid() == 0:
            _run(["apt-get", "update"], work)
        _run(fetch, work)
    for package in work.glob("*.deb"):
        _run(["dpkg", "-x", package.name, "debian"], work)
    return [work / "debian/usr/include"]


def _finds(compiler: str, header: str) -> bool:
    source = f"#include <{header}>\n"
    command = [compiler, "-x", "c++", "-E", "-o", os.devnull, "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False).returncode == 0


def _miniaudio(work: Path) -> Path:
    """Take the header out of the source package, which pip checks against its hash before it looks inside."""
    requirements = work / "requirements.txt"
    requirements.write_text(_MINIAUDIO_PIN)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    _run([*pip, "--no-binary", "miniaudio", "--require-hashes", "--requirement", requirements.name], work)
    target = work / "pypi/miniaudio"
    target.mkdir(parents=True)
    with tarfile.open(work / f"{_MINIAUDIO}.tar.gz") as archive:
        header = archive.extractfile(f"{_MINIAUDIO}/miniaudio/miniaudio.h")
        if header is None:
            raise BuildError(f"ollama: {_MINIAUDIO} holds no miniaudio.h")
        (target / "miniaudio.h").write_bytes(header.read())
    return target.parent


def _run(command: Sequence[str], work: Path, environment: dict[str, str] | None = None, say: Say | None = None) -> None:
    """Run one step; with `say` it tells now and then how many lines there were: Go prints one for each package."""
    start, log = time.monotonic(), work / "log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            while True:
                try:
                    process.wait(_REPORT_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    if say is not None:
                        say(f"  {time.monotonic() - start:.0f} s, {len(log.read_text().splitlines())} packages")
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        last = "\n".join(log.read_text().splitlines()[-_LOG_LINES:])
        raise BuildError(f"ollama: {command[:3]} failed ({process.returncode}):\n{last}")


if __name__ == "__main__":
    started = time.monotonic()
    try:
        program = ollama_program(lambda text: print(text, flush=True))
    except BuildError as error:
        sys.exit(str(error))
    megabytes = program.stat().st_size / 1e6
    print(f"{program}: {megabytes:.0f} MB, ready after {time.monotonic() - started:.1f} s")
