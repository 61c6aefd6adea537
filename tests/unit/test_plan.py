import pytest

from prompts.plan import BUDGET_COST, PlanError, PlanGraph, PlanNode, fill, placeholders


def graph(**parents: str) -> PlanGraph:
    """graph(n1="", n2="n1") -> two nodes, the second waits for the first."""
    return PlanGraph(nodes=[PlanNode(id=i, query=f"query {i}", depends_on=p.split()) for i, p in parents.items()])


DIAMOND = graph(n4="n2 n3", n2="n1", n3="n1", n1="")


def test_parents_come_first_and_the_order_is_stable() -> None:
    assert [node.id for node in DIAMOND.topological_order()] == ["n1", "n2", "n3", "n4"]


def test_groups_and_depths() -> None:
    assert [[node.id for node in group] for group in DIAMOND.parallel_groups()] == [["n1"], ["n2", "n3"], ["n4"]]
    assert DIAMOND.depth("n4") == 2


def test_relatives() -> None:
    assert [node.id for node in DIAMOND.children("n1")] == ["n2", "n3"]
    assert DIAMOND.ancestors("n4") == {"n1", "n2", "n3"}


def test_keep_drops_edges_to_what_is_gone() -> None:
    kept = DIAMOND.keep({"n2", "n4"})
    assert {node.id: node.depends_on for node in kept.nodes} == {"n4": ["n2"], "n2": []}


@pytest.mark.parametrize(
    ("parents", "message"),
    [({"n1": "n1"}, "circle"), ({"n1": "n2", "n2": "n1"}, "circle"), ({"n1": "n7"}, "'n7'")],
)
def test_no_dag_no_plan(parents: dict[str, str], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        graph(**parents)


def test_invalid_dumps_raise_plan_error_with_the_place() -> None:
    with pytest.raises(PlanError, match=r"nodes\.0\.query"):
        PlanGraph.model_validate({"nodes": [{"id": "n1", "query": " \x00"}]})
    with pytest.raises(PlanError, match="Invalid JSON"):
        PlanGraph.model_validate_json("{")
    with pytest.raises(PlanError, match="two nodes are called 'n1'"):
        PlanGraph(nodes=[PlanNode(id="n1", query="a"), PlanNode(id="n1", query="b")])


def test_a_dump_is_the_plan() -> None:
    assert PlanGraph.model_validate(DIAMOND.model_dump()) == DIAMOND


def test_costs_follow_the_operator() -> None:
    assert {op: PlanNode(id="n1", op=op, query="x").budget_cost for op in BUDGET_COST} == BUDGET_COST
    assert PlanNode(id="n1", op="compare", query="x", budget_cost=5).budget_cost == 5


def test_signature_ignores_ids_and_queries_but_not_edges() -> None:
    assert graph(n1="", n2="n1").signature() == graph(n9="n5", n5="").signature()
    apart, shared = graph(n1="", n2="", n3="n1", n4="n2"), graph(n1="", n2="", n3="n1", n4="n1")
    assert apart.signature() != shared.signature()


def test_summary_reads_like_a_plan() -> None:
    plan = PlanGraph(
        nodes=[PlanNode(id="n2", op="bridge", query="age of {n1}", depends_on=["n1"]), PlanNode(id="n1", query="x")]
    )
    assert plan.summary() == "n1 lookup: x (0.70)\nn2 bridge after n1: age of {n1} (0.70)"


def test_mermaid_escapes_what_would_end_a_label() -> None:
    plan = PlanGraph(nodes=[PlanNode(id="n1", query='say "hi"] --> {n2} #1; <b>')])
    line = plan.mermaid().splitlines()[1]
    assert line == '  n1["n1 lookup: say #34;hi#34;#93; --#62; #123;n2#125; #35;1#59; #60;b#62;"]'


def test_mermaid_draws_edges() -> None:
    assert "  n1 --> n2" in graph(n1="", n2="n1").mermaid().splitlines()


def test_placeholders_in_order_once() -> None:
    assert placeholders("{n2} and {n1} and {n2}, not {x} or n3") == ["n2", "n1"]


@pytest.mark.parametrize(
    ("query", "values", "filled"),
    [
        ("Where was {n1} born?", {"n1": "Ada"}, "Where was Ada born?"),
        ("Where was {n1} born?", {}, "Where was born?"),
        ("Who is {n1}'s father?", {}, "Who is father?"),
        ("mother of {n1} ?", {"n1": " "}, "mother of?"),
        ("{n1} {n2}", {"n1": "{n2}", "n2": "b"}, "n2 b"),
    ],
)
def test_fill(query: str, values: dict[str, str], filled: str) -> None:
    assert fill(query, values) == filled
