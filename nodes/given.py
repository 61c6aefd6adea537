"""Takes the passages to answer from out of the input: as they are, or by the ids under which they are stored."""

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.deps import Deps
from nodes.given_state import OracleState
from nodes.probe import PROBE
from nodes.state import Hop, RankedHit
from stores.errors import InputError
from stores.records import Passage
from tools.retrieval import hash_text, unmeasured

HOW = "give {'title': ..., 'text': ...}, or the id of a stored passage or document"


async def given(state: OracleState, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Make the given passages what was found, in their order.

    Raises:
        InputError: none is given, one has no text, or an id is not stored.
    """
    passages: list[Passage] = []
    for number, one in enumerate(state.get("passages") or [], start=1):
        if isinstance(one, Mapping):
            passages.append(_passage(one, number))
        else:
            passages += await _stored(one, runtime.context, deps)
    if not passages:
        raise InputError(f"passages: none is given: {HOW}")
    hits = unmeasured(list({passage["id"]: passage for passage in passages}.values()))
    question = state["question"]
    hop = Hop(
        id=PROBE, op="lookup", query=question, bound_query=question, bindings=[], passages=hits, ms=0.0, error=None
    )
    ranked = [RankedHit(**hit, hops=[f"{PROBE}.{rank}"]) for rank, hit in enumerate(hits, start=1)]
    return {"hops": {PROBE: hop}, "ranked": ranked, "passages": []}


def _passage(one: Mapping[str, Any], number: int) -> Passage:
    title, text = one.get("title", ""), one.get("text", "")
    if not isinstance(text, str) or not text.strip() or not isinstance(title, str):
        raise InputError(f"passages: number {number} has no text ({str(dict(one))[:80]}): {HOW}")
    identity = str(one.get("id") or hash_text(f"{title}\n{text}"))
    document = str(one.get("document_id") or identity)
    return Passage(id=identity, document_id=document, title=title, text=text, metadata={})


async def _stored(identity: object, context: Context, deps: Deps) -> list[Passage]:
    """The passage of this id, else the passages of the document of this id."""
    if not isinstance(identity, str):
        raise InputError(f"passages: {identity!r} is no passage: {HOW}")
    store = await deps.store()
    found = await store.passages(context.namespace, [identity])
    document = None if found else await store.document(context.namespace, identity)
    if not found and document is None:
        raise InputError(f"passages: namespace {context.namespace!r} holds no {identity!r}: {HOW}")
    return found or (document[1] if document else [])
