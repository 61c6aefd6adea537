"""Chooses the evidence that synthesis sees: distinct, covering, within the tokens, best first and last."""

import asyncio
import functools
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
from tools.evidence import CHARS_PER_TOKEN, attention_order, choose_covering, compress, distinct, share, tokens

UNCOMPRESSED = 4
"""So many of the best passages are shown whole."""
RELEVANT = 0.5
"""Sentences of the others stay when they have this share of the best sentence's relevance."""


async def assemble(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Pick and order the evidence, and test whether it is plainly too thin to spend an answer on."""
    context = runtime.context
    evidence = await asyncio.to_thread(select, state, context, await deps.reader(context.reader))
    return {"evidence": evidence, "triggers": triggers_of(state, context, answered=False)}


def select(state: State, context: Context, reader: Reader) -> list[Evidence]:
    """De-duplicate → operators' say → coverage-aware choice → tokens by confidence → compress → order."""
    stay = must_stay(state)
    hits = _distinct(_without_failed(state), context.dedup_threshold, stay)
    if not hits:
        return []
    terms = [set(content_terms(f"{h['title']} {h['text']}")) for h in hits]
    wanted = set(content_terms(" ".join([state["question"], *(h["bound_query"] for h in state["hops"].values())])))
    required = {i for i, h in enumerate(hits) if h["id"] in stay}
    chosen = choose_covering(
        [max(h["score"], 0.0) for h in hits],
        terms,
        wanted,
        alpha=context.coverage_alpha,
        min_gain=context.min_gain,
        required=required,
    )
    ranked = sorted(chosen)  # the choice says which; the ranking says in which order
    sentences = functools.partial(reader.sentences, state["question"])
    whole = UNCOMPRESSED if context.compress else len(ranked)
    shown = [
        hits[i]["text"] if place < whole else compress(hits[i]["text"], sentences, RELEVANT)
        for place, i in enumerate(ranked)
    ]
    evidence = [_evidence(hits[i], text) for i, text in zip(ranked, shown, strict=True)]
    fitting = _fit(evidence, [i in required for i in ranked], state, context.context_tokens)
    return attention_order(fitting) if context.passage_order == "attention" else fitting


def _without_failed(state: State) -> list[RankedHit]:
    failed = fails_filter(state)
    return [hit for hit in state["ranked"] if hit["id"] not in failed]


def _distinct(hits: list[RankedHit], threshold: float, stay: set[str]) -> list[RankedHit]:
    """Near-copies are merged into the best ranked one, which keeps all their citation ids.

    Two that stay and have different titles are two sides, however alike their texts are. Of a merged passage that
    stays, the id of its original is added to `stay`.
    """
    first = distinct([set(content_terms(h["text"])) for h in hits], threshold)
    for i, original in first.items():
        if hits[i]["id"] in stay and hits[i]["title"] != hits[original]["title"]:
            first[i] = i
        elif hits[i]["id"] in stay:
            stay.add(hits[original]["id"])
    merged = {i: hits[i].copy() for i in first.values()}
    for i, original in first.items():
        if i != original:
            merged[original]["hops"] = [*merged[original]["hops"], *hits[i]["hops"]]
    return list(merged.values())


def _evidence(hit: RankedHit, text: str) -> Evidence:
    return Evidence(
        ids=hit["hops"],
        passage_id=hit["id"],
        document_id=hit["document_id"],
        title=hit["title"],
        text=text,
        compressed=text != hit["text"],
        score=hit["score"],
    )


def _fit(evidence: list[Evidence], required: list[bool], state: State, budget: int) -> list[Evidence]:
    """What fits the tokens. What is required, or else the best passage, is cut to size rather than left out."""
    needed = required if any(required) else [i == 0 for i in range(len(evidence))]
    room = budget // sum(needed)
    cut = [_cut(e, room) if need else e for e, need in zip(evidence, needed, strict=True)]
    confidence = {n["id"]: float(n["confidence"]) for n in state["plan_graph"]["nodes"]}
    owners = [e["ids"][0].partition(".")[0] for e in cut]
    weights = {o: confidence.get(o, 1.0) for o in owners}
    fits = share([tokens(e["text"]) for e in cut], owners, weights, budget, needed)
    return [e for e, fit in zip(cut, fits, strict=True) if fit]


def _cut(evidence: Evidence, room: int) -> Evidence:
    if tokens(evidence["text"]) <= room:
        return evidence
    return {**evidence, "text": evidence["text"][: room * CHARS_PER_TOKEN], "compressed": True}
