"""What the operators of a plan demand of the evidence (the operator table of the README)."""

from nodes.state import Hop, State
from prompts.plan import PlanGraph


def must_stay(state: State) -> set[str]:
    """Passages that stay whatever their gain.

    bridge: the passage its binding was read from; compare and aggregate: the best passage of each parent, so that all
    sides and items are present; verify: its two best, for and against. A bridge's own best passage stays too.
    """
    hops, stay = state["hops"], set[str]()
    for node in PlanGraph.model_validate(state["plan_graph"]).nodes:
        hop = hops.get(node.id)
        if hop is None:
            continue
        match node.op:
            case "bridge":
                stay |= {hop["bindings"][0]["passage_id"]} if hop["bindings"] else set()
                stay |= _best(hop, 1)
            case "compare" | "aggregate":
                stay |= {i for parent in node.depends_on if parent in hops for i in _best(hops[parent], 1)}
            case "verify":
                stay |= _best(hop, 2)
    return stay


def fails_filter(state: State) -> set[str]:
    """Passages of a filter's parents that fail it: neither found by the filter nor linked with what it found."""
    hops, failed = state["hops"], set[str]()
    for node in PlanGraph.model_validate(state["plan_graph"]).nodes:
        hop = hops.get(node.id)
        if node.op != "filter" or hop is None or not hop["passages"]:
            continue
        passed = {hit["id"] for hit in hop["passages"]}
        linked = {i for hit in hop["passages"] for i in hit["linked_from"]}
        named = {title for hit in hop["passages"] for title in hit["mentions"]}
        for hit in (h for parent in node.depends_on if parent in hops for h in hops[parent]["passages"]):
            if hit["id"] not in passed | linked and hit["title"] not in named:
                failed.add(hit["id"])
    return failed


def _best(hop: Hop, count: int) -> set[str]:
    return {hit["id"] for hit in hop["passages"][:count]}
