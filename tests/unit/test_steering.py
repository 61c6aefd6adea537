"""What each operator demands of the evidence."""

from typing import Any

from nodes.hop import side_by_side
from nodes.steering import fails_filter, must_stay
from tests.fakes import hit


def state(op: str, parents: dict[str, list[Any]], own: list[Any], bindings: list[Any] | None = None) -> Any:
    nodes = [{"id": i, "query": i} for i in parents]
    nodes.append({"id": "n9", "query": "x", "op": op, "depends_on": list(parents)})  # type: ignore[dict-item]
    hops = {i: {"id": i, "op": "lookup", "passages": hits, "bindings": []} for i, hits in parents.items()}
    hops["n9"] = {"id": "n9", "op": op, "passages": own, "bindings": bindings or []}
    return {"plan_graph": {"question": "q", "nodes": nodes}, "hops": hops}


SIDES = {"n1": [hit("A"), hit("B")], "n2": [hit("C"), hit("D")]}


def test_lookup_demands_nothing() -> None:
    assert must_stay(state("lookup", SIDES, [hit("X")])) == set()


def test_a_bridge_keeps_what_it_crossed() -> None:
    bound = state("bridge", {"n1": SIDES["n1"]}, [hit("X"), hit("Y")], [{"passage_id": "b"}])
    assert must_stay(bound) == {"b", "x"}


def test_a_comparison_keeps_both_sides_and_a_list_every_item() -> None:
    assert must_stay(state("compare", SIDES, [])) == {"a", "c"}
    assert must_stay(state("aggregate", SIDES, [])) == {"a", "c"}


def test_a_claim_keeps_what_speaks_for_and_against() -> None:
    assert must_stay(state("verify", {}, [hit("X"), hit("Y"), hit("Z")])) == {"x", "y"}


def test_a_filter_drops_the_parents_passages_that_fail() -> None:
    passed = [hit("A"), hit("X", linked_from=["c"], mentions=["D"])]
    assert fails_filter(state("filter", SIDES, passed)) == {"b"}


def test_a_filter_that_found_nothing_drops_nothing() -> None:
    assert fails_filter(state("filter", SIDES, [])) == set()


def test_side_by_side_takes_turns() -> None:
    assert [h["title"] for h in side_by_side([[hit("A"), hit("B")], [hit("C"), hit("A")]], 3)] == ["A", "C", "B"]
