"""Ranks the union of all hops' passages; what is left is what the answer may rest on."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from models.cross_encoder import cross_encode
from nodes.context import Context
from nodes.deps import Deps
from nodes.probe import PROBE
from nodes.state import RankedHit, State
from nodes.steering import must_stay
from stores.records import Hit
from tools.ranking import Found, hop_fusion, hop_ranking


async def rerank(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Order the passages of all hops, best first; keep `rerank_top_k` and what the operators demand.

    Raises:
        ModelError: the cross-encoder is not installed or unknown.
    """
    context = runtime.context
    hits = union(state, fuse=context.reranker == "rrf")
    if hits and context.reranker not in ("ranker", "rrf"):
        scores = await _scores(state["question"], hits, context, deps)
        hits = sorted(({**h, "score": s} for h, s in zip(hits, scores, strict=True)), key=lambda h: -h["score"])
    stay = must_stay(state)
    kept = [h for place, h in enumerate(hits) if place < context.rerank_top_k or h["id"] in stay]
    return {"ranked": kept, "models": {"reranker": context.reranker}}


def union(state: State, *, fuse: bool) -> list[RankedHit]:
    """Every hop's passages, each once, by plain fusion or by `tools.ranking.hop_ranking`."""
    confidence = {n["id"]: float(n["confidence"]) for n in state["plan_graph"]["nodes"]}
    found: dict[str, list[Found]] = {}
    hits: dict[str, Hit] = {}
    for hop in state["hops"].values():
        asked = hop["id"] == PROBE
        for rank, hit in enumerate(hop["passages"], start=1):
            hits.setdefault(hit["id"], hit)
            place = Found(hop["id"], rank, confidence.get(hop["id"], 1.0), hit["score"], asked)
            found.setdefault(hit["id"], []).append(place)
    scores = hop_fusion(found) if fuse else hop_ranking(found)
    order = sorted(scores, key=lambda i: -scores[i])
    return [{**hits[i], "score": scores[i], "hops": _citation_ids(found[i])} for i in order]


def _citation_ids(found: list[Found]) -> list[str]:
    """The ids under which a passage may be cited: plan nodes before the probe, the better rank first."""
    return [f"{f.hop}.{f.rank}" for f in sorted(found, key=lambda f: (f.hop == PROBE, f.rank, f.hop))]


async def _scores(question: str, hits: list[RankedHit], context: Context, deps: Deps) -> list[float]:
    match context.reranker.partition(":"):
        case ("none", "", ""):
            return [0.0 for _ in hits]
        case ("cosine", "", ""):
            return await (await deps.search(context.namespace)).cosine(question, hits)
        case ("cross-encoder", ":", name) if name:
            return await asyncio.to_thread(cross_encode, name, question, [h["text"] for h in hits])
    raise AssertionError(f"Context lets no reranker {context.reranker!r} pass")
