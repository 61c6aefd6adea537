"""A node as the graph runs it: with its deps, its context and its timing.

`bind` is the only way a node meets its deps: a node stays a plain function that tests call with fakes.
"""

import functools
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from langgraph.runtime import Runtime, ServerInfo
from langgraph.types import Overwrite
from pydantic import BaseModel

from nodes.offered import only_offered
from nodes.spoken import Spoken

ContextT = TypeVar("ContextT", bound=BaseModel)


def bind(node: Callable[..., Awaitable[Mapping[str, Any]]], deps: object, default: ContextT) -> Any:
    """Close `node` over its deps, and measure it from outside.

    The wrapped signature stays visible (`functools.wraps`), or LangGraph would lose the node's input schema. The node
    gets `default` unless the run brought a context of the same type, or of a base of it, which then says what it knows:
    in process an omitted context is None, on a server one that sets nothing, and as a subgraph it is the parent's. A
    run that is resumed goes on with the settings that it began with, but for those that it is given. Wall time goes to
    `timings_ms` under the node's name, that of the run to "total".

    Args:
        node: `async (state, runtime, *, deps) -> partial update`.
        deps: what it works with; handed on as it is.
        default: context of a run that brings none.
    """

    @functools.wraps(node)
    async def bound(state: Any, runtime: Runtime[ContextT]) -> dict[str, Any]:
        context = _within(_context_of(runtime.context, state, default), runtime.server_info)
        started = time.perf_counter()
        spoken = Spoken(runtime.stream_writer)
        update = dict(await node(state, runtime.override(context=context, stream_writer=spoken), deps=deps))
        update.update(spoken.update())
        timings: dict[str, float] = {node.__name__: (time.perf_counter() - started) * 1000}
        run_started = update.get("started_at") or state.get("started_at")
        if run_started:
            timings["total"] = (time.time() - run_started) * 1000
        resets = isinstance(update.get("timings_ms"), Overwrite)
        return {**update, "timings_ms": Overwrite(timings) if resets else timings}

    return bound


def _within(context: ContextT, server: ServerInfo | None) -> ContextT:
    """The settings, in the namespace that the token of a server's client is bound to, whatever the run asked for.

    Raises:
        InputError: they name a model that this client may not name.
    """
    namespace = getattr(server.user, "namespace", None) if server else None
    if server is None or not namespace:
        return context
    only_offered(context, getattr(server.user, "offered", ()))
    return context.model_copy(update={"namespace": namespace})


def _context_of(brought: Any, state: Mapping[str, Any], default: ContextT) -> ContextT:
    begun = state.get("context")
    if isinstance(brought, type(default)):  # a server makes of an omitted context one that sets nothing
        given = brought.model_dump(include=brought.model_fields_set)
        return type(brought)(**{**begun, **given}) if begun else brought
    if isinstance(brought, BaseModel) and isinstance(default, type(brought)):  # it says less than this graph takes
        return default.model_copy(update=brought.model_dump())
    return type(default)(**begun) if begun else default
