"""The real servers that integration tests run against; each is built once per machine and started once per session."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.ollama_build import ollama_program
from tests.integration.ollama_server import OllamaServer
from tests.integration.server_cache import BuildError


@pytest.fixture(scope="session")
def ollama_path(request: pytest.FixtureRequest) -> Path:
    """The built program; building it is said on the terminal, because it takes minutes."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    try:
        with capture.global_and_fixture_disabled():
            return ollama_program()
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def shared_ollama(ollama_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OllamaServer]:
    with OllamaServer(ollama_path, tmp_path_factory.mktemp("ollama")) as server:
        yield server


@pytest.fixture
def ollama(shared_ollama: OllamaServer, monkeypatch: pytest.MonkeyPatch) -> OllamaServer:
    """A running server with the model `tiny`, for all tests; OLLAMA_HOST names it. A test may kill it."""
    shared_ollama.start()
    monkeypatch.setenv("OLLAMA_HOST", shared_ollama.address)
    return shared_ollama
