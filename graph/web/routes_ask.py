"""POST /ask and POST /runs/{id}/plan."""

from typing import Any

from fastapi import FastAPI, Request, Response

from graph.results import Result
from graph.web.schemas import Ask, Decision, Failure
from graph.web.service import Service
from graph.web.streaming import wants_events
from nodes.checked_settings import checked
from nodes.context import Context
from prompts.plan import PlanError, repair
from stores.errors import InputError

EVENTS = """With `stream`, or `Accept: text/event-stream`, server-sent events, each with `at_ms` since the request:
`start` (at once: run_id), `stage`, `plan_node`, `plan`, `pruning`, `search`, `hop`, `steps` (of an agent), `evidence`,
`text`, `answer_reset` (what was written so far is taken back), and at the end `done` (the result), `approval` (the plan
waits) or `error` (with the `status` that a JSON reply would have, and where that is 429 with `retry_after`, the seconds
of its header Retry-After). Who goes away stops the run."""

ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"model": Failure, "description": "No token, or an unknown one"},
    403: {"model": Failure, "description": "No token is set, and the client is not on this machine"},
    404: {"model": Failure, "description": "No such namespace, document or run"},
    408: {"model": Failure, "description": "The body did not come on, or too slowly"},
    413: {"model": Failure, "description": "The body is too large"},
    422: {"model": Failure, "description": "The question, the plan or a setting cannot be used"},
    429: {"model": Failure, "description": "Too many at once; Retry-After says when to come again"},
    503: {"model": Failure, "description": "The store or a model is not there"},
    504: {"model": Failure, "description": "Answering took too long"},
}
DECIDED: dict[int | str, dict[str, Any]] = {
    409: {"model": Failure, "description": "It does not wait"},
    410: {"model": Failure, "description": "It has waited too long"},
}
WAITS = {"description": "The plan waits: {run_id, status: waiting, question, plan, summary, how, problem}"}
STREAMED = {"content": {"text/event-stream": {}}, "description": "The result, or the events that lead to it"}


def add_routes(app: FastAPI, service: Service) -> None:
    """Questions."""
    seconds = service.settings.lookahead_max_seconds

    async def ask(request: Request, body: Ask) -> Response:
        bound = service.admit(request)
        _check_question(body.question, service.settings.lookahead_max_question)
        namespace = service.namespace(bound, body.namespace or body.settings.get("namespace"))
        context = service.offered(
            checked(service.asking.settings(body.method), {**body.settings, "namespace": namespace})
        )
        _check_plan(body, context)
        release = service.runs.take(bound)
        work = service.asking.ask(body.question, body.method, body.plan, context)
        return service.answering(work, wants_events(request, body.stream), release, seconds)

    async def decide(request: Request, run_id: str, body: Decision) -> Response:
        bound = service.admit(request)
        if (body.action == "edit") != (body.plan is not None):
            raise InputError(
                f"approve: {body.action!r} takes {'a' if body.plan is None else 'no'} plan: edit alone does"
            )
        answer = {"action": body.action, **({"plan": body.plan} if body.plan is not None else {})}
        give_back = service.runs.take(bound)
        try:
            await service.waiting.claim(run_id, bound)
        except BaseException:
            give_back()
            raise

        def release() -> None:
            service.waiting.release(run_id)
            give_back()

        work = service.asking.go_on(run_id, answer)
        return service.answering(work, wants_events(request, body.stream), release, seconds)

    app.post(
        "/ask",
        summary="Ask a question",
        description=EVENTS,
        response_model=Result,
        responses={200: STREAMED, 202: WAITS, **ERRORS},
        tags=["questions"],
    )(ask)
    app.post(
        "/runs/{run_id}/plan",
        summary="Approve, edit or reject a plan that waits",
        description=f"Goes on with the run of this id. {EVENTS}",
        response_model=Result,
        responses={200: STREAMED, **DECIDED, **ERRORS},
        tags=["questions"],
    )(decide)


def _check_question(question: str, most: int) -> None:
    if not question.strip():
        raise InputError(
            f"question: it is empty ({question[:40]!r}): ask something, for example 'Who designed the Eiffel Tower?'"
        )
    if len(question) > most:
        raise InputError(
            f"question: it has {len(question):,} characters, at most {most:,} are taken ({question[:40]!r}…): ask a "
            "shorter one, and bring long material with POST /documents"
        )


def _check_plan(body: Ask, context: Context) -> None:
    """Refused before anything is streamed, so that the status says so."""
    if body.method != "lookahead" and (body.plan is not None or context.approve_plan):
        asked = "approve_plan" if context.approve_plan else "a ready plan"
        raise InputError(
            f"plan: method {body.method!r} does not take {asked}: lookahead alone does; leave one of them out"
        )
    if body.plan is not None:
        try:
            repair(body.plan, body.question, context.max_nodes)
        except PlanError as error:
            raise InputError(f"plan: the given plan cannot be run: {error}") from error
