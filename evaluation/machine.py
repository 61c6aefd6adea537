"""What a benchmark ran on: versions of the program and its packages, and the machine. No name of a person or a host.

Blocking (a file, one git command): call it through `asyncio.to_thread` from async code.
"""

import os
import platform
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    *("lookahead-rag", "langgraph", "langchain-core", "langchain-groq", "langchain-ollama", "numpy", "onnxruntime"),
    *("tantivy", "tokenizers", "neo4j", "pydantic", "matplotlib", "sentence-transformers", "torch"),
)
"""Packages that figures may depend on; those that are not installed are left out."""
CPU_MODEL = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)


def versions() -> dict[str, str]:
    """Package to version, with `python` and, where the program runs from a git checkout, `commit`."""
    found = {"python": platform.python_version(), **{name: v for name in PACKAGES if (v := _version(name))}}
    commit = _commit(Path(__file__).parent)
    return {**found, "commit": commit} if commit else found


def machine() -> dict[str, Any]:
    """Operating system, processor, cores (those that this process may use) and memory in GiB; None where not known."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "processor": _processor(),
        "cores": _cores(),
        "memory_gib": _memory_gib(),
    }


def without_home(value: Any) -> Any:
    """JSON values with the user's home folder written as "~" in every string, so that a report names nobody."""
    if isinstance(value, str):
        home = Path.home()
        return re.sub(rf"{re.escape(str(home))}(?=[/\\]|$)", "~", value) if len(home.parts) > 1 else value
    if isinstance(value, dict):
        return {key: without_home(inner) for key, inner in value.items()}
    return [without_home(inner) for inner in value] if isinstance(value, list | tuple) else value


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _commit(folder: Path) -> str | None:
    """Hash of the checkout, with "+" behind it when files that git knows differ from it."""

    def git(*command: str) -> str:
        found = subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, check=True, timeout=10)
        return found.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", Path(__file__).name)  # else the checkout is somebody's whose .venv we are in
        head, changed = git("rev-parse", "--short=12", "HEAD"), git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None  # no git, or no checkout: an installed wheel has a version instead
    return head + ("+" if changed else "")


def _processor() -> str | None:
    try:
        found = CPU_MODEL.search(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or None


def _cores() -> int | None:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None  # Windows has no sysconf
