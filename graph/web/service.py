"""What all routes share: one set of store and models, the gate, the places, the counters."""

from collections.abc import Callable
from typing import Any

from fastapi import Request

from graph.api import aask
from graph.lookahead import build
from graph.web.asking import Asking
from graph.web.bringing import Bringing
from graph.web.gate import Gate, Tokens
from graph.web.metrics import Metrics
from graph.web.settings import WebSettings
from graph.web.slots import Slots
from graph.web.streaming import Answering, Work
from graph.web.turns import Turns
from graph.web.waiting import WaitingRuns
from nodes.context import Context
from nodes.deps import Deps
from nodes.offered import only_offered
from stores.errors import LookaheadError

STUDIO = "smith.langchain.com"
"""Where Studio's page comes from; under `langgraph dev` it calls this machine."""


FIRST_QUESTION = "Who wrote the first book about the city where the painter was born?"
"""Needs a plan, searches, bindings and an answer, whatever the documents are."""


class Service:
    """The live parts.

    Args:
        deps: store and models.
        settings: limits, tokens, places.
        namespace: of a request that names none.

    Raises:
        InputError: LOOKAHEAD_TOKENS or an address of models cannot be used.
    """

    def __init__(self, deps: Deps, settings: WebSettings, namespace: str = "default") -> None:
        self.deps, self.settings, self._namespace = deps, settings, namespace
        self.gate = gate_of(settings)
        self._offered = settings.offered()
        self.warming = False
        """Models are being loaded."""
        self.metrics = Metrics()
        shared = self.gate.tokens.clients() > 1
        self.runs = Slots(settings.lookahead_max_runs, "questions", "LOOKAHEAD_MAX_RUNS", shared=shared)
        self.ingests = Slots(settings.lookahead_max_ingests, "ingestions", "LOOKAHEAD_MAX_INGESTS", shared=shared)
        self.waiting = WaitingRuns(
            deps,
            settings.lookahead_runs,
            settings.lookahead_plan_hours,
            settings.lookahead_max_waiting,
            shared=shared,
        )
        turns = Turns(deps, settings.lookahead_at_once)
        self.metrics.waiting.set_function(lambda: turns.waiting)
        self.asking = Asking(deps, self.waiting, self.metrics, turns)
        self.bringing = Bringing(deps, self.metrics, settings.lookahead_max_unpacked)

    async def warm_up(self) -> None:
        """Load what the first question would wait for, by asking one; no server of language models is called."""
        self.warming = True
        context = Context(planner="embedded", synthesizer="embedded", namespace=self._namespace)
        try:
            await aask(FIRST_QUESTION, graph=build(self.deps), context=context)
        except LookaheadError:  # nothing to search, say: /ready and the first question tell what is wrong
            pass
        finally:
            self.warming = False

    async def close(self) -> None:
        """Close store, models and the file of plans that wait."""
        await self.waiting.close()
        await self.deps.__aexit__(None, None, None)

    def admit(self, request: Request) -> str | None:
        """The namespace that the client is bound to, or None.

        Raises:
            Refused: it may not come in.
        """
        return self.gate.admit(request.scope)

    def namespace(self, bound: str | None, asked: str | None) -> str:
        """The namespace of a request: the token's, whatever was asked for; else what was asked for."""
        return bound or asked or self._namespace

    def offered(self, context: Context) -> Context:
        """The settings of a question.

        Raises:
            InputError: they name a model that this server does not offer.
        """
        only_offered(context, self._offered)
        return context

    def answering(
        self, work: Work, stream: bool, release: Callable[[], None], seconds: float | None = None
    ) -> Answering:
        """The response that does the work, in the time that there is for it."""
        stalled = self.settings.lookahead_stalled_seconds
        return Answering(work, stream, release, self.metrics.error, stalled, seconds)

    def body_limit(self, path: str) -> int | None:
        """Most bytes of a body; None for a path that is not ours."""
        if path == "/documents" or path.startswith("/documents/"):
            return self.settings.lookahead_max_upload
        ours = path == "/ask" or (path.startswith("/runs/") and path.endswith("/plan"))
        return self.settings.lookahead_max_body if ours else None


def gate_of(settings: WebSettings, **more: Any) -> Gate:
    """The gate that the settings ask for.

    Raises:
        InputError: LOOKAHEAD_TOKENS cannot be used.
    """
    tokens = settings.lookahead_tokens.get_secret_value() if settings.lookahead_tokens else ""
    return Gate(Tokens(tokens), settings.origins(), **more)
