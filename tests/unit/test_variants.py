"""The rows of a benchmark: methods, ablations, experiments, and the settings of each."""

from pathlib import Path
from typing import Any

import pytest

from graph.bench.rows import contexts_of, rows_of
from graph.bench.state import BenchContext, Variant
from graph.bench.variants import ABLATIONS, variants_of
from graph.methods import METHODS
from nodes.context import Context
from nodes.deps import Deps
from stores.errors import InputError


def variant(name: str, method: str = "lookahead", **settings: Any) -> Variant:
    return Variant(name=name, method=method, settings=settings, hypothesis="")


def contexts(*rows: Variant, base: BenchContext | None = None, **settings: Any) -> dict[str, Context]:
    graphs = {row["method"]: METHODS[row["method"]](Deps()) for row in rows}
    return contexts_of(rows, graphs, base or BenchContext(), settings)


def test_methods_go_by_any_of_their_names_and_stand_once() -> None:
    assert [row["name"] for row in variants_of(["agentic-rag", "react", "lookahead"], [], "")] == ["react", "lookahead"]


def test_an_ablation_is_lookahead_with_that_switched_off() -> None:
    rows = variants_of(["react"], list(ABLATIONS), "")
    assert [row["name"] for row in rows[1:]] == [f"lookahead −{switch}" for switch in ABLATIONS]
    usual = contexts(variant("lookahead"))["lookahead"]
    for row in rows[1:]:
        changed = contexts(row)[row["name"]]
        assert {n for n in type(usual).model_fields if getattr(usual, n) != getattr(changed, n)} == set(row["settings"])


def test_experiments_are_rows_beside_the_methods(tmp_path: Path) -> None:
    path = tmp_path / "experiments.yaml"
    path.write_text("- {name: short, hypothesis: less is enough, settings: {context_tokens: 500}}\n")
    rows = variants_of(["lookahead"], [], str(path))
    assert rows[1] == Variant(
        name="short", method="lookahead", settings={"context_tokens": 500}, hypothesis="less is enough"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: x", "must hold a list"),
        ("- 7", "entry 1 .* is no mapping"),
        ("- {settings: {}}", "entry 1 .* has no name"),
        ("- {name: x, setting: {}}", "has 'setting'; take name"),
        ("- {name: x, settings: [1]}", r"has settings \[1\]"),
        ("- {name: x, method: reakt}", "did you mean 'react'"),
        ("- {name: lookahead}", "two rows are called 'lookahead'"),
        ("- {name: x", "is not YAML .line"),
    ],
)
def test_an_experiment_that_cannot_be_run_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "experiments.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        variants_of(["lookahead"], [], str(path))


@pytest.mark.parametrize(
    ("methods", "ablate", "experiments", "problem"),
    [
        ([], [], "", "there is no method to run"),
        (["lookahed"], [], "", "did you mean 'lookahead'"),
        (["lookahead"], ["bin"], "", "--ablate: there is no 'bin', did you mean 'bind'"),
        (["lookahead"], [], "nowhere.yaml", "'nowhere.yaml' cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused(methods: list[str], ablate: list[str], experiments: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        variants_of(methods, ablate, experiments)


def test_a_setting_goes_to_every_method_that_has_it_and_a_rows_own_before() -> None:
    found = contexts(variant("lookahead"), variant("react", "react"), variant("own", top_k=3), top_k=7, max_steps=4)
    assert [found[name].top_k for name in ("lookahead", "react", "own")] == [7, 7, 3]
    assert found["react"].max_steps == 4  # type: ignore[attr-defined]


def test_the_benchmarks_own_settings_are_embedded_and_can_be_changed() -> None:
    assert contexts(variant("lookahead"))["lookahead"].planner == "embedded"
    assert contexts(variant("lookahead"), base=BenchContext(top_k=2))["lookahead"].top_k == 2


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"topk": 5}, "--set: there is no 'topk', did you mean 'top_k'"), ({"top_k": 0}, "lookahead: top_k=0 cannot")],
)
def test_a_setting_that_no_method_has_or_takes_is_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        contexts(variant("lookahead"), **settings)


def test_rows_of_one_method_share_its_graph() -> None:
    one, two, other = rows_of(
        [variant("lookahead"), variant("own", top_k=3), variant("react", "react")], Deps(), BenchContext(), {}, {}
    )
    assert one.graph is two.graph is not other.graph
    assert (one.context.top_k, two.context.top_k) == (5, 3)
