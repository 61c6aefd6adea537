"""Settings of a question from a file and from the command line; what is wrong is said in one sentence."""

from pathlib import Path

import pytest

from graph.cli.settings import read_plan, read_settings, settings_page
from nodes.context import Context
from stores.errors import InputError


def test_set_goes_over_the_file_and_namespace_over_both(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("top_k: 3\nreranker: rrf\nnamespace: a\n")
    context = read_settings(
        file, ["top_k=9", "prune=false", "prune_weights=[1, 0, 0]", "planner=ollama:llama3.2:3b"], "wiki"
    )
    assert (context.top_k, context.reranker, context.namespace) == (9, "rrf", "wiki")
    assert (context.prune, context.prune_weights, context.planner) == (False, [1, 0, 0], "ollama:llama3.2:3b")


def test_none_and_an_empty_file() -> None:
    assert read_settings(None, ["planner=none", "deadline_ms=null"], None) == Context(planner="none")
    Path("empty.yaml").write_text("")
    assert read_settings(Path("empty.yaml"), [], None) == Context()


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("topk=3", r"there is no 'topk', did you mean 'top_k'\? Take one of planner, "),
        ("colour=red", r"there is no 'colour'.* take one of planner"),
        ("top_k=0", r"top_k=0 cannot be used: .*greater than or equal to 1"),
        ("schedule=fast", r"schedule='fast' cannot be used: .*'dataflow'"),
        ("top_k", r"'top_k' is not of the form key=value"),
        ("top_k=[", r"the value of 'top_k=\[' cannot be read as YAML"),
    ],
)
def test_a_wrong_setting_is_one_sentence(assignment: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_settings(None, [assignment], None)


@pytest.mark.parametrize(
    ("text", "said"), [("a: [", "neither YAML nor JSON"), ("- a", "must hold lines"), (None, "No such")]
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str | None, said: str) -> None:
    file = tmp_path / "c.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_settings(file, [], None)


def test_a_plan_is_json_or_yaml_with_or_without_its_frame(tmp_path: Path) -> None:
    file = tmp_path / "plan"
    nodes = [{"id": "n1", "query": "q"}]
    for text in (
        '{"nodes": [\n\t{"id": "n1", "query": "q"}]}',
        '[{"id": "n1", "query": "q"}]',
        "nodes:\n- {id: n1, query: q}",
    ):
        file.write_text(text)
        assert read_plan(file) == {"nodes": nodes}
    file.write_text("just words")
    with pytest.raises(InputError, match="holds no plan"):
        read_plan(file)


def test_help_lists_every_setting() -> None:
    page = settings_page()
    names = [str(cell).strip() for cell in page.columns[0].cells]
    assert names == list(Context.model_fields)
