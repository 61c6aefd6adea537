"""The command line with Neo4j: the same answers as with a folder, from the environment's server or the one named."""

import asyncio
import json
import os
from typing import Any

import pytest

from evaluation.sample import passages_path, questions
from tests.e2e.test_cli import EMBEDDED, ROOT, run
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.integration.neo4j_stores import PATIENCE, empty_store

ASKED = [question["question"] for question in questions()[:6]]


@pytest.fixture
def environment(neo4j_server: Neo4jServer | OwnNeo4j) -> dict[str, str]:
    """Documents are in Neo4j because nothing else is said."""
    login = {
        "NEO4J_URI": neo4j_server.uri,
        "NEO4J_USER": neo4j_server.username,
        "NEO4J_PASSWORD": neo4j_server.password,
    }
    knobs = {"NEO4J_DATABASE": neo4j_server.database, "NEO4J_TIMEOUT": str(PATIENCE), "PYTHONPATH": str(ROOT)}
    return {name: value for name, value in os.environ.items() if name != "LOOKAHEAD_STORE"} | login | knobs


def answers(environment: dict[str, str], *options: str) -> list[tuple[str, float, list[list[str]]]]:
    """Answer, confidence and passages of every hop, for each question."""
    done = run(environment, "ask", *EMBEDDED, *options, "--json", input="\n\n".join(ASKED))
    return [_seen(json.loads(line)) for line in done.stdout.splitlines()]


def _seen(result: dict[str, Any]) -> tuple[str, float, list[list[str]]]:
    hops = [[passage["id"] for passage in hop["passages"]] for hop in result["hops"]]
    return result["answer"], round(result["confidence"], 4), hops


async def test_the_sample_is_answered_as_from_a_folder(
    environment: dict[str, str], neo4j_server: Neo4jServer | OwnNeo4j, sample_store: str
) -> None:
    async with empty_store(neo4j_server):
        sample = ["ingest", str(passages_path()), "--json"]
        first, again = [json.loads((await asyncio.to_thread(run, environment, *sample)).stdout) for _ in range(2)]
        assert first["added"] == again["unchanged"] > 100
        assert json.loads((await asyncio.to_thread(run, environment, "verify", "--json")).stdout)["sound"]
        from_folder = await asyncio.to_thread(answers, environment, "--store", sample_store)
        assert await asyncio.to_thread(answers, environment) == from_folder
        named = {name: value for name, value in environment.items() if name != "NEO4J_URI"}
        listed = await asyncio.to_thread(run, named, "stats", "--store", neo4j_server.uri, "--json")
        assert neo4j_server.password not in listed.stdout
        assert json.loads(listed.stdout)["store"] == neo4j_server.uri


def test_a_wrong_password_is_one_sentence(environment: dict[str, str]) -> None:
    done = run(environment | {"NEO4J_PASSWORD": "not-the-password"}, "stats", code=1)
    assert "refuses the user" in done.stderr
    assert "not-the-password" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
