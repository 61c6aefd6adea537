"""Every error as {"error": one sentence}, with the status that fits."""

import logging
from collections.abc import Callable

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from graph.web.gate import Refused
from graph.web.slots import Busy
from stores.errors import InputError, LookaheadError, NamespaceNotFound

log = logging.getLogger("lookahead.web")

BUG = "service: this is a bug in lookahead ({kind}): the server's log says more, please report it"


class NotFound(LookaheadError):
    """What the path names is not there."""


class Conflict(LookaheadError):
    """It cannot be done as things are."""


class Gone(LookaheadError):
    """It was there, and its time is over."""


class TooLarge(InputError):
    """More than is taken."""


class TookTooLong(LookaheadError):
    """The time for it is over."""


def status_of(error: Exception) -> int:
    """The HTTP status of an error: 500 for what is no error that the user can act on."""
    match error:
        case _ if not isinstance(error, LookaheadError):
            return 500
        case Refused(status=status):
            return status
        case Busy():
            return 429
        case NotFound() | NamespaceNotFound():
            return 404
        case Conflict():
            return 409
        case Gone():
            return 410
        case TooLarge():
            return 413
        case InputError():
            return 422
        case TookTooLong():
            return 504
    return 503


def told(error: Exception) -> str:
    """The sentence for a client; what is no error of the user's is logged, and its text kept from the client."""
    if isinstance(error, LookaheadError):
        return str(error)
    log.error("a request ended in a bug", exc_info=error)
    return BUG.format(kind=type(error).__name__)


def answer(error: Exception) -> JSONResponse:
    """The response for an error."""
    return JSONResponse({"error": told(error)}, status_of(error), _headers(error))


def add_handlers(app: FastAPI, count: Callable[[str], None]) -> None:
    """Have every error of the app told this way, and its sentence handed to `count`."""

    async def ours(request: Request, error: Exception) -> JSONResponse:
        response = answer(error)
        count(str(error) if isinstance(error, LookaheadError) else "service: a bug")
        return response

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        said = str(error.detail)
        if error.status_code == 404 and said == "Not Found":
            said = f"request: there is nothing at {request.url.path!r}: /openapi.json lists what there is"
        if error.status_code == 400 and said == "There was an error parsing the body":
            said = (
                "request: its body cannot be read as JSON, it is nested too deeply or holds too long a number: mend it"
            )
        if error.status_code == 405:
            said = f"request: {request.method} {request.url.path!r} does nothing: /openapi.json lists what there is"
        # `detail` is where clients of LangGraph's own routes look; under `langgraph dev` the same app serves them.
        count(said)
        return JSONResponse({"error": said, "detail": error.detail}, error.status_code, error.headers)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        count(said := _complaint(error))
        return JSONResponse({"error": said}, 422)

    app.add_exception_handler(LookaheadError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, ours)


def _headers(error: Exception) -> dict[str, str]:
    if isinstance(error, Busy):
        return {"Retry-After": str(error.seconds)}
    if isinstance(error, Refused) and error.status == 401:
        return {"WWW-Authenticate": "Bearer"}
    return {}


def _complaint(error: RequestValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    value = repr(first.get("input"))
    shown = value if len(value) <= 60 else f"{value[:60]}…"
    return f"request: {place}={shown} cannot be used: {first['msg']}; /openapi.json shows what is taken"
