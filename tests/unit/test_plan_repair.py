import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.plan import MAX_QUERY, PlanError, PlanGraph, repair

ids = st.sampled_from(["n1", "n2", "n3", "N2", "step 1", "", 1, 2, 0, None, "n0", "a"])
queries = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["who is {n1}?", "{n2} {step 1}", "{n1}", "{{n3}}", "x", "X", "{", "n1}", "{a.answer}"]),
)
nodes = st.fixed_dictionaries(
    {},
    optional={
        "id": ids,
        "op": st.one_of(st.sampled_from(["lookup", "BRIDGE", "compare", "?"]), st.none()),
        "query": queries,
        "depends_on": st.one_of(st.lists(ids, max_size=4), ids),
        "confidence": st.one_of(st.floats(), st.sampled_from(["90%", ".5", 80, None, True])),
        "budget_cost": st.one_of(st.integers(), st.none()),
    },
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8) | st.just("nodes"), inner, max_size=4)
    ),
    max_leaves=12,
)
plans = st.lists(nodes, max_size=8) | st.fixed_dictionaries({"nodes": st.lists(nodes, max_size=8)}) | json_values


@settings(max_examples=120, deadline=None)
@given(plans, st.integers(1, 5))
def test_any_json_becomes_a_small_dag_and_stays_as_it_is(data: object, max_nodes: int) -> None:
    try:
        plan, _ = repair(data, "q", max_nodes)
    except PlanError:
        return
    assert 1 <= len(plan.nodes) <= max_nodes
    assert len(plan.topological_order()) == len(plan.nodes)
    assert repair(plan.model_dump(), "q", max_nodes) == (plan, [])


def fixed(*nodes: dict[str, object] | str, max_nodes: int = 8) -> tuple[list[tuple[str, str, list[str]]], list[str]]:
    plan, notes = repair({"nodes": list(nodes)}, "q", max_nodes)
    return [(node.id, node.query, node.depends_on) for node in plan.nodes], notes


def test_a_valid_plan_is_not_touched() -> None:
    data = {
        "nodes": [
            {"id": "n4", "query": "director of Jaws"},
            {"id": "n2", "op": "bridge", "query": "age of {n4}", "depends_on": ["n4"]},
        ]
    }
    plan, notes = repair(data, "q", 8)
    assert notes == []
    assert [node.id for node in plan.nodes] == ["n4", "n2"]


def test_ids_are_renamed_and_placeholders_follow() -> None:
    nodes, notes = fixed(
        {"id": "step 2", "query": "age of {director}"}, {"id": "director", "query": "director of Jaws"}
    )
    assert nodes == [("n2", "age of {n1}", ["n1"]), ("n1", "director of Jaws", [])]
    assert any("director" in note for note in notes)


def test_a_list_of_queries_is_a_plan() -> None:
    assert fixed("a", "b")[0] == [("n1", "a", []), ("n2", "b", [])]


def test_doubles_are_merged_and_their_children_too() -> None:
    nodes, notes = fixed(
        {"id": "n1", "query": "a"},
        {"id": "n2", "query": "A"},
        {"id": "n3", "query": "b {n1}"},
        {"id": "n4", "query": "b {n2}"},
    )
    assert nodes == [("n1", "a", []), ("n3", "b {n1}", ["n1"])]
    assert any("n2 repeated n1" in note for note in notes)


def test_self_reference_and_unknown_parent_are_dropped() -> None:
    nodes, notes = fixed({"id": "n1", "query": "a {n1} {n9} b", "depends_on": ["n1", "n7"]})
    assert nodes == [("n1", "a b", [])]
    assert len(notes) == 2


def test_a_circle_is_cut_at_the_least_confident_child() -> None:
    nodes, notes = fixed(
        {"id": "n1", "query": "a {n2}", "confidence": 0.9}, {"id": "n2", "query": "b {n1}", "confidence": 0.2}
    )
    assert nodes == [("n1", "a {n2}", ["n2"]), ("n2", "b", [])]
    assert any("circle" in note for note in notes)


def test_a_large_plan_keeps_the_confident_nodes_with_their_parents() -> None:
    nodes, notes = fixed(
        {"query": "weak", "confidence": 0.4},
        {"query": "parent", "confidence": 0.1},
        {"query": "child {n2}", "confidence": 0.9},
        max_nodes=2,
    )
    assert [node[0] for node in nodes] == ["n2", "n3"]
    assert any("n1 dropped" in note for note in notes)


def test_a_long_query_is_cut_and_said() -> None:
    nodes, notes = fixed("x\x00y\n" + "z" * 5000)
    assert len(nodes[0][1]) == MAX_QUERY
    assert nodes[0][1].startswith("x y z")
    assert any("cut" in note for note in notes)


def test_a_cut_never_leaves_half_a_placeholder() -> None:
    nodes, _ = fixed("p", {"id": "n2", "query": "z" * (MAX_QUERY - 2) + "{n1}", "depends_on": ["n1"]})
    assert "{" not in nodes[1][1]


def test_odd_confidences() -> None:
    plan, _ = repair([{"query": "a", "confidence": "90%"}, {"query": "b", "confidence": float("nan")}], "q", 8)
    assert [node.confidence for node in plan.nodes] == [0.9, 0.7]


def test_operators_follow_the_edges() -> None:
    plan, _ = repair([{"query": "a", "op": "bridge"}, {"query": "b {n1}", "op": "lookup"}], "q", 8)
    assert [node.op for node in plan.nodes] == ["lookup", "bridge"]


@pytest.mark.parametrize("data", [None, "text", 3, [], {}, {"nodes": []}, [{"id": "n1"}], [" \n"], ["{n7}"]])
def test_without_a_query_there_is_no_plan(data: object) -> None:
    with pytest.raises(PlanError, match="plan: "):
        repair(data, "q", 8)


def test_a_complete_graph_is_cut_quickly() -> None:
    everyone = [f"n{i}" for i in range(1, 65)]
    plan, _ = repair([{"id": i, "query": f"q {i}", "depends_on": everyone} for i in everyone], "q", 32)
    assert isinstance(plan, PlanGraph)
