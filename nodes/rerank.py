"""Ranks the union of all hops' passages; what is left is what the answer may rest on."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from models.cross_encoder import cross_encode
from nodes.context import Context
from nodes.deps import Deps
from nodes.state import RankedHit, State
from nodes.steering import must_stay
from prompts.plan import PlanGraph
from stores.errors import InputError
from stores.records import Hit
from tools.ranking import hop_ranking

RERANKERS = "ranker, rrf, cosine, cross-encoder:NAME, none"


async def rerank(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Order the passages of all hops, best first; keep `rerank_top_k` and what the operators demand.

    Raises:
        InputError: no reranker of that name.
        ModelError: the cross-encoder is not installed or unknown.
    """
    context = runtime.context
    hits = union(state, links=context.reranker == "ranker")
    if hits and context.reranker not in ("ranker", "rrf"):
        scores = await _scores(state["question"], hits, context, deps)
        hits = sorted(({**h, "score": s} for h, s in zip(hits, scores, strict=True)), key=lambda h: -h["score"])  # type: ignore[misc]
    stay = must_stay(state)
    kept = [h for place, h in enumerate(hits) if place < context.rerank_top_k or h["id"] in stay]
    return {"ranked": kept, "models": {"reranker": context.reranker}}


def union(state: State, *, links: bool) -> list[RankedHit]:
    """Every hop's passages, each once, by `tools.ranking.hop_ranking`."""
    plan = PlanGraph.model_validate(state["plan_graph"])
    confidence = {n.id: n.confidence for n in plan.nodes}
    found: dict[str, list[tuple[str, int, float]]] = {}
    hits: dict[str, Hit] = {}
    for hop in state["hops"].values():
        for rank, hit in enumerate(hop["passages"], start=1):
            hits.setdefault(hit["id"], hit)
            found.setdefault(hit["id"], []).append((hop["id"], rank, confidence.get(hop["id"], 1.0)))
    scores = hop_ranking(found, hits if links else {})
    return [
        RankedHit(**{**hits[i], "score": scores[i]}, hops=_citation_ids(found[i]))  # type: ignore[typeddict-item]
        for i in sorted(scores, key=lambda i: -scores[i])
    ]


def _citation_ids(found: list[tuple[str, int, float]]) -> list[str]:
    """The ids under which a passage may be cited: plan nodes before the probe, the better rank first."""
    return [f"{hop}.{rank}" for hop, rank, _ in sorted(found, key=lambda f: (f[0] == "n0", f[1], f[0]))]


async def _scores(question: str, hits: list[RankedHit], context: Context, deps: Deps) -> list[float]:
    match context.reranker.partition(":"):
        case ("none", "", ""):
            return [0.0 for _ in hits]
        case ("cosine", "", ""):
            return await (await deps.search(context.namespace)).cosine(question, hits)
        case ("cross-encoder", ":", name) if name:
            return await asyncio.to_thread(cross_encode, name, question, [h["text"] for h in hits])
    raise InputError(f"rerank: {context.reranker!r} is not a reranker; take one of {RERANKERS}")
