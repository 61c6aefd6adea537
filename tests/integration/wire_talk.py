"""What the loopback models are asked and what they say: a question of the shipped sample, its plan and its answer.

`wire_groq` and `wire_ollama` stand for the wire: both have NAME, MODEL, KEY, serve, environment, say, message, stream,
error, limited, tool_call.
"""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from langchain_core.language_models import BaseChatModel

from models.chat_planner import ChatPlanner
from models.chat_synthesizer import ChatSynthesizer
from models.planner import Planned
from models.synthesizer import SynthesisInput
from prompts.answer import Evidence, Synthesis
from tests.integration.wire_http import Reply, Request, Script
from tests.integration.wire_server import WireServer

QUESTION = "Where was the author of The Old Man and the Sea born?"
NODES = [
    {"id": "n1", "op": "lookup", "query": "author of The Old Man and the Sea", "depends_on": [], "confidence": 0.9},
    {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"], "confidence": 0.8},
]
PLAN = json.dumps({"nodes": NODES})
ANSWER = "Answer: Oak Park\nErnest Hemingway was born in Oak Park [n2.1]."
EVIDENCE = Evidence(
    ids=["n2.1"],
    passage_id="ernest-hemingway",
    document_id="ernest-hemingway",
    title="Ernest Hemingway",
    text="Ernest Hemingway was born in Oak Park, Illinois.",
    compressed=False,
    score=1.0,
)

Says = str | Callable[[Request], Reply]
"""What a model writes, or the reply as it goes over the wire."""
Connect = Callable[[Script], AbstractAsyncContextManager[tuple[BaseChatModel, WireServer]]]
"""The real client, sent to a server with this script."""


def asks_for_plan(request: Request) -> bool:
    """Whether it is the planner that asks; otherwise it is the synthesizer."""
    return "You plan searches" in json.dumps(request.json.get("messages", []))


def talk(wire: Any, *, plan: Says = PLAN, answer: Says = ANSWER) -> Script:
    """A model that plans and answers; either may be replaced by any reply."""

    def script(request: Request) -> Reply:
        said = plan if asks_for_plan(request) else answer
        return said(request) if callable(said) else wire.say(request, said)

    return script


async def planned(client: BaseChatModel) -> Planned:
    """The plan that a client's model makes."""
    return await ChatPlanner(client).plan(QUESTION, titles=["The Old Man and the Sea"], max_nodes=8)


async def answered(client: BaseChatModel) -> tuple[Synthesis, list[str]]:
    """The answer that a client's model writes, and the pieces in which it was shown. Raises ChatError."""
    pieces: list[str] = []
    given = SynthesisInput(
        question=QUESTION, plan={"nodes": NODES}, evidence=[EVIDENCE], bound_queries={"n2": "Where?"}, bindings={}
    )
    return await ChatSynthesizer(client).synthesize(given, emit=pieces.append), pieces
