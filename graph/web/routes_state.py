"""GET /health, /ready and /metrics: whether it lives, whether it can answer, and what it counted."""

import asyncio
import time
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from graph.web.errors import told
from graph.web.gate import Refused
from graph.web.routes_ask import ERRORS
from graph.web.schemas import Readiness
from graph.web.service import Service
from models.embedder import DEFAULT_EMBEDDER

OPEN = ("/health", "/ready")
"""Paths that need no token: whoever watches over the process has none."""
PARTS = ("store", "embedder", "reader")
KNOWN_SECONDS = 1.0
"""How long an answer to /ready holds: anybody may ask, and each look asks the store."""
LOOK_SECONDS = 20.0
"""Longest time for one look at one part."""


def add_routes(app: FastAPI, service: Service) -> None:
    """The state of the service."""
    looking = Looking(service)

    async def health() -> dict[str, bool]:
        return {"alive": True}

    async def ready(request: Request) -> Response:
        if service.warming:  # and what is needed for it is not looked for beside it
            said = "models: they are being loaded: come again in some seconds"
            return JSONResponse({"ready": False, "error": f"ready: {said}", "missing": {"models": said}}, 503)
        missing = await looking.missing()
        if not missing:
            return JSONResponse({"ready": True})
        try:
            service.admit(request)
        except Refused:  # which parts is for everybody; where they are and what is wrong there is not
            missing = {part: f"{part}: it is not ready, and the server's log or a client with a token is told why"
                       for part in missing}  # fmt: skip
        said = f"ready: {'; '.join(missing.values())}"
        return JSONResponse({"ready": False, "error": said, "missing": missing}, 503)

    async def metrics(request: Request) -> Response:
        service.admit(request)
        return Response(service.metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")

    said: dict[int | str, dict[str, Any]] = {503: {"model": Readiness, "description": "Something is missing"}}
    text: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/plain": {}}, "description": "In Prometheus' format"}
    }
    refused: dict[int | str, dict[str, Any]] = {status: ERRORS[status] for status in (401, 403)}
    app.get("/health", summary="Is it alive?", tags=["state"])(health)
    app.get(
        "/ready",
        summary="Does the store open, and do the models load?",
        response_model=Readiness,
        responses=said,
        tags=["state"],
    )(ready)
    app.get(
        "/metrics",
        summary="Counters and histograms for Prometheus",
        response_class=Response,
        responses={**text, **refused},
        tags=["state"],
    )(metrics)


class Looking:
    """Looks what is missing; who asks meanwhile, or right after, is told the same."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = asyncio.Lock()
        self._looked_at = -KNOWN_SECONDS
        self._missing: dict[str, str] = {}

    async def missing(self) -> dict[str, str]:
        """Part -> what is wrong with it, of the parts that are not ready."""
        async with self._lock:
            if time.monotonic() - self._looked_at >= KNOWN_SECONDS:
                said = await asyncio.gather(*(self._problem(part) for part in PARTS))
                self._missing = {part: problem for part, problem in zip(PARTS, said, strict=True) if problem}
                self._looked_at = time.monotonic()
            return self._missing

    async def _problem(self, part: str) -> str:
        """What is wrong with a part; empty when nothing is."""
        deps = self._service.deps
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                match part:
                    case "store":
                        await (await deps.store()).namespaces()
                    case "embedder":
                        await deps.embedder(DEFAULT_EMBEDDER)
                    case "reader":
                        await deps.reader()
        except TimeoutError:
            return f"{part}: it did not answer within {LOOK_SECONDS:.0f} seconds: see whether it is overloaded"
        except Exception as error:
            return told(error)
        return ""
