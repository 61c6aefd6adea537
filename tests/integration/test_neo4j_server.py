"""The real Neo4j through its driver: what our store relies on, and the server's own starting and ending.

What the store makes of it is tested elsewhere; here stands what the server does, so that a new version that does
otherwise is noticed.
"""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver, GraphDatabase, Record
from neo4j.exceptions import AuthError, ClientError, ServiceUnavailable

from tests.integration import server_cache
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j

ROOT = Path(__file__).parents[2]
TEXTS = {"cat": "The cat sleeps in the sun.", "dog": "A dog barks.", "sun": "The Sun is a star."}
VECTORS = {"cat": [1.0, 0.0, 0.2], "dog": [0.8, 0.6, 0.0], "sun": [0.0, 0.1, 1.0]}


class Chunks:
    """Three nodes with text and vector, under a label of their own and with both indexes."""

    def __init__(self, driver: Driver, database: str) -> None:
        self._driver = driver
        self._database = database
        self.label = f"Chunk_{secrets.token_hex(6)}"
        self.vector_index = f"vector_{self.label}"
        self.text_index = f"text_{self.label}"

    def run(self, query: str, **values: Any) -> list[Record]:
        named = {"LABEL": self.label, "VECTOR_INDEX": self.vector_index, "TEXT_INDEX": self.text_index}
        for name, value in named.items():
            query = query.replace(name, value)
        return self._driver.execute_query(query, values, database_=self._database).records

    def make(self) -> None:
        # Quantized, as by default, 5.26 gives scores that are wrong from the fourth digit on.
        exact = "`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false"
        configured = f"{{indexConfig: {{`vector.dimensions`: 3, {exact}}}}}"
        self.run(f"CREATE VECTOR INDEX VECTOR_INDEX FOR (c:LABEL) ON (c.vector) OPTIONS {configured}")
        self.run("CREATE FULLTEXT INDEX TEXT_INDEX FOR (c:LABEL) ON EACH [c.text]")
        for name, text in TEXTS.items():
            self.run("CREATE (:LABEL {name: $name, text: $text, vector: $v})", name=name, text=text, v=VECTORS[name])
        self.run("CALL db.awaitIndexes(300)")

    def remove(self) -> None:
        self.run("DROP INDEX VECTOR_INDEX IF EXISTS")
        self.run("DROP INDEX TEXT_INDEX IF EXISTS")
        self.run("MATCH (c:LABEL) DETACH DELETE c")

    def found(self, query: str, **values: Any) -> list[str]:
        return [record["name"] for record in self.run(query, **values)]


@pytest.fixture
def chunks(neo4j_server: Neo4jServer | OwnNeo4j) -> Iterator[Chunks]:
    with connected(neo4j_server) as driver:
        made = Chunks(driver, neo4j_server.database)
        try:
            made.make()
            yield made
        finally:
            made.remove()


def connected(server: Neo4jServer | OwnNeo4j, password: str | None = None) -> Driver:
    auth = (server.username, server.password if password is None else password)
    return GraphDatabase.driver(server.uri, auth=auth, max_transaction_retry_time=0)


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


class TestSearch:
    def test_the_server_is_the_version_it_is_said_to_be(self, chunks: Chunks, neo4j_server: Neo4jServer) -> None:
        [kernel] = chunks.run("CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions")
        assert kernel["versions"] == [neo4j_server.version]

    def test_the_nearest_vectors_are_found_nearest_first(self, chunks: Chunks) -> None:
        query = (
            "CALL db.index.vector.queryNodes('VECTOR_INDEX', 2, $q) YIELD node, score RETURN node.name AS name, score"
        )
        first, second = chunks.run(query, q=[1.0, 0.1, 0.0])
        assert (first["name"], second["name"]) == ("cat", "dog")
        cosine = 1.0 / ((1.0 + 0.2**2) * (1.0 + 0.1**2)) ** 0.5
        assert first["score"] == pytest.approx((1 + cosine) / 2, abs=1e-6)

    def test_search_is_there_in_2026_09_and_not_in_5(self, chunks: Chunks, neo4j_server: Neo4jServer) -> None:
        search = "MATCH (c:LABEL) SEARCH c IN (VECTOR INDEX VECTOR_INDEX FOR $q LIMIT 2) SCORE AS score"
        cypher = f"CYPHER 25 {search} RETURN c.name AS name ORDER BY score DESC"
        if numbers(neo4j_server.version) >= (2026, 9):
            assert chunks.found(cypher, q=[1.0, 0.1, 0.0]) == ["cat", "dog"]
        else:
            with pytest.raises(ClientError):
                chunks.found(cypher, q=[1.0, 0.1, 0.0])

    def test_words_are_found_by_the_full_text_index(self, chunks: Chunks) -> None:
        query = "CALL db.index.fulltext.queryNodes('TEXT_INDEX', $q) YIELD node RETURN node.name AS name"
        assert sorted(chunks.found(query, q="sun")) == ["cat", "sun"]
        assert chunks.found(query, q="barks") == ["dog"]
        assert chunks.found(query, q="zebra") == []


class TestPassword:
    def test_a_wrong_one_is_refused(self, neo4j_server: Neo4jServer) -> None:
        with connected(neo4j_server, "not the password") as driver, pytest.raises(AuthError):
            driver.verify_connectivity()

    def test_after_many_wrong_ones_the_right_one_is_taken_at_once(self, neo4j_to_kill: Neo4jServer) -> None:
        """By default a server makes them wait: one test would fail another."""
        for _ in range(5):
            with connected(neo4j_to_kill, "not the password") as driver, pytest.raises(AuthError):
                driver.verify_connectivity()
        with connected(neo4j_to_kill) as driver:
            driver.verify_connectivity()

    def test_the_one_it_is_born_with_is_gone(self, neo4j_server: Neo4jServer) -> None:
        with connected(neo4j_server, "neo4j") as driver, pytest.raises(AuthError):
            driver.verify_connectivity()


class TestEnd:
    def test_killed_it_keeps_what_was_committed_and_nothing_else(self, neo4j_to_kill: Neo4jServer) -> None:
        server = neo4j_to_kill
        with connected(server) as driver:
            kept = Chunks(driver, server.database)
            kept.make()
            with driver.session(database=server.database) as session:
                open_transaction = session.begin_transaction()
                open_transaction.run(f"CREATE (:{kept.label} {{name: 'lost'}})").consume()
                server.kill()
                with connected(server) as other, pytest.raises(ServiceUnavailable):
                    other.verify_connectivity()
        uri = server.uri
        server.restart()
        assert server.uri == uri
        with connected(server) as driver:
            kept._driver = driver
            kept.run("CALL db.awaitIndexes(300)")
            assert kept.found("MATCH (c:LABEL) RETURN c.name AS name ORDER BY name") == ["cat", "dog", "sun"]
            nearest = "CALL db.index.vector.queryNodes('VECTOR_INDEX', 1, $q) YIELD node RETURN node.name AS name"
            assert kept.found(nearest, q=VECTORS["sun"]) == ["sun"]
            kept.remove()

    def test_stopped_it_keeps_its_data_and_password(self, neo4j_to_kill: Neo4jServer) -> None:
        server = neo4j_to_kill
        with connected(server) as driver:
            driver.execute_query("CREATE (:Stopped)", database_=server.database)
        server.stop()
        assert not server.running
        assert "Stopped." in (server.home / "logs/neo4j.log").read_text()
        server.start()
        with connected(server) as driver:
            [record] = driver.execute_query(
                "MATCH (s:Stopped) DELETE s RETURN 1 AS one", database_=server.database
            ).records
        assert record["one"] == 1

    def test_by_command_it_answers_until_ctrl_c(self) -> None:
        """On the newest version alone: what ends a server is the same for all."""
        command = [sys.executable, "-m", "tests.integration.neo4j_server"]
        # The cache is named, or the program would fetch the server into this test's own.
        environment = {**os.environ, "LOOKAHEAD_TEST_SERVERS": str(server_cache.ROOT)}
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as owner:
            assert owner.stdout is not None
            told = dict(line.strip().split("=", 1) for line in islice(owner.stdout, 3))
            auth = (told["NEO4J_USERNAME"], told["NEO4J_PASSWORD"])
            with GraphDatabase.driver(told["NEO4J_URI"], auth=auth) as driver:
                driver.verify_connectivity()
                owner.send_signal(signal.SIGINT)
                assert owner.wait(60) == 0
                with pytest.raises(ServiceUnavailable):
                    driver.verify_connectivity()
