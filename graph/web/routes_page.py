"""GET / and /page/...: the page on which people ask, and what it has to know before they do."""

import asyncio
import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from evaluation.sample import passages_path, questions
from graph.methods import DESCRIPTIONS
from graph.web.bringing import MAX_NAME
from graph.web.errors import NotFound
from graph.web.schemas import METHODS, NamespaceQuery
from graph.web.service import Service
from tools.loading import LINES, MAX_FILE, SUFFIXES

FOLDER = Path(str(files("graph.web") / "page"))
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in TYPES)
PATHS = frozenset({"/", *(f"/page/{name}" for name in FILES)})
"""Open to everybody: they hold nothing of anyone's."""
HEADERS = {
    # Nothing from elsewhere, nothing inline, and no page elsewhere may show it in a frame.
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # kept, and asked for again each time: an unchanged file is a reply of no bytes
}
EXAMPLES = ("q01", "q21", "q39", "q32", "q51", "q48")
"""Questions of the sample that the page offers: a bridge, a comparison, three hops, yes or no, a list, a crossing."""


def add_routes(app: FastAPI, service: Service) -> None:
    """The page. It stays out of the description: what it calls is there."""

    async def page(request: Request, name: str = "index.html") -> Response:
        if name not in FILES:
            raise NotFound(f"page: there is no file {name!r}: the page itself is at /")
        content = await asyncio.to_thread((FOLDER / name).read_bytes)
        headers = {**HEADERS, "ETag": f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'}
        if headers["ETag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=TYPES[Path(name).suffix])

    async def start(request: Request, namespace: NamespaceQuery = None) -> Response:
        bound = service.admit(request)
        return _private(await _start(service, bound, service.namespace(bound, namespace)))

    async def sample(request: Request) -> Response:
        service.admit(request)
        return _private({"documents": await asyncio.to_thread(_sample)})

    app.get("/start", include_in_schema=False)(start)
    app.get("/start/sample", include_in_schema=False)(sample)
    for path in ("/", "/page/{name}"):
        app.api_route(path, methods=["GET", "HEAD"], include_in_schema=False)(page)


async def _start(service: Service, bound: str | None, namespace: str) -> dict[str, Any]:
    """What the page shows before a question is asked."""
    store = await service.deps.store()
    keys = [document["id"] for document in await asyncio.to_thread(_sample)]
    here = {info.name: info.documents for info in await store.namespaces()}
    held = len(await store.content_hashes(namespace, keys)) if namespace in here else 0
    choice = await service.deps.auto_choice("auto", "auto")
    by_id = {question["id"]: question["question"] for question in questions()}
    return {
        "namespace": namespace,
        "documents": here.get(namespace, 0),
        "namespaces": [] if bound else sorted(here),
        "bound": bound is not None,
        "sample": {"here": held == len(keys), "documents": len(keys), "questions": [by_id[key] for key in EXAMPLES]},
        "models": choice.reason if choice else "",
        "methods": {name: DESCRIPTIONS[name] for name in METHODS},
        "most": {
            "question": service.settings.lookahead_max_question,
            "upload": service.settings.lookahead_max_upload,
            "file": MAX_FILE,
            "name": MAX_NAME,
        },
        "suffixes": list(SUFFIXES),
        "lines": list(LINES),
    }


@cache
def _sample() -> list[dict[str, Any]]:
    """The shipped sample, as POST /documents takes it."""
    return [json.loads(line) for line in passages_path().read_text(encoding="utf-8").splitlines()]


def _private(content: Any) -> Response:
    return JSONResponse(content, headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})
