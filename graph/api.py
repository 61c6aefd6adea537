"""Asking from Python: `ask`, `aask`, `astream`, `as_tool`. Typed results; the graph itself is in `graph.lookahead`."""

import asyncio
import functools
import os
import threading
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from typing import Any, Literal, NotRequired, cast

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.graph import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt
from typing_extensions import TypedDict

from graph.assembling import SETTINGS
from graph.lookahead import build
from graph.results import HopResult, Result, hop_result, to_result
from nodes.agent_state import AgentStep
from nodes.checked_settings import checked
from nodes.context import Context
from nodes.deps import Deps
from nodes.state import InputState, Pruning, State
from prompts.answer import Evidence
from stores.errors import InputError

Telling = Literal["pruning", "steps", "evidence"]
TOLD: dict[str, tuple[str, Telling]] = {
    "prune": ("pruning", "pruning"),
    "agent": ("agent_steps", "steps"),
    "assemble": ("evidence", "evidence"),
}
"""Stages that have a key of their update told as it is, and as which event."""


class Event(TypedDict):
    """Something that happened in a run; `type` says which other keys there are.

    - stage: a `stage` starts or ends (`status`, and `ms` at its end).
    - plan_node: a language model has written a `node` of its plan, and goes on writing.
    - plan: the `plan` that is run; it may hold a node otherwise than it was told.
    - pruning: which nodes of the plan are run, and which are not, and why.
    - steps: what an agent has done so far.
    - search: the search of a `hop` (its id) for a `query`, placeholders filled, starts.
    - hop: a `hop` is done; one that was done before the plan was may be missing in the result, if the plan came out
      otherwise.
    - evidence: the passages that the answer is written from.
    - text, answer_reset: a piece of the explanation; all of it so far is taken back.
    - result: the last one.
    """

    type: Literal["stage", "plan_node", "plan", "search", "hop", "text", "answer_reset", "result"] | Telling
    stage: NotRequired[str]
    status: NotRequired[Literal["start", "end"]]
    ms: NotRequired[float]
    node: NotRequired[dict[str, Any]]
    plan: NotRequired[dict[str, Any]]
    pruning: NotRequired[Pruning]
    steps: NotRequired[list[AgentStep]]
    evidence: NotRequired[list[Evidence]]
    query: NotRequired[str]
    hop: NotRequired[HopResult | str]
    text: NotRequired[str]
    result: NotRequired[Result]


TELLING_HOPS = frozenset({"probe", "tools"})
"""Stages that bring hops in their update; those of `retrieve` are tasks, and told one by one."""
WAITING = (
    "approve: the plan waits to be approved: ask again with the same graph and config and "
    "resume={{'action': 'approve'}} (or edit, or reject), or ask without approve_plan. {problem}It is:\n{plan}"
)


class PlanWaits(InputError):
    """The plan waits to be approved, on the thread of the run's config; `resume` answers it."""

    def __init__(self, shown: dict[str, Any]) -> None:
        problem = f"The last answer was refused: {shown['problem']}. " if shown["problem"] else ""
        super().__init__(WAITING.format(plan=shown["summary"], problem=problem))
        self.shown = shown
        """{"question", "plan", "summary", "how", "problem"}; the last is empty unless an answer was refused."""


async def aask(question: str, **options: Any) -> Result:
    """Answer a question. Takes the options of `astream`.

    Raises:
        InputError: the question, the plan or a setting cannot be used.
        StoreError: the namespace is empty, or the store cannot be read.
    """
    result = None
    async for event in astream(question, **options):
        result = event.get("result", result)
    assert result is not None  # the last event of every run that does not raise
    return result


def ask(question: str, **options: Any) -> Result:
    """Answer a question from code that is not async. Takes the options of `astream`; raises as `aask`.

    All calls share one background event loop, so that the store and the models are opened once.
    """
    running = asyncio.run_coroutine_threadsafe(aask(question, **options), _background_loop())
    try:
        return running.result()
    except BaseException:  # Ctrl-C: the run would go on in the background, and go on calling models
        running.cancel()
        raise


async def astream(
    question: str,
    *,
    plan: dict[str, Any] | None = None,
    resume: Any = None,
    deps: Deps | None = None,
    store: str | None = None,
    context: Context | None = None,
    graph: CompiledStateGraph[Any, Any, Any, Any] | None = None,
    config: RunnableConfig | None = None,
    **settings: Any,
) -> AsyncGenerator[Event, None]:
    """Answer a question, telling what happens as it happens; the last event is the result.

    Args:
        question: any multi-hop question.
        plan: a ready plan, {"nodes": [...]}: no planner is called.
        resume: the answer to a plan that waits for approval on the thread of `config`: {"action": "approve"},
            {"action": "edit", "plan": {"nodes": [...]}} or {"action": "reject"}; the question is then not asked anew,
            and of the run's settings those change that come with the answer.
        deps: store and models that are open already.
        store: address of a store; kept open for later calls.
        context: settings of the run.
        graph: a graph of your own making, from `graph.lookahead.build` or another graph that answers.
        config: LangChain config: thread_id, callbacks, tags.
        **settings: single fields of `Context`, such as namespace="wiki" or planner="embedded".

    Raises:
        InputError: the question, the plan or a setting cannot be used.
        PlanWaits: the plan waits for approval.
        StoreError: the namespace is empty, or the store cannot be read.
    """
    runnable = graph or (build(deps) if deps is not None else _shared_graph(store))
    own = SETTINGS.get(runnable, Context())
    base = own if resume is None else None  # who goes on, goes on with the settings that the run began with
    chosen = make_context(context or base, settings, type(own))
    stages = runnable.nodes.keys() - {START}
    state: State = {}
    waiting: Sequence[Interrupt] = ()
    stream: AsyncGenerator[Any, None] = runnable.astream(
        _input(question, plan, resume),
        config,
        context=chosen,
        stream_mode=["tasks", "custom", "values"],
        durability="exit" if runnable.checkpointer else None,
        version="v2",
    )  # type: ignore[assignment]
    async with aclosing(stream):  # who stops listening stops the run, its model calls included
        async for part in stream:
            match part:
                case {"type": "values", "data": data, "interrupts": interrupts}:
                    state, waiting = data, interrupts
                case {"type": "custom", "data": {"type": "text" | "answer_reset" | "plan_node" | "search"} as event}:
                    yield event
                case {"type": "custom", "data": {"type": "hop", "hop": hop}}:  # searched before the plan was complete
                    yield Event(type="hop", hop=hop_result(hop))
                case {"type": "tasks", "data": data}:
                    for event in _task_events(data, stages):
                        yield event
    if waiting:  # raised here, when the checkpoint is written
        raise PlanWaits(waiting[0].value)
    yield Event(type="result", result=to_result(state))


def _input(question: str, plan: dict[str, Any] | None, resume: Any) -> InputState | Command[Any]:
    """What the graph is given: an answer to the plan that waits, or a question with or without a ready plan."""
    if resume is not None:
        return Command(resume=resume)
    return InputState(question=question) if plan is None else InputState(question=question, plan=plan)


def make_context(
    context: Context | None = None, settings: dict[str, Any] | None = None, kind: type[Context] = Context
) -> Context:
    """Settings of a run, checked; `kind` is what the graph takes.

    Raises:
        InputError: an unknown field or a value out of range, in one sentence.
    """
    return checked(kind, {**(context.model_dump() if context else {}), **(settings or {})})


def as_tool(
    name: str = "lookahead",
    description: str = "Answers multi-hop questions from the user's documents, with citations. Ask one full question.",
    **options: Any,
) -> BaseTool:
    """The pipeline as a tool of an agent: the text of answer and citations, with the whole `Result` as its artifact.

    Args:
        name: of the tool.
        description: what the agent's model reads.
        **options: those of `astream`.
    """

    def run(question: str) -> tuple[str, Result]:
        result = ask(question, **options)
        return _as_text(result), result

    async def arun(question: str) -> tuple[str, Result]:
        result = await aask(question, **options)
        return _as_text(result), result

    return StructuredTool.from_function(
        run, arun, name=name, description=description, response_format="content_and_artifact"
    )


def _as_text(result: Result) -> str:
    sources = "\n".join(f"[{c['id']}] {c['title']}: {c['text']}" for c in result["citations"])
    return f"Answer: {result['answer'] or 'not found in the documents'}\n{result['explanation']}\n{sources}".strip()


def _task_events(data: dict[str, Any], stages: Collection[str]) -> list[Event]:
    """Stage events of graph nodes; what a finished hop and plan bring."""
    name, result = data["name"], data.get("result")
    if name not in stages:
        hop = (result or {}).get("__return__")
        return [Event(type="hop", hop=hop_result(hop))] if hop and data.get("error") is None else []
    if "input" in data:
        return [Event(type="stage", stage=name, status="start")]
    update = result or {}
    timings = getattr(update.get("timings_ms"), "value", update.get("timings_ms")) or {}
    events = [Event(type="stage", stage=name, status="end", ms=timings.get(name, 0.0))]
    if name in TELLING_HOPS and "hops" in update:
        events += [Event(type="hop", hop=hop_result(hop)) for hop in update["hops"].values()]
    if name in ("plan", "approve", "fallback") and "plan_graph" in update:
        events.append(Event(type="plan", plan=update["plan_graph"]))
    key, kind = TOLD.get(name, ("", "evidence"))
    if key in update:
        events.append(cast(Event, {"type": kind, kind: update[key]}))
    return events


@functools.lru_cache(maxsize=8)
def _shared_graph(store: str | None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """One graph for each store address; its deps stay open for as long as the process lives."""
    return build(Deps(store))


_loops: dict[int, asyncio.AbstractEventLoop] = {}
_starting = threading.Lock()


def _background_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process: a forked one inherits the dictionary, but not the thread that runs the loop."""
    with _starting:
        if os.getpid() not in _loops:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="lookahead", daemon=True).start()
        return _loops[os.getpid()]
