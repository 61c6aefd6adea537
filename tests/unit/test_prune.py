from nodes.prune import choose
from prompts.plan import PlanGraph

WEIGHTS = [0.4, 0.3, 0.3]


def plan(*nodes: dict[str, object]) -> PlanGraph:
    return PlanGraph(question="q", nodes=[{"query": f"query {n['id']} {n['id']}x", **n} for n in nodes])  # type: ignore[misc]


def test_everything_is_kept_while_it_fits() -> None:
    pruning = choose(plan({"id": "n1"}, {"id": "n2", "depends_on": ["n1"]}), 0.3, 10, WEIGHTS)
    assert pruning == {"kept": ["n1", "n2"], "dropped": []}


def test_a_doubtful_node_is_dropped_with_its_reason() -> None:
    pruning = choose(plan({"id": "n1", "confidence": 0.2}, {"id": "n2"}), 0.3, 10, WEIGHTS)
    assert pruning["kept"] == ["n2"]
    assert pruning["dropped"] == [{"id": "n1", "utility": 0.0, "reason": "confidence 0.20 is under 0.30"}]


def test_a_node_brings_its_parents_or_stays_out() -> None:
    chain = plan(
        {"id": "n1", "confidence": 0.4},
        {"id": "n2", "depends_on": ["n1"], "confidence": 0.9},
        {"id": "n3", "confidence": 0.5},
    )
    assert choose(chain, 0.3, 2, WEIGHTS)["kept"] == ["n1", "n2"]
    assert choose(chain, 0.3, 1, WEIGHTS)["kept"] == ["n3"]


def test_the_budget_counts_costs_not_nodes() -> None:
    costly = plan({"id": "n1", "op": "verify"}, {"id": "n2", "op": "verify"}, {"id": "n3"})
    pruning = choose(costly, 0.3, 3, WEIGHTS)
    assert sum(2 if i in ("n1", "n2") else 1 for i in pruning["kept"]) <= 3
    assert all("budget of 3" in d["reason"] for d in pruning["dropped"])


def test_of_two_alike_the_new_one_is_kept() -> None:
    nodes = [
        {"id": "n1", "query": "birthplace of Marie Curie", "confidence": 0.9},
        {"id": "n2", "query": "Marie Curie birthplace", "confidence": 0.88},
        {"id": "n3", "query": "height of the Eiffel Tower", "confidence": 0.7},
    ]
    assert choose(plan(*nodes), 0.3, 2, WEIGHTS)["kept"] == ["n1", "n3"]


def test_a_deeper_hop_is_preferred_to_another_of_the_same_depth() -> None:
    nodes = [
        {"id": "n1", "query": "alpha", "confidence": 0.9},
        {"id": "n2", "query": "beta", "confidence": 0.8},
        {"id": "n3", "query": "gamma", "confidence": 0.8, "depends_on": ["n1"]},
    ]
    assert choose(plan(*nodes), 0.3, 2, WEIGHTS)["kept"] == ["n1", "n3"]
