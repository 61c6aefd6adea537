"""Searches again when the evidence or the answer is too thin: tests, and new queries that become new plan nodes."""

from typing import Any, Literal

from langgraph.runtime import Runtime

from models.rewriting import rewrite
from nodes.context import Context
from nodes.deps import Deps
from nodes.probe import PROBE
from nodes.state import Answered, Fallback, Hop, State
from prompts.plan import PlanGraph, PlanNode

NEW_QUERIES = 3
"""Most new queries of one round."""
FALLBACK_CONFIDENCE = 0.5


async def fallback(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Turn the triggers into new plan nodes; without a new query to try, the run goes on with what it has."""
    plan = PlanGraph.model_validate(state["plan_graph"])
    queries = new_queries(state)
    number = max((int(n.id[1:]) for n in plan.nodes), default=0)
    nodes = [
        PlanNode(id=f"n{number + i}", op="lookup", query=query, depends_on=[], confidence=FALLBACK_CONFIDENCE)
        for i, query in enumerate(queries, start=1)
    ]
    pruning = state["pruning"]
    update = {
        "plan_graph": PlanGraph(question=plan.question, nodes=[*plan.nodes, *nodes]).model_dump(),
        "pruning": {**pruning, "kept": [*pruning["kept"], *(n.id for n in nodes)]},
        "fallbacks": [*state["fallbacks"], Fallback(trigger=state["triggers"], queries=queries)],
    }
    if nodes and state["explanation"]:
        runtime.stream_writer({"type": "answer_reset"})
        update |= {"rejected": answered(state), "answer": "", "explanation": "", "citations": []}
    return update


def answered(state: State) -> Answered:
    """The answer of the state, as one record."""
    return Answered(
        answer=state["answer"],
        explanation=state["explanation"],
        sufficient=state["sufficient"],
        citations=state["citations"],
        check=state["check"],
        confidence=state["confidence"],
    )


def triggers_of(state: State, context: Context, *, answered: bool) -> list[str]:
    """Why to search again: empty when there is no reason, or no round left.

    Args:
        state: after assemble (answered False) or after check (answered True).
        context: thresholds.
        answered: whether the check of an answer counts too.
    """
    if not context.fallback or len(state["fallbacks"]) >= context.max_fallbacks:
        return []
    if any(not done["queries"] for done in state["fallbacks"]):
        return []  # there was nothing more to try
    hops = list(state["hops"].values())
    found = {hit["id"] for hop in hops for hit in hop["passages"]}
    entropy = state["planning"]["entropy"]
    parents = {p for n in state["plan_graph"]["nodes"] for p in n["depends_on"]}
    tests = {
        "plan_coverage": plan_coverage(state) < context.min_plan_coverage,
        "few_passages": len(found) < context.min_passages,
        "entropy": entropy is not None and entropy > context.max_entropy and not state["fallbacks"],
        "failed_node": any(hop["error"] and not hop["passages"] for hop in hops) and not state["fallbacks"],
        "empty_parent": any(hop["id"] in parents and not hop["passages"] for hop in hops) and not state["fallbacks"],
        "unsupported": answered and not (state["check"]["supported"] and state["sufficient"]),
    }
    return [name for name, fired in tests.items() if fired]


def asked_nodes(state: State) -> list[dict[str, Any]]:
    """The plan's nodes without those of fallback rounds and others that are made to find, not to be answered."""
    added = {query for done in state["fallbacks"] for query in done["queries"]}
    unasked = state.get("unasked", [])
    return [n for n in state["plan_graph"]["nodes"] if n["query"] not in added and n["id"] not in unasked]


def plan_coverage(state: State) -> float:
    """Σ confidence of nodes with a usable passage / Σ confidence of the nodes kept.

    The nodes of fallback rounds do not count; where no node was kept it is whether the probe found a passage.
    """
    kept = set(state["pruning"]["kept"])
    weights = {n["id"]: float(n["confidence"]) for n in asked_nodes(state) if n["id"] in kept} or {PROBE: 1.0}
    usable = sum(w for i, w in weights.items() if i in state["hops"] and state["hops"][i]["passages"])
    return usable / (sum(weights.values()) or 1.0)


def new_queries(state: State) -> list[str]:
    """Queries not tried yet: rewrites of the hops that found nothing, then of the question."""
    tried = {q.lower() for hop in state["hops"].values() for q in (hop["query"], hop["bound_query"])}
    bad = [hop for hop in state["hops"].values() if not hop["passages"]]
    titles = _unread_titles(state["hops"])
    texts = [hop["bound_query"] for hop in bad] + [state["question"]]
    rewritten = dict.fromkeys(q for text in texts for q in rewrite(text, titles))
    return [q for q in rewritten if q.lower() not in tried][:NEW_QUERIES]


def _unread_titles(hops: dict[str, Hop]) -> list[str]:
    """Titles that the best passages name but no hop has found: where a missing bridge may lie."""
    found = {hit["title"] for hop in hops.values() for hit in hop["passages"]}
    named = (t for hop in hops.values() for hit in hop["passages"][:2] for t in hit["mentions"])
    return [t for t in dict.fromkeys(named) if t not in found]


def after_assemble(state: State) -> Literal["fallback", "synthesize"]:
    """Evidence plainly too thin is not worth an answer."""
    return "fallback" if state["triggers"] else "synthesize"


def after_check(state: State) -> Literal["fallback", "__end__"]:
    """An answer that does not hold gets another round."""
    return "fallback" if state["triggers"] else "__end__"


def after_fallback(state: State) -> Literal["retrieve", "synthesize", "__end__"]:
    """With new queries, search; with none, answer from what there is, or leave the answer that was given."""
    if state["fallbacks"][-1]["queries"]:
        return "retrieve"
    return "__end__" if state["explanation"] else "synthesize"
