"""Closes LangGraph's own routes under `langgraph dev`: langgraph.json names `auth`.

With tokens, a client sees the graphs, its own threads and their runs, in the namespace of its token and with the models
on offer: `nodes.bound_node` holds each run to them, whatever context, assistant or state say. All else is closed.
Without tokens this machine alone is answered, and may do anything.
"""

import asyncio
import functools
import uuid
from typing import Any

from langgraph_sdk import Auth

from graph.checkpoints import owners
from graph.web.gate import Gate, Refused
from graph.web.routes_page import PATHS
from graph.web.routes_state import OPEN
from graph.web.service import STUDIO, gate_of
from graph.web.settings import WebSettings

GRAPHS = ("lookahead", "standard_rag", "ranked_rag", "multi_query", "sequential_plan", "react", "ingest")
"""What a token may run; the benchmark reads and writes files of the server."""
SYSTEM_ASSISTANTS = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
"""Namespace of the ids that LangGraph's server gives its assistants, from the names of their graphs."""
ALLOWED = {str(uuid.uuid5(SYSTEM_ASSISTANTS, name)) for name in GRAPHS}

auth = Auth()


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Who it is: the namespace stands for the client, and the token goes no further."""
    if scope["path"] in OPEN or scope["path"] in PATHS:
        return _user("anyone", None)
    try:
        namespace = (await asyncio.to_thread(_gate)).admit(scope)
    except Refused as error:
        raise Auth.exceptions.HTTPException(status_code=error.status, detail=str(error)) from None
    return _user(namespace or "this machine", namespace)


@auth.on
async def anything_else(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Assistants of one's own, crons and the key-value store are for this machine alone."""
    if _namespace(ctx) is not None:
        raise Auth.exceptions.HTTPException(
            status_code=403, detail=f"access: a token opens no {ctx.resource} to {ctx.action}: only threads and runs"
        )


@auth.on.assistants.read
async def one_graph(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Everybody may see a graph."""
    _namespace(ctx)


@auth.on.assistants.search
async def graphs(ctx: Auth.types.AuthContext, value: Any) -> None:
    """Everybody may see which graphs there are."""
    _namespace(ctx)


@auth.on.threads
async def threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType | None:
    """A client's threads and their runs are its own."""
    return _owned(ctx, value)


@auth.on.threads.create
async def new_thread(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType | None:
    """A thread under an id that nobody else's checkpoints have."""
    await _not_anothers(ctx, value, 409)
    return _owned(ctx, value)


@auth.on.threads.create_run
async def runs(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType | None:
    """The graphs that answer and ingest, on one's own threads."""
    if _namespace(ctx) is not None and str(value["assistant_id"]) not in ALLOWED:
        raise Auth.exceptions.HTTPException(
            status_code=403, detail=f"access: a token runs no other graph than {', '.join(GRAPHS)}"
        )
    await _not_anothers(ctx, value, 404)  # the run may make the thread
    return _owned(ctx, value)


async def _not_anothers(ctx: Auth.types.AuthContext, value: Any, status: int) -> None:
    """Whoever makes a thread anew that LangGraph forgot when it was killed goes on with its checkpoints.

    The status is the one that LangGraph gives where it knows whose the thread is.
    """
    namespace, thread = _namespace(ctx), value.get("thread_id")
    if namespace is None or thread is None:
        return
    found = await owners(str(thread))
    if found and (namespace not in found or found - {namespace, None}):
        raise Auth.exceptions.HTTPException(status_code=status, detail=f"access: thread {thread} is not this token's")


def _owned(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType | None:
    namespace = _namespace(ctx)
    if namespace is None:
        return None
    owner = {"owner": namespace}
    if value.get("metadata") is None:
        value["metadata"] = {}
    value["metadata"].update(owner)  # in place: the server goes on with the same dictionary
    return owner


def _namespace(ctx: Auth.types.AuthContext) -> str | None:
    """The client's namespace; None for this machine, where no token is set."""
    namespace = getattr(ctx.user, "namespace", None)
    if not namespace and _gate().tokens:  # somebody whom `authenticate` did not let in
        raise Auth.exceptions.HTTPException(status_code=403, detail="access: a token is needed")
    return namespace or None


def _user(identity: str, namespace: str | None) -> Auth.types.MinimalUserDict:
    more = {"namespace": namespace, "offered": _offered() if namespace else []}
    return {"identity": identity, "display_name": identity, "is_authenticated": True, **more}  # type: ignore[typeddict-item]


@functools.lru_cache(maxsize=1)
def _settings() -> WebSettings:
    return WebSettings()


@functools.lru_cache(maxsize=1)
def _gate() -> Gate:
    return gate_of(_settings(), domains=(STUDIO,))


@functools.lru_cache(maxsize=1)
def _offered() -> list[str]:
    return _settings().offered()
