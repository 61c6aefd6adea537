"""GET /health, /ready and /metrics: whether it lives, whether it can answer, and what it counted."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from graph.web.errors import told
from graph.web.routes_ask import ERRORS
from graph.web.service import Service
from models.embedder import DEFAULT_EMBEDDER

OPEN = ("/health", "/ready")
"""Paths that need no token: whoever watches over the process has none."""


def add_routes(app: FastAPI, service: Service) -> None:
    """The state of the service."""

    async def health() -> dict[str, bool]:
        return {"alive": True}

    async def ready() -> Response:
        missing = {name: said for name, said in [(n, await _problem(service, n)) for n in PARTS] if said}
        if missing:
            return JSONResponse(
                {"ready": False, "error": f"ready: {'; '.join(missing.values())}", "missing": missing}, 503
            )
        return JSONResponse({"ready": True})

    async def metrics(request: Request) -> Response:
        service.admit(request)
        return Response(service.metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")

    said: dict[int | str, dict[str, Any]] = {503: {"description": "What is missing"}}
    app.get("/health", summary="Is it alive?", tags=["state"])(health)
    app.get("/ready", summary="Does the store open, and do the models load?", responses=said, tags=["state"])(ready)
    app.get("/metrics", summary="Counters and histograms for Prometheus", responses=ERRORS, tags=["state"])(metrics)


PARTS = ("store", "embedder", "reader")


async def _problem(service: Service, part: str) -> str:
    """What is wrong with a part; empty when nothing is."""
    try:
        match part:
            case "store":
                await (await service.deps.store()).namespaces()
            case "embedder":
                await service.deps.embedder(DEFAULT_EMBEDDER)
            case "reader":
                await service.deps.reader()
    except Exception as error:
        return told(error)
    return ""
