"""`lookahead migrate-store` in process, between two embedded stores."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graph.cli import app
from stores.embedded import EmbeddedStore
from stores.errors import EmbedderMismatch, LookaheadError, NamespaceNotFound, StoreFull
from tests.unit.test_cli_commands import load_fake


@pytest.fixture(autouse=True)
def stores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store `a` with two namespaces, embedded by a fake."""
    monkeypatch.setattr("nodes.deps.load_embedder", load_fake)
    Path("rivers.jsonl").write_text(
        '{"id": "bern", "title": "Bern", "text": "Bern lies on the Aare."}\n'
        '{"id": "aare", "title": "Aare", "text": "The Aare is a river."}\n'
    )
    Path("note.txt").write_text("Thun lies on the Aare.")
    as_json("ingest", "rivers.jsonl", "--store", "a")
    as_json("ingest", "note.txt", "--store", "a", "--namespace", "notes")


def lookahead(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def as_json(*arguments: str) -> dict[str, Any]:
    result = lookahead(*arguments, "--json")
    assert result.exit_code == 0, result.exception
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def held(store: str) -> dict[str, tuple[int, int, int]]:
    return {
        info["name"]: (info["documents"], info["passages"], info["links"])
        for info in as_json("stats", "--store", store)["namespaces"]
    }


def test_every_namespace_is_copied_and_counted() -> None:
    moved = as_json("migrate-store", "a", "b")
    assert (moved["from"], moved["to"], moved["dry_run"]) == ("a", "b", False)
    counts = {"documents": 2, "passages": 2, "links": 1}
    assert moved["namespaces"][0] == {
        "name": "default",
        "added": 2,
        "updated": 0,
        "unchanged": 0,
        "passages": 2,
        "source": counts,
        "target": counts,
        "only_in_target": 0,
        "problem": None,
    }
    assert held("b") == held("a") == {"default": (2, 2, 1), "notes": (1, 1, 0)}
    assert as_json("show", "bern", "--store", "b") == as_json("show", "bern", "--store", "a")
    assert as_json("ingest", "rivers.jsonl", "--store", "b")["unchanged"] == 2


def test_only_the_namespaces_named_are_copied() -> None:
    assert lookahead("migrate-store", "a", "b", "-n", "notes").exit_code == 0
    assert list(held("b")) == ["notes"]
    both = as_json("migrate-store", "a", "b", "-n", "notes", "-n", "default", "-n", "notes")
    assert [(it["name"], it["added"]) for it in both["namespaces"]] == [("notes", 0), ("default", 2)]


def test_a_dry_run_says_what_would_be_copied_and_makes_nothing() -> None:
    told = as_json("migrate-store", "a", "b", "--dry-run")["namespaces"]
    assert told[0] == {"name": "default", "added": 2, "updated": 0, "unchanged": 0, "passages": 2}
    said = lookahead("migrate-store", "a", "b", "--dry-run").stdout
    assert re.search(r"default +2 +0 +0 +2\n", said)
    assert "nothing was written" in said
    assert not Path("b").exists()


def test_what_people_read() -> None:
    said = lookahead("migrate-store", "a", "b").stdout
    assert re.search(r"default +2 +0 +0 +2 +2 +1\n", said)
    assert "3 passages copied in " in said
    assert "both stores count the same documents, passages and links" in said
    assert "0 passages copied" in lookahead("migrate-store", "a", "b").stdout


def test_what_only_the_target_has_stays_and_is_said() -> None:
    as_json("ingest", "rivers.jsonl", "note.txt", "--store", "b")
    result = lookahead("migrate-store", "a", "b", "-n", "default")
    assert result.exit_code == 0
    assert "note: namespace 'default' of b also holds 1 document that the source has not; they stay" in result.stderr
    assert "both stores" not in result.stdout
    assert held("b")["default"][0] == 3


def test_counts_that_differ_are_a_sentence_and_exit_code_one() -> None:
    Path("long.txt").write_text("\n\n".join(f"This is paragraph {n} of a text that is long enough." for n in range(9)))
    as_json("ingest", "long.txt", "--store", "a", "-n", "long")
    as_json("ingest", "note.txt", "--store", "b", "-n", "long")
    as_json("delete", str(Path("note.txt").resolve()), "--store", "b", "-n", "long")
    as_json("ingest", "long.txt", "--store", "b", "-n", "long", "--chunk-size", "200")
    result = lookahead("migrate-store", "a", "b", "-n", "long")
    assert result.exit_code == 1
    assert "namespace 'long' differs: 1 documents, 1 passages" in result.stderr
    assert json.loads(lookahead("migrate-store", "a", "b", "-n", "long", "--json").stdout)["namespaces"][0]["problem"]


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["nowhere", "b"], NamespaceNotFound, "nowhere holds no documents; is the address right?"),
        (["a", "b", "-n", "wiki"], NamespaceNotFound, "no namespace 'wiki' in a: it has 'default', 'notes'"),
        (["a", "./x/../a"], LookaheadError, "'a' and './x/../a' are the same store"),
        (["a", "redis://x"], LookaheadError, "'redis://x' is no address of a store"),
        (["", "b"], LookaheadError, "'' is no address of a store"),
    ],
)
def test_mistakes_are_refused_before_anything_is_written(
    arguments: list[str], error: type[Exception], said: str
) -> None:
    result = lookahead("migrate-store", *arguments)
    assert isinstance(result.exception, error)
    assert said in str(result.exception)
    assert not Path("b").exists()
    assert not Path("nowhere").exists()


@pytest.mark.parametrize("mode", [[], ["--dry-run"]])
def test_one_namespace_of_another_embedder_stops_all_before_it_begins(mode: list[str]) -> None:
    as_json("ingest", "note.txt", "--store", "b", "--namespace", "notes", "--embedder", "other")
    result = lookahead("migrate-store", "a", "b", *mode)
    assert isinstance(result.exception, EmbedderMismatch)
    assert "namespace 'notes' of b was made with another embedder (name 'other' where" in str(result.exception)
    assert "lookahead reembed --namespace notes --embedder all-MiniLM-L6-v2 --store b" in str(result.exception)
    assert list(held("b")) == ["notes"]


@pytest.mark.parametrize("when", ["default", "notes"])
def test_a_full_disk_keeps_what_was_copied(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    upsert = EmbeddedStore.upsert

    async def full(self: EmbeddedStore, namespace: str, documents: Any) -> Any:
        if namespace == when:
            raise StoreFull("Storing: no space is left on the device")
        return await upsert(self, namespace, documents)

    monkeypatch.setattr(EmbeddedStore, "upsert", full)
    result = lookahead("migrate-store", "a", "b")
    assert isinstance(result.exception, StoreFull)
    assert "note: what was copied before is kept; run the same command again to go on" in result.stderr
    assert held("b").get("default", (0, 0, 0)) == ((2, 2, 1) if when == "notes" else (0, 0, 0))
