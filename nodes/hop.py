"""One hop: fill the placeholders from the parents' passages, then search as the operator asks."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.bound_reading import ALTERNATIVES, Binding, best_bindings, read_bound, runners_up, ways
from models.mentioning import named_as_documents
from models.reader import Candidate, Reader
from nodes.context import Context
from nodes.state import Hop
from prompts.plan import PlanNode, fill, placeholders
from stores.records import Hit
from tools.ranking import merge_hits
from tools.retrieval import Search

Tell = Callable[[Mapping[str, Any]], None]
"""Takes an event of a run, such as LangGraph's stream writer does."""
HOP_SECONDS = 30.0
"""Longest time for one hop's own work where the run has no deadline."""
COLLECTING = 2
"""How many times `top_k` passages a node brings that an aggregate waits for."""
READ = 2
"""Passages of the parent that are read: more of them bring more wrong names than right ones (on MuSiQue train)."""
CONDITION_CHARS = 300
"""How much of the parent's best passage stands in for a placeholder that could not be filled."""


def _untold(event: Mapping[str, Any]) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class HopRunner:
    """What every hop of a run shares."""

    search: Search
    reader: Reader
    context: Context
    slots: asyncio.Semaphore
    ends_at: float | None = None
    """When it must have ended, in seconds since the epoch."""
    collecting: frozenset[str] = frozenset()
    """Ids of the nodes that an aggregate waits for: they bring more passages, since items of a list rank one behind the
    other."""
    tell: Tell = _untold
    """Told when a search starts: {"type": "search", "hop": id, "query": as searched}."""

    async def run(self, node: PlanNode, parents: Mapping[str, Hop]) -> Hop:
        """Bind and search. A failure stands in `error`; it is never raised, so that the other hops go on.

        Args:
            node: the plan node.
            parents: hops of its parents; a pruned parent is missing.
        """
        async with self.slots:
            started = time.perf_counter()
            seconds = HOP_SECONDS if self.ends_at is None else max(self.ends_at - time.time(), 0.0)
            hop = Hop(
                id=node.id, op=node.op, query=node.query, bound_query=fill(node.query, {}),
                bindings=[], passages=[], ms=0.0, error=None,
            )  # fmt: skip
            try:
                async with asyncio.timeout(seconds):
                    await self._bind(hop, parents)
                    hop["error"] = _without(node, parents, hop["bindings"], self.context.bind)
                    hop["passages"] = await self._find(hop, parents)
            except TimeoutError:
                hop["error"] = f"took longer than the {seconds:.1f} s that were left"
            except Exception as error:  # whatever a store or a retriever raises: the run goes on and says so
                hop["error"] = f"{type(error).__name__}: {error}"
            hop["ms"] = (time.perf_counter() - started) * 1000
            return hop

    async def _bind(self, hop: Hop, parents: Mapping[str, Hop]) -> None:
        """Fill each placeholder with what the reader finds in that parent's passages."""
        wanted = [p for p in placeholders(hop["query"]) if p in parents and parents[p]["passages"]]
        if not self.context.bind or hop["op"] == "lookup":
            wanted = []  # a lookup searches its query as it is; plans that come in have bridges where they bind
        for parent in wanted:
            found = await asyncio.to_thread(read_parent, self.reader, parents[parent])
            hop["bindings"] += [Binding(**candidate, node=parent) for candidate in found]
        hop["bound_query"] = _bound(hop["query"], hop["bindings"], parents)

    async def _find(self, hop: Hop, parents: Mapping[str, Hop]) -> list[Hit]:
        """Passages of this hop, by the operator's way of retrieving."""
        found = [parents[p]["passages"] for p in parents]
        if hop["op"] == "compare" and any(found):
            return side_by_side(found, self.context.top_k)
        if hop["op"] == "aggregate" and any(found):
            return side_by_side(found, sum(len(hits) for hits in found))
        near = [hit["id"] for hits in found for hit in hits] if hop["op"] == "filter" else []
        self.tell({"type": "search", "hop": hop["id"], "query": hop["bound_query"]})
        queries = [hop["bound_query"], *_alternatives(hop)]
        limit = self.context.top_k * (COLLECTING if hop["id"] in self.collecting else 1)
        searches = (self.search.search(q, mode=self.context.retrieval, limit=limit, near=near) for q in queries)
        return merge_hits(await asyncio.gather(*searches))[:limit]


def read_parent(reader: Reader, parent: Hop) -> list[Candidate]:
    """Candidates for a placeholder: answers to the parent's query in its best passages."""
    found = ways(parent["query"], parent["bound_query"], parent["bindings"], parent["passages"], READ)
    read = read_bound(reader, found, limit=ALTERNATIVES + 1)
    names = [name for hit in parent["passages"] for name in (hit["title"], *hit["mentions"])]
    return named_as_documents(read, names)


def side_by_side(found: Sequence[Sequence[Hit]], limit: int) -> list[Hit]:
    """The parents' passages in turn, each once: A's best, B's best, A's second and so on."""
    turns = (hits[i] for i in range(max(map(len, found))) for hits in found if i < len(hits))
    return list({hit["id"]: hit for hit in turns}.values())[:limit]


def _bound(query: str, bindings: Sequence[Binding], parents: Mapping[str, Hop]) -> str:
    """The query to search: placeholders filled; for those that could not be, the parent's best passage goes along."""
    best = {node: one["text"] for node, one in best_bindings(bindings).items()}
    missing = [p for p in placeholders(query) if p not in best and p in parents and parents[p]["passages"]]
    conditions = [
        f"{hit['title']} {hit['text'][:CONDITION_CHARS]}" for p in missing for hit in parents[p]["passages"][:1]
    ]
    return " ".join([fill(query, best), *conditions]).strip()


def _alternatives(hop: Hop) -> list[str]:
    """Queries for the runners-up of a single placeholder, where the reader was torn between them."""
    return [fill(hop["query"], {b["node"]: b["text"]}) for b in runners_up(hop["query"], hop["bindings"])]


def _without(node: PlanNode, parents: Mapping[str, Hop], bindings: Sequence[Binding], bind: bool) -> str | None:
    """What this hop has to do without, in a sentence."""
    bound = {b["node"] for b in bindings}
    without = []
    for parent in node.depends_on:
        if parent not in parents:
            without.append(f"{parent}, which was pruned")
        elif not parents[parent]["passages"]:
            without.append(f"{parent}, which {'failed' if parents[parent]['error'] else 'found nothing'}")
        elif bind and parent in placeholders(node.query) and parent not in bound:
            without.append(f"{parent}, in whose passages nothing was read")
    return f"searched without {' and '.join(without)}" if without else None
