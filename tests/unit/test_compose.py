"""compose.yaml: one pinned server that only this machine reaches, and no secret in the file."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SERVICE = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["neo4j"]


def test_the_image_is_pinned() -> None:
    assert re.fullmatch(r"neo4j:\d+\.\d+\.\d+-community", SERVICE["image"])


def test_only_this_machine_reaches_it() -> None:
    assert [port.rpartition(":")[0] for port in SERVICE["ports"]] == ["127.0.0.1:7687", "127.0.0.1:7474"]


def test_the_password_comes_from_the_environment_and_is_demanded() -> None:
    ((name, value),) = SERVICE["environment"].items()
    assert name == "NEO4J_AUTH"
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?[^}]+\}", value)


def test_the_documents_outlive_the_container_and_its_health_is_asked_for() -> None:
    assert SERVICE["volumes"] == ["neo4j:/data"]
    assert SERVICE["healthcheck"]["test"][:2] == ["CMD", "wget"]
