"""Chooses the evidence that synthesis sees: distinct, covering, within the tokens, best first and last."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from models.questions import content_terms
from models.reader import Reader
from nodes.context import Context
from nodes.deps import Deps
from nodes.fallback import triggers_of
from nodes.state import RankedHit, State
from nodes.steering import fails_filter, must_stay
from prompts.answer import Evidence
from prompts.plan import PlanGraph
from tools.evidence import attention_order, choose_covering, compress, distinct, share, tokens

UNCOMPRESSED = 4
"""So many of the best passages are shown whole."""
RELEVANT = 0.5
"""Sentences of the others stay when they have this share of the best sentence's relevance."""


async def assemble(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Pick and order the evidence, and test whether it is plainly too thin to spend an answer on."""
    context = runtime.context
    evidence = await asyncio.to_thread(select, state, context, await deps.reader())
    return {"evidence": evidence, "triggers": triggers_of(state, context, answered=False)}


def select(state: State, context: Context, reader: Reader) -> list[Evidence]:
    """De-duplicate → operators' say → coverage-aware choice → tokens by confidence → compress → order."""
    hits = _distinct(_without_failed(state), context.dedup_threshold)
    if not hits:
        return []
    terms = [set(content_terms(f"{h['title']} {h['text']}")) for h in hits]
    wanted = set(content_terms(" ".join([state["question"], *(h["bound_query"] for h in state["hops"].values())])))
    stay = must_stay(state)
    chosen = choose_covering(
        [max(h["score"], 0.0) for h in hits],
        terms,
        wanted,
        alpha=context.coverage_alpha,
        min_gain=context.min_gain,
        required={i for i, h in enumerate(hits) if h["id"] in stay},
    )
    ranked = sorted(chosen)  # the choice says which; the ranking says in which order
    evidence = [_evidence(hits[i], place, state["question"], reader) for place, i in enumerate(ranked)]
    fitting = _fit(evidence, state, context.context_tokens)
    return attention_order(fitting) if context.passage_order == "attention" else fitting


def _without_failed(state: State) -> list[RankedHit]:
    failed = fails_filter(state)
    return [hit for hit in state["ranked"] if hit["id"] not in failed]


def _distinct(hits: list[RankedHit], threshold: float) -> list[RankedHit]:
    """Near-copies are merged into the best ranked one, which keeps all their citation ids."""
    first = distinct([set(content_terms(h["text"])) for h in hits], threshold)
    merged = {i: hits[i].copy() for i in first.values()}
    for i, original in first.items():
        if i != original:
            merged[original]["hops"] = [*merged[original]["hops"], *hits[i]["hops"]]
    return list(merged.values())


def _evidence(hit: RankedHit, place: int, question: str, reader: Reader) -> Evidence:
    text = hit["text"]
    if place >= UNCOMPRESSED:
        text = compress(text, lambda t: reader.sentences(question, t), RELEVANT)
    return Evidence(
        ids=hit["hops"],
        passage_id=hit["id"],
        document_id=hit["document_id"],
        title=hit["title"],
        text=text,
        compressed=text != hit["text"],
        score=hit["score"],
    )


def _fit(evidence: list[Evidence], state: State, budget: int) -> list[Evidence]:
    """What fits the tokens; the very best passage is cut to size rather than left out."""
    confidence = {n.id: n.confidence for n in PlanGraph.model_validate(state["plan_graph"]).nodes}
    owners = [e["ids"][0].partition(".")[0] for e in evidence]
    weights = {o: confidence.get(o, 1.0) for o in owners}
    fits = share([tokens(e["text"]) for e in evidence], owners, weights, budget)
    if not any(fits):
        best = evidence[0]
        return [{**best, "text": best["text"][: budget * 4], "compressed": True}]
    return [e for e, fit in zip(evidence, fits, strict=True) if fit]
