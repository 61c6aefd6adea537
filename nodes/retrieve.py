"""Runs the plan as a dataflow: a hop starts as soon as its own parents are done.

A superstep is a barrier, so sending a wave of nodes waits for the slowest sibling; tasks inside one node do not, and
each is streamed, traced and checkpointed. A task's identity is its name and call order, not its arguments: therefore
all tasks are issued in topological order, each a new function with a name of its own (`retrieve n3`). Otherwise a run
resumed after a crash would give one hop the passages of another.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langgraph.func import task
from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.deadline import searches_end
from nodes.deps import Deps
from nodes.early import asking_the_question, taken
from nodes.hop import HopRunner
from nodes.probe import PROBE
from nodes.state import Hop, State
from prompts.plan import PlanGraph, PlanNode

Issue = Callable[[PlanNode], Awaitable[Hop]]
"""Issues the task of a plan node, whose parents have been issued before."""


async def retrieve(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Run every kept plan node that has no hop yet, unless it was searched early or asks the question itself."""
    context = runtime.context
    whole = PlanGraph.model_validate(state["plan_graph"])
    plan = whole.keep(state["pruning"]["kept"])
    collecting = frozenset(p for node in plan.nodes if node.op == "aggregate" for p in node.depends_on)
    early = state.get("early", {})
    shared = asking_the_question(state["hops"].get(PROBE), whole, collecting)
    offered = taken({**early, **shared}, whole, state["pruning"]["kept"], collecting, context.top_k)
    ready = {i: hop for i, hop in offered.items() if i not in state["hops"]}
    done = {**ready, **state["hops"]}
    missing = [n for n in plan.topological_order() if n.id not in done]
    if not missing and not ready:
        return {"early": {}}
    for hop in (ready[i] for i in ready if i not in early):  # the early ones were told of when they were found
        runtime.stream_writer({"type": "hop", "hop": hop})
    runner = HopRunner(
        search=await deps.search(context.namespace),
        reader=await deps.reader(context.reader),
        context=context,
        slots=asyncio.Semaphore(context.max_parallel),
        ends_at=searches_end(state, context),
        collecting=collecting,
        tell=runtime.stream_writer,
    )
    issued: dict[str, Awaitable[Hop]] = {}

    def issue(node: PlanNode) -> Awaitable[Hop]:
        issued[node.id] = _task(
            whole.node(node.id), runner, done, issued
        )  # with the pruned parents: the hop names them
        return issued[node.id]

    hops = await SCHEDULES[context.schedule](plan.keep([n.id for n in missing]), issue)
    found = {**ready, **{hop["id"]: hop for hop in hops}}
    return {
        "hops": {
            n.id: found[n.id] for n in plan.topological_order() if n.id in found
        },  # equals are ranked in this order
        "early": {},
        "models": {"reader": runner.reader.name},
        "warnings": [f"retrieve: hop {hop['id']} {hop['error']}" for hop in hops if hop["error"]],
    }


def _task(node: PlanNode, runner: HopRunner, done: dict[str, Hop], issued: dict[str, Awaitable[Hop]]) -> Awaitable[Hop]:
    """Issue the task of one plan node. It closes over what it needs: arguments would be shown in the stream."""

    async def hop() -> Hop:
        parents = {p: done[p] if p in done else await issued[p] for p in node.depends_on if p in done or p in issued}
        return await runner.run(node, parents)

    hop.__name__ = hop.__qualname__ = f"retrieve {node.id}"
    return task(hop)()


async def _dataflow(plan: PlanGraph, issue: Issue) -> Sequence[Hop]:
    """All at once; each waits for its own parents only."""
    return [await future for future in [issue(node) for node in plan.topological_order()]]


async def _waves(plan: PlanGraph, issue: Issue) -> Sequence[Hop]:
    """Level by level: what a superstep for each level would do. For comparison."""
    hops: list[Hop] = []
    for group in plan.parallel_groups():
        hops += [await future for future in [issue(node) for node in group]]
    return hops


async def _sequential(plan: PlanGraph, issue: Issue) -> Sequence[Hop]:
    """One by one: what an agent would do. For comparison."""
    return [await issue(node) for node in plan.topological_order()]


SCHEDULES: dict[str, Callable[[PlanGraph, Issue], Awaitable[Sequence[Hop]]]] = {
    "dataflow": _dataflow,
    "waves": _waves,
    "sequential": _sequential,
}
