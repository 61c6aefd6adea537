"""What clients of a server may name: over our own routes, over LangGraph's, and what the environment offers."""

from types import SimpleNamespace
from typing import Any

import pytest
from langgraph.runtime import Runtime

from graph.web.settings import WebSettings
from nodes.bound_node import bind
from nodes.context import Context
from nodes.ingest_context import IngestContext
from nodes.offered import only_offered
from nodes.react_context import ReactContext
from stores.errors import InputError
from tests.unit.web import QUESTION, client, error, service

FOREIGN: list[Context | IngestContext] = [
    Context(planner="openai:gpt-5"),
    Context(planner="groq"),
    Context(synthesizer="ollama:somebody/other"),
    Context(reranker="cross-encoder:somebody/large"),
    IngestContext(embedder="/etc"),
    IngestContext(embedder="intfloat/e5-large-v2"),
    ReactContext(web_search=True),
]


def settings(**given: Any) -> WebSettings:
    return WebSettings(_env_file=None, **given)  # type: ignore[call-arg]


@pytest.mark.parametrize("context", FOREIGN, ids=str)
def test_a_name_that_is_not_offered_is_refused_with_what_is(context: Context | IngestContext) -> None:
    with pytest.raises(InputError, match=r"is not offered by this server: .*LOOKAHEAD_ALLOW"):
        only_offered(context, [])


def test_what_is_shipped_and_what_the_owner_names_is_taken() -> None:
    for context in (Context(), IngestContext(), ReactContext(), Context(planner="none", reranker="cosine")):
        only_offered(context, [])
    named = "groq, openai:gpt-5,ollama:somebody/other,cross-encoder:somebody/large,/etc,intfloat/e5-large-v2,web-search"
    offered = settings(lookahead_allow=named).offered()
    for foreign in FOREIGN:
        only_offered(foreign, offered)


@pytest.mark.parametrize(
    ("given", "groq", "ollama"),
    [
        ({"groq_api_key": "k"}, True, True),
        ({}, False, True),
        ({"groq_api_key": " "}, False, True),
        ({"groq_api_key": "k", "lookahead_auto": "embedded"}, False, False),
        ({"groq_api_key": "k", "lookahead_auto": "ollama", "ollama_model": "m"}, False, True),
        ({"groq_api_key": "k", "lookahead_auto": "groq"}, True, False),
    ],
)
def test_what_auto_could_stand_for_may_be_named(given: dict[str, Any], groq: bool, ollama: bool) -> None:
    offered = settings(**{"lookahead_auto": "auto", **given}).offered()
    assert ("groq" in offered, "groq:openai/gpt-oss-120b" in offered) == (groq, groq)
    assert ("ollama" in offered, f"ollama:{given.get('ollama_model', 'llama3.2:3b')}" in offered) == (ollama, ollama)


@pytest.mark.parametrize(
    "asked",
    [{"planner": "openai:gpt-5"}, {"reranker": "cross-encoder:somebody/large"}, {"synthesizer": "groq"}],
)
async def test_a_question_names_no_other_model(asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    async with client(service()) as http:
        for stream in (False, True):
            body = {"question": QUESTION, "settings": asked, "stream": stream}
            assert "is not offered by this server" in error(await http.post("/ask", json=body), 422)
        assert (await http.post("/ask", json={"question": QUESTION, "settings": {"reranker": "rrf"}})).is_success


async def ran(context: Any, state: dict[str, Any], **user: Any) -> dict[str, Any]:
    """The context that a node is given on LangGraph's server, for this user."""

    async def node(state: dict[str, Any], runtime: Runtime[Context], *, deps: object) -> dict[str, Any]:
        return {"seen": runtime.context}

    server = SimpleNamespace(user=SimpleNamespace(**user)) if user else None
    runtime: Any = Runtime(context=context, server_info=server)  # type: ignore[arg-type]
    result: dict[str, Any] = await bind(node, None, Context())(state, runtime)
    return result


async def test_langgraphs_server_holds_a_token_to_what_is_offered() -> None:
    foreign = Context(reranker="cross-encoder:somebody/large")
    for context, state in ((foreign, {}), (None, {"context": foreign.model_dump()})):
        with pytest.raises(InputError, match="is not offered"):
            await ran(context, state, namespace="one", offered=[])
        with pytest.raises(InputError, match="is not offered"):
            await ran(context, state, namespace="one")
    seen = (await ran(foreign, {}, namespace="one", offered=["cross-encoder:somebody/large"]))["seen"]
    assert (seen.reranker, seen.namespace) == ("cross-encoder:somebody/large", "one")
    assert (await ran(foreign, {}, namespace=None))["seen"] == foreign
    assert (await ran(foreign, {}))["seen"] == foreign
