"""What the graphs that answer questions have in common: how they are begun and finished. Knows no stage."""

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints
from weakref import WeakKeyDictionary

from langgraph.graph import END, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from pydantic import create_model
from typing_extensions import TypedDict

from nodes.bound_node import bind
from nodes.context import Context
from nodes.deps import Deps
from nodes.reply import reply
from nodes.state import InputState, State

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel
    from langchain_core.retrievers import BaseRetriever

    from models.chat import ChatModel

Stage = Callable[..., Awaitable[Mapping[str, Any]]]
"""A node: `async (state, runtime, *, deps) -> partial update`."""
Builder = StateGraph[Any, Context, Any, Any]
AnsweringGraph = CompiledStateGraph[Any, Context, Any, Any]

RECURSION_LIMIT = 50
"""Supersteps; the longest run of lookahead, with five fallback rounds, takes 38."""
SETTINGS: WeakKeyDictionary[Any, Context] = WeakKeyDictionary()
"""The settings that each graph was built with: they stand where a run says nothing."""
Fixed = Callable[[Context], Mapping[str, Any]]
"""The settings that make a method what it is, from those of a run: they stand whatever the run says."""


class Options(TypedDict, total=False):
    """What every `build` takes beside store and checkpointer."""

    model: "BaseChatModel | ChatModel | None"
    """A LangChain chat model that stands where the context says "auto" or "model"."""
    retriever: "BaseRetriever | None"
    """A LangChain retriever that is searched in place of the store."""
    context: Context | None
    """Settings of a run that brings none, as when the graph is a subgraph of an agent with another context; on a server
    that exports the graph, the defaults of what a client leaves out."""


def begin(
    stages: Sequence[Stage],
    deps: Deps | None,
    options: Options,
    *,
    kind: type[Context] = Context,
    state: type[Any] = State,
    given: type[Any] = InputState,
    fixed: Fixed | None = None,
) -> Builder:
    """A graph that has its nodes, and no edges yet but the one behind the reply.

    Args:
        stages: the nodes, each under its function's name.
        deps: store and models; by default those that the environment names.
        options: see there.
        kind: the graph's settings.
        state: the graph's state.
        given: the graph's input.
        fixed: settings that make the method what it is.
    """
    deps = (deps or Deps()).using(model=options.get("model"), retriever=options.get("retriever"))
    default = settings_of(options, kind)
    graph: Builder = StateGraph(state, context_schema=_defaulting(kind, default), input_schema=given)
    for stage in (*stages, reply):
        graph.add_node(stage.__name__, bind(_fixing(stage, fixed), deps, default))
    graph.add_edge(reply.__name__, END)
    return graph


def chain(graph: Builder, *names: str) -> None:
    """Edges from each node to the next."""
    for before, after in pairwise(names):
        graph.add_edge(before, after)


def may_end(graph: Builder, stage: str, route: Callable[[Any], str] | None = None) -> None:
    """A run may end behind this stage; a question that came as a message is replied to first.

    Args:
        graph: with this node.
        stage: behind which a run ends, or goes on as told.
        route: where it goes on; what it may return is read from its annotation. None: every run ends.
    """

    def to(state: Any) -> str:
        target = END if route is None else route(state)
        return reply.__name__ if target == END and state["asked"]["by_message"] else target

    targets = (END,) if route is None else get_args(get_type_hints(route)["return"])
    graph.add_conditional_edges(stage, to, [*targets, reply.__name__])


def finish(
    graph: Builder, name: str, checkpointer: Any, options: Options, *, limit: int = RECURSION_LIMIT
) -> AnsweringGraph:
    """The compiled graph.

    Args:
        graph: with nodes and edges.
        name: as traces and Studio show it.
        checkpointer: needed for conversations on a thread; a server brings its own.
        options: those it was begun with.
        limit: most supersteps.
    """
    compiled = graph.compile(checkpointer=checkpointer, name=name).with_config(recursion_limit=limit)
    SETTINGS[compiled] = settings_of(options, graph.context_schema or Context)
    return compiled


def settings_of(options: Options, kind: type[Context]) -> Context:
    """The settings that a graph is built with, as its own kind."""
    context = options.get("context") or kind()
    return context if isinstance(context, kind) else kind(**context.model_dump())


def _defaulting(kind: type[Context], default: Context) -> type[Context]:
    """The settings of this kind with other defaults: a server makes the context of a run from those alone."""
    if default == kind():
        return kind
    fields: dict[str, Any] = {
        name: (Annotated[field.annotation, field], getattr(default, name)) for name, field in kind.model_fields.items()
    }
    return create_model(kind.__name__, __base__=kind, __module__=kind.__module__, __doc__=kind.__doc__, **fields)


def _fixing(stage: Stage, fixed: Fixed | None) -> Stage:
    """The stage, run with these settings whatever the run says."""
    if fixed is None:
        return stage

    @functools.wraps(stage)
    async def run(state: Any, runtime: Runtime[Context], *, deps: Any) -> Mapping[str, Any]:
        context = runtime.context.model_copy(update=fixed(runtime.context))
        return await stage(state, runtime.override(context=context), deps=deps)

    return run
