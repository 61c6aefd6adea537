"""Every test has folders of its own, no key and, outside tests/integration, no network.

What a person keeps on this machine (a store, a `.env`, a key in the environment) neither changes a test nor is changed
by one.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples in every run: what fails here fails everywhere, and nothing fails by chance.
settings.register_profile("fixed", derandomize=True)
settings.load_profile("fixed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts its background jobs deaf to Ctrl-C, and their children inherit that; tests press it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

PRIVATE = ("GROQ_", "OLLAMA_", "NEO4J_", "LOOKAHEAD_", "LANGSMITH_", "LANGCHAIN_", "HF_")
"""Prefixes of variables that would point a test at somebody's server, key or store."""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Store, caches and the current folder (where `.env` is read) are the test's own; keys and addresses are gone."""
    for name in [name for name in os.environ if name.startswith(PRIVATE)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LOOKAHEAD_STORE", str(tmp_path / "store"))
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("LOOKAHEAD_AUTO", "embedded")  # `auto` asks no server
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A test that opens an internet socket or looks a host up fails, also when the code under test survives that."""
    if request.path.is_relative_to(Path(__file__).parent / "integration"):
        yield
        return
    attempts: list[str] = []
    create = socket.socket.__init__

    def guarded(self: socket.socket, family: int = -1, *args: Any, **kwargs: Any) -> None:
        # A socket made from a file descriptor belongs to a pair that asyncio opened for itself.
        if family in (-1, socket.AF_INET, socket.AF_INET6) and kwargs.get("fileno") is None and len(args) < 3:
            attempts.append("opened a socket")
            raise OSError("only tests in tests/integration may open a socket")
        create(self, family, *args, **kwargs)

    def refused(host: Any, *_: Any, **__: Any) -> Any:
        attempts.append(f"looked up {host!r}")
        raise OSError("only tests in tests/integration may look a host up")

    monkeypatch.setattr(socket.socket, "__init__", guarded)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    yield
    if attempts:
        pytest.fail(f"the test used the network: {attempts[0]}; it belongs in tests/integration, or needs a fake")


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a store that holds the shipped sample, ingested once for all tests: read it, never write it."""
    # Imported here, so that a test that needs no graph does not wait for one.
    from evaluation.sample import passages_path
    from graph.ingest import build
    from nodes.deps import Deps
    from nodes.ingest_context import IngestContext

    folder = tmp_path_factory.mktemp("sample") / "store"

    async def ingest() -> None:
        async with Deps(str(folder)) as deps:
            await build(deps).ainvoke({"paths": [str(passages_path())]}, context=IngestContext(vector_cache=False))

    asyncio.run(ingest())
    return str(folder)
