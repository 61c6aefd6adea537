"""The HTTP service: `create_app` makes it, and `app` is what langgraph.json serves beside LangGraph's own routes."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from graph.web import routes_ask, routes_documents, routes_page, routes_state
from graph.web.errors import add_handlers
from graph.web.limits import BodyLimit
from graph.web.service import Service
from graph.web.settings import WebSettings
from nodes.deps import Deps

log = logging.getLogger("lookahead.web")

ABOUT = """Multi-hop questions on your own documents: planned once, searched in parallel, answered with citations.
Every error is `{"error": one sentence}`."""
ALONE = "no token is set (LOOKAHEAD_TOKENS): only this machine is answered"


def create_app(
    deps: Deps | None = None,
    settings: WebSettings | None = None,
    *,
    namespace: str = "default",
    openapi_url: str | None = "/openapi.json",
    warm: bool = False,
) -> FastAPI:
    """The service.

    Args:
        deps: store and models; by default those that the environment names. Closed with the app.
        settings: limits, tokens, places; by default those of the environment and `.env`.
        namespace: of a request that names none.
        openapi_url: where its description is served; None: nowhere, as within `langgraph dev`, which serves one of all.
        warm: load the models at the start; until then /ready says that they are being loaded.

    Raises:
        InputError: a variable of the environment cannot be used.
    """
    service = Service(deps or Deps(), settings or WebSettings(), namespace)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if not service.gate.tokens:
            log.warning(ALONE)
        for said in service.gate.tokens.weak:
            log.warning(said)
        beside = [asyncio.create_task(service.waiting.keep_clean())]
        if warm:
            beside.append(asyncio.create_task(service.warm_up()))
        yield
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await service.close()

    app = FastAPI(
        title="LookaheadRAG",
        version=version("lookahead-rag"),
        description=ABOUT,
        lifespan=lifespan,
        openapi_url=openapi_url,
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
    )
    app.state.service = service
    app.add_middleware(
        BodyLimit,
        limit=service.body_limit,
        admit=service.gate.admit,
        count=service.metrics.error,
        stalled=service.settings.lookahead_stalled_seconds,
    )
    if origins := service.settings.origins():
        app.add_middleware(
            CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["Authorization", "Content-Type"]
        )
    add_handlers(app, service.metrics.error)
    for routes in (routes_ask, routes_documents, routes_state, routes_page):
        routes.add_routes(app, service)
    return app


def __getattr__(name: str) -> FastAPI:
    """`app`, made when it is asked for: importing this module reads no environment."""
    if name != "app":
        raise AttributeError(name)
    made = globals()["app"] = create_app(openapi_url=None)
    return made
