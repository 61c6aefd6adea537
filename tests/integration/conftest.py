"""The real servers that integration tests run against; each is built once per machine and started once per session."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.neo4j_build import VERSIONS, neo4j_jars, neo4j_java
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j, own_neo4j
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


@pytest.fixture(scope="session", params=["own"] if os.environ.get("TEST_NEO4J_URI", "").strip() else VERSIONS)
def neo4j_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Neo4jServer | OwnNeo4j]:
    """A running server of each version, for all tests: they remove what they made. Or the one TEST_NEO4J_URI names."""
    own = own_neo4j()
    if own is not None:
        yield own
        return
    capture = request.config.pluginmanager.getplugin("capturemanager")
    try:
        with capture.global_and_fixture_disabled():
            jars, java = neo4j_jars(request.param), neo4j_java(request.param)
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)
    server = Neo4jServer(request.param, jars, java, tmp_path_factory.mktemp("neo4j"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def neo4j_to_kill(neo4j_server: Neo4jServer | OwnNeo4j) -> Iterator[Neo4jServer]:
    """The same server for a test that stops, kills or starts it; afterwards it runs again."""
    if isinstance(neo4j_server, OwnNeo4j):
        pytest.skip("ends the server: not one that TEST_NEO4J_URI names")
    yield neo4j_server
    neo4j_server.start()
