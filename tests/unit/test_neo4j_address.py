"""Where Neo4j is and who logs in: an address never holds a password, and the environment is read at the edge."""

import subprocess
import sys
from pathlib import Path

import pytest

from nodes.settings import Settings
from stores.errors import StoreError
from stores.neo4j import Neo4jStore
from stores.neo4j_address import Neo4jSettings, parse_address
from stores.opening import open_store

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("address", "uri", "database"),
    [
        ("neo4j://host", "neo4j://host", None),
        ("neo4j+s://host:7687/docs", "neo4j+s://host:7687", "docs"),
        ("bolt+ssc://[::1]:7687/", "bolt+ssc://[::1]:7687", None),
        ("neo4j://host/docs?policy=europe", "neo4j://host?policy=europe", "docs"),
    ],
)
def test_an_address_names_server_and_database(address: str, uri: str, database: str | None) -> None:
    found = parse_address(address, Neo4jSettings())
    assert (found.shown, found.uri, found.database) == (address, uri, database)


def test_the_address_names_the_database_before_the_environment_does() -> None:
    settings = Neo4jSettings(database="other")
    assert parse_address("neo4j://host/docs", settings).database == "docs"
    assert parse_address("neo4j://host", settings).database == "other"


@pytest.mark.parametrize("address", ["neo4j://", "neo4j://host:port", "bolt://host/a/b", "neo4j:///docs"])
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(StoreError, match="no address of a Neo4j server"):
        open_store(address)


@pytest.mark.parametrize("address", ["neo4j://me:s3cret@host", "bolt://s3cret@host/db", "redis://me:s3cret@host"])
def test_a_login_in_the_address_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(StoreError) as raised:
        open_store(address)
    assert "s3cret" not in str(raised.value)
    assert "host" in str(raised.value)


def test_every_scheme_opens_the_neo4j_store() -> None:
    for scheme in ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"):
        store = open_store(f"{scheme}://host/docs", neo4j=Neo4jSettings(password="s3cret"))
        assert isinstance(store, Neo4jStore)
        assert store.address == f"{scheme}://host/docs"


def test_the_environment_gives_login_and_knobs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"USER": "me", "PASSWORD": "s3cret", "DATABASE": "docs", "HNSW_M": "32"}.items():
        monkeypatch.setenv(f"NEO4J_{name}", value)
    settings = Settings().neo4j()
    assert settings == Neo4jSettings(username="me", password="s3cret", database="docs", hnsw_m=32)
    assert "s3cret" not in f"{settings}{Settings()}"
    monkeypatch.setenv("NEO4J_USERNAME", "first")
    assert Settings().neo4j().username == "first"


def test_neo4j_keeps_the_documents_where_nothing_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "neo4j://host")
    assert not isinstance(Settings().open_store(), Neo4jStore)  # LOOKAHEAD_STORE says otherwise
    monkeypatch.delenv("LOOKAHEAD_STORE")
    assert Settings().open_store().address == "neo4j://host"
    assert Settings().open_store("elsewhere").address == "elsewhere"
    monkeypatch.delenv("NEO4J_URI")
    assert Settings().open_store().address.endswith("store")


def test_the_driver_is_not_imported_before_it_is_used() -> None:
    code = (
        "from stores.opening import open_store; open_store('neo4j://host'); import sys; print('neo4j' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
