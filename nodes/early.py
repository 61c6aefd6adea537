"""Searches that start before the plan is run: while it is still being written, or beside the question's own search.

A node that is complete and waits for no other is searched at once. These searches are plain asyncio tasks owned by the
plan stage, not tasks of LangGraph: those are remembered by name and call order, and after a crash the planner would
write another plan. What they find is an offer: `retrieve` takes it where the finished plan holds the same node. A node
that asks the question itself takes what the question's own search finds.
"""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Self

from nodes.context import Context
from nodes.hop import HopRunner, Tell
from nodes.state import Hop
from prompts.plan import PlanGraph, PlanNode


def searches_early(context: Context) -> bool:
    """Whether anything may be searched before the plan is complete.

    Not when a person is to see the plan first, nor under the schedules that are there for comparison.
    """
    return context.stream_plan and not context.approve_plan and context.schedule == "dataflow"


class EarlySearches:
    """Tells of nodes as they are written and searches those that can be searched; leaving it ends what still runs.

    Args:
        runner: makes the hops; None: they are only told of.
        tell: takes the events.
        asked: the question, where its own search runs meanwhile; a node that asks the same is left to that.
    """

    def __init__(self, runner: HopRunner | None, tell: Tell, asked: str | None = None) -> None:
        self._runner = runner
        self._tell = tell
        self._asked = asked
        self._searches: dict[str, tuple[PlanNode, asyncio.Task[Hop]]] = {}
        self._tasks: list[asyncio.Task[Hop]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def written(self, node: PlanNode) -> None:
        """A node of the plan is written."""
        self._tell({"type": "plan_node", "node": node.model_dump()})
        self.start(node)

    def start(self, node: PlanNode) -> None:
        """Search a node, where it waits for no other, will not be pruned and is not searched already."""
        if self._runner is None or node.depends_on or not self._for_us(node, self._runner.context):
            return
        if node.id in self._searches:  # written anew, and differently
            self._searches[node.id][1].cancel()
        task = asyncio.create_task(self._search(self._runner, node))
        self._searches[node.id] = (node, task)
        self._tasks.append(task)

    async def _search(self, runner: HopRunner, node: PlanNode) -> Hop:
        """Search as for an aggregate, since one may follow: `taken` cuts off what is too much."""
        hop = await replace(runner, collecting=frozenset([node.id])).run(node, {})
        if hop["error"] is None:
            self._tell({"type": "hop", "hop": _cut(hop, runner.context.top_k)})
        return hop

    async def finished(self, plan: PlanGraph) -> dict[str, Hop]:
        """The plan is complete: returns the hops that it can use.

        A search that still runs is waited for where nothing else could be searched meanwhile; otherwise it is ended, to
        be made again beside the others, so that nobody waits for it who would not have waited anyway.
        """
        if self._runner is None:
            return {}
        likely = [node for node in plan.nodes if self._for_us(node, self._runner.context)]
        wanted = {node.id for node in likely if self._searched(node)}
        done = {i for i in wanted if self._searches[i][1].done()}
        if not any(node.id not in wanted and done.issuperset(node.depends_on) for node in likely):
            await asyncio.gather(*(self._searches[i][1] for i in wanted))
            done = wanted
        hops = [self._searches[i][1].result() for i in sorted(done)]
        return {hop["id"]: hop for hop in hops if hop["error"] is None}

    def _for_us(self, node: PlanNode, context: Context) -> bool:
        """What will be pruned need not be searched here, nor what asks the question itself."""
        kept = not context.prune or node.confidence >= context.confidence_threshold
        return kept and not (self._asked is not None and _same_words(node.query, self._asked))

    def _searched(self, node: PlanNode) -> bool:
        search = self._searches.get(node.id)
        return search is not None and _same(search[0].model_dump(), node)


def asking_the_question(probe: Hop | None, plan: PlanGraph, collecting: Collection[str]) -> dict[str, Hop]:
    """For each node that asks the question itself, what the question's own search found; nothing where that failed.

    Args:
        probe: the hop of the question's own search; None: it was not made.
        plan: the whole plan.
        collecting: ids of the nodes that an aggregate waits for: they bring more passages than that search.
    """
    if probe is None or probe["error"] is not None:
        return {}
    same = [node for node in plan.nodes if node.id not in collecting and _same_words(node.query, probe["query"])]
    return {n.id: Hop(**{**probe, "id": n.id, "op": n.op, "query": n.query, "bound_query": n.query}) for n in same}


def taken(
    found: dict[str, Hop], plan: PlanGraph, kept: Collection[str], collecting: Collection[str], top_k: int
) -> dict[str, Hop]:
    """The hops that need not be searched again: of nodes that are kept just as they were when they were searched.

    Args:
        found: what was found before the plan is run, by node.
        plan: the whole plan; a node whose parents were pruned is not one without parents.
        kept: ids of the nodes that are run.
        collecting: ids of the nodes that an aggregate waits for: they keep all they brought.
        top_k: passages that the others keep.
    """
    nodes = [node for node in plan.nodes if node.id in kept and node.id in found and _same(found[node.id], node)]
    return {node.id: found[node.id] if node.id in collecting else _cut(found[node.id], top_k) for node in nodes}


def _same(searched: Any, node: PlanNode) -> bool:
    return not node.depends_on and (searched["op"], searched["query"]) == (node.op, node.query)


def _same_words(query: str, other: str) -> bool:
    return query.split() == other.split()


def _cut(hop: Hop, top_k: int) -> Hop:
    return {**hop, "passages": hop["passages"][:top_k]}
