"""Keeps the plan within its budget: drops nodes of little confidence, then of little use."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from models.questions import content_terms
from nodes.context import Context
from nodes.deps import Deps
from nodes.state import Dropped, Pruning, State
from prompts.plan import PlanGraph, PlanNode
from tools.evidence import jaccard


async def prune(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Choose which plan nodes run."""
    context = runtime.context
    plan = PlanGraph.model_validate(state["plan_graph"])
    if not context.prune:
        return {"pruning": Pruning(kept=[n.id for n in plan.topological_order()], dropped=[])}
    pruning = choose(plan, context.confidence_threshold, context.max_budget, context.prune_weights)
    none_left = bool(plan.nodes) and not pruning["kept"]
    return {
        "pruning": pruning,
        "warnings": ["prune: no node of the plan was kept, the question alone is searched"] if none_left else [],
    }


def choose(plan: PlanGraph, threshold: float, budget: int, weights: list[float]) -> Pruning:
    """Choose greedily by utility, closed over parents, while the cost fits the budget.

    utility = w₁·confidence + w₂·novelty + w₃·hop coverage; novelty = 1 − highest query similarity (Jaccard of content
    terms) to a chosen node; hop coverage = 1 / (1 + chosen nodes of the same depth). A node is chosen together with its
    ancestors that are not chosen yet; ancestors under the threshold stay out, and the child then searches without them.

    Args:
        plan: what may be run.
        threshold: nodes of lower confidence are dropped, 0 to 1.
        budget: highest Σ budget_cost.
        weights: w₁, w₂, w₃; only their ratios matter.
    """
    confident = {n.id for n in plan.nodes if n.confidence >= threshold}
    dropped = [
        Dropped(id=n.id, utility=0.0, reason=f"confidence {n.confidence:.2f} is under {threshold:.2f}")
        for n in plan.nodes
        if n.id not in confident
    ]
    chosen: dict[str, PlanNode] = {}
    facts = {n.id: _Facts(n.confidence, frozenset(content_terms(n.query)), plan.depth(n.id)) for n in plan.nodes}
    left = [n for n in plan.topological_order() if n.id in confident]
    utility: dict[str, float] = {}
    while left:
        utility = {n.id: _utility(facts[n.id], [facts[c] for c in chosen], weights) for n in left}
        fitting = [(n, c) for n in left if (c := _closure(n, plan, confident, chosen)) and _cost(c, chosen) <= budget]
        if not fitting:
            break
        _, closure = max(fitting, key=lambda pair: utility[pair[0].id])
        chosen.update((n.id, n) for n in closure)
        left = [n for n in left if n.id not in chosen]
    spent = _cost([], chosen)
    dropped += [
        Dropped(
            id=n.id,
            utility=round(utility[n.id], 4),
            reason=f"{spent} of the budget of {budget} is spent, it costs more",
        )
        for n in left
    ]
    return Pruning(kept=[n.id for n in plan.topological_order() if n.id in chosen], dropped=dropped)


def _closure(node: PlanNode, plan: PlanGraph, confident: set[str], chosen: dict[str, PlanNode]) -> list[PlanNode]:
    """The node with its ancestors that would have to be chosen too."""
    wanted = {node.id, *(plan.ancestors(node.id) & confident)} - chosen.keys()
    return [plan.node(i) for i in sorted(wanted)]


def _cost(new: list[PlanNode], chosen: dict[str, PlanNode]) -> int:
    return sum(n.budget_cost for n in [*new, *chosen.values()])


class _Facts(NamedTuple):
    """What the utility of a node rests on, taken once."""

    confidence: float
    terms: frozenset[str]
    depth: int


def _utility(node: _Facts, chosen: Sequence[_Facts], weights: list[float]) -> float:
    novelty = 1 - max((jaccard(node.terms, c.terms) for c in chosen), default=0.0)
    coverage = 1 / (1 + sum(c.depth == node.depth for c in chosen))
    parts = (node.confidence, novelty, coverage)
    return sum(w * part for w, part in zip(weights, parts, strict=True)) / sum(weights)
