"""The commands themselves, in process, on a real store with a fake embedder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer.main
from typer.testing import CliRunner

import graph.cli
from graph.cli import app, main
from models.embedder import Embedder
from stores.errors import ModelError
from stores.records import EmbedderSpec, Matrix


class FakeEmbedder:
    """Vectors of the texts' lengths; as good as any for what is tested here."""

    def __init__(self, name: str) -> None:
        self.spec = EmbedderSpec(name, 4)

    def embed_passages(self, texts: Any) -> Matrix:
        rows = np.array([[len(text), 1, 0, 0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_passages


def load_fake(name: str) -> Embedder:
    if name == "unknown":
        raise ModelError("embedder: 'unknown' is not known: take 'all-MiniLM-L6-v2'")
    return FakeEmbedder(name)


@pytest.fixture(autouse=True)
def fake_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodes.deps.load_embedder", load_fake)


def lookahead(*arguments: str, **options: Any) -> Any:
    """Run a command; errors of ours pass through, as `main` gets them."""
    return CliRunner().invoke(app, list(arguments), **options)


def as_json(*arguments: str) -> dict[str, Any]:
    result = lookahead(*arguments, "--json")
    assert result.exit_code == 0, result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


@pytest.fixture
def corpus() -> str:
    Path("c.jsonl").write_text(
        '{"id": "bern", "title": "Bern", "text": "Bern lies on the Aare.", "canton": "Bern"}\n'
        '{"id": "aare", "title": "Aare", "text": "The Aare is a river."}\n'
    )
    return "c.jsonl"


def test_ingest_stats_list_show_delete_clear(corpus: str) -> None:
    assert as_json("ingest", corpus)["added"] == 2
    assert as_json("ingest", corpus)["unchanged"] == 2
    (info,) = as_json("stats")["namespaces"]
    assert (info["name"], info["documents"], info["embedder"]["name"]) == ("default", 2, "all-MiniLM-L6-v2")
    assert [document["id"] for document in as_json("list")["documents"]] == ["aare", "bern"]
    shown = as_json("show", "bern")
    assert (shown["metadata"], shown["passages"][0]["links_to"]) == ({"canton": "Bern"}, ["Aare"])
    assert as_json("verify") == {"sound": True, "namespaces": {"default": []}}
    assert as_json("delete", "bern") == {"namespace": "default", "deleted": 1, "missing": []}
    assert as_json("clear", "--yes") == {"namespace": "default", "deleted": 1}
    assert as_json("stats")["namespaces"] == []


def test_what_people_read(corpus: str) -> None:
    assert "2 added, 0 updated, 0 unchanged, 0 failed" in lookahead("ingest", corpus).stdout
    assert "all-MiniLM-L6-v2, 4 d" in lookahead("stats").stdout
    assert "1 to 1 of 2; go on with --offset 1" in lookahead("list", "--limit", "1").stdout
    assert "Bern lies on the Aare." in lookahead("show", "bern").stdout
    assert "sound" in lookahead("verify").stdout
    assert "deleted, namespace 'default' is gone" in lookahead("clear", "--yes").stdout
    assert "holds no documents yet" in lookahead("stats").stdout


def test_failures_are_listed_and_the_exit_code_says_so(corpus: str) -> None:
    for number in range(12):
        Path(f"bad{number:02}.txt").write_text("")
    result = lookahead("ingest", ".")
    assert result.exit_code == 1
    assert "2 added, 0 updated, 0 unchanged, 12 failed" in result.stdout
    assert "bad09.txt is empty" in result.stderr
    assert "bad10.txt" not in result.stderr
    assert "… and 2 more" in result.stderr


def test_reembed_changes_the_embedder_and_ingest_goes_on_with_it(corpus: str) -> None:
    as_json("ingest", corpus)
    assert as_json("reembed", "--embedder", "other") == {"namespace": "default", "embedder": "other", "passages": 2}
    assert as_json("ingest", corpus)["embedder"] == "other"
    assert as_json("verify")["sound"]


def test_delete_of_what_is_not_there_fails_and_deletes_the_rest(corpus: str) -> None:
    as_json("ingest", corpus)
    result = lookahead("delete", "bern", "nobody")
    assert result.exit_code == 1
    assert "not in namespace 'default': 'nobody'" in result.stderr
    assert as_json("stats")["namespaces"][0]["documents"] == 1


def test_clear_asks(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    as_json("ingest", corpus)
    assert "add --yes" in str(lookahead("clear").exception)
    monkeypatch.setattr("graph.cli.documents.asked_at_a_terminal", lambda: True)
    assert lookahead("clear", input="n\n").exit_code == 1
    assert as_json("stats")["namespaces"][0]["documents"] == 2
    assert lookahead("clear", input="y\n").exit_code == 0
    assert as_json("stats")["namespaces"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ingest", "nowhere"], "'nowhere' does not exist"),
        (["ingest", ".", "--chunk-size", "3"], "chunk_size=3 cannot be used"),
        (["ingest", ".", "--on-error", "cry"], "on_error='cry' cannot be used"),
        (["ingest", "c.jsonl", "--embedder", "unknown"], "'unknown' is not known"),
        (["list"], "there is no namespace 'default'"),
        (["show", "x", "--namespace", "wiki"], "there is no namespace 'wiki'"),
        (["stats", "--store", "redis://x"], "redis"),
        (["reembed"], "there is no namespace 'default'"),
        (["ask", "Q?", "--set", "topk=3"], "did you mean 'top_k'"),
        (["ask", "Q?", "--plan", "none.json"], "'none.json' cannot be read"),
        (["ask", ""], "question"),
        (["ask", "x" * 100_000], "100,000 characters"),
        (["ask", "Who?"], "holds no documents"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_one(
    corpus: str, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["lookahead", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capsys.readouterr()
    assert ended.value.code == 1
    assert captured.err.startswith("error: ")
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


@pytest.mark.parametrize("odd", ["[/x]", "a[draft]", ":smile:", "[link=x]y[/link]"])
def test_names_and_paths_are_printed_letter_by_letter(corpus: str, odd: str) -> None:
    store = f"st{odd.replace('/', '')}"
    for command in (["ingest", corpus], ["stats"], ["reembed"], ["verify"], ["clear", "--yes"]):
        result = lookahead(*command, "--namespace", odd, "--store", store)
        assert result.exit_code == 0, result.exception
        assert odd in result.stdout
        assert command[0] not in ("ingest", "stats") or store in result.stdout


def test_what_a_file_is_called_is_printed_letter_by_letter(corpus: str) -> None:
    Path("[bold].txt").write_text("")
    assert "[bold].txt is empty" in lookahead("ingest", ".").stderr


COMMANDS = {
    "ingest": ["c.jsonl"],
    "ask": ["Who?", "--set", "planner=embedded"],
    "demo": [],
    "stats": [],
    "list": [],
    "show": ["bern"],
    "delete": ["bern"],
    "clear": ["--yes"],
    "verify": [],
    "reembed": [],
}


TRIED_ELSEWHERE = {"bench", "datasets", "migrate-store", "models", "serve"}
"""They are not about documents, about two stores, or run on."""


def test_every_command_about_documents_is_tried_below() -> None:
    assert set(COMMANDS) == set(typer.main.get_command(app).commands) - TRIED_ELSEWHERE  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_namespace_and_prints_json(corpus: str, command: str) -> None:
    as_json("ingest", corpus, "--namespace", "wiki", "--store", "st")
    assert as_json(command, *COMMANDS[command], "--namespace", "wiki", "--store", "st")


def test_the_demo_as_one_object_goes_where_it_is_told() -> None:
    results = as_json("demo", "--namespace", "tour", "--store", "st")["results"]
    assert len(results) == 3
    assert all(result["question"] and result["plan"]["nodes"] for result in results)
    assert [info["name"] for info in as_json("stats", "--store", "st")["namespaces"]] == ["tour"]


@pytest.mark.parametrize("command", [["ingest", "c.jsonl"], ["reembed"]])
def test_a_cache_that_cannot_be_used_is_said(corpus: str, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if command == ["reembed"]:
        as_json("ingest", corpus)
    monkeypatch.setenv("LOOKAHEAD_CACHE", str(Path(corpus).resolve()))
    result = lookahead(*command)
    assert result.exit_code == 0
    assert "note: the vector cache" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_bug_is_named_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise KeyError("n7")

    monkeypatch.setattr(graph.cli, "app", broken)
    monkeypatch.setattr("sys.argv", ["lookahead", "stats"])
    with pytest.raises(SystemExit):
        main()
    assert "this is a bug in lookahead (KeyError: 'n7'): run `lookahead --debug stats …`" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["lookahead", "--debug", "stats"])
    with pytest.raises(KeyError):
        main()
