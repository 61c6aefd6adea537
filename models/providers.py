"""Chat models by name: Groq, Ollama, and any other provider through LangChain's `init_chat_model`.

Knows how each client is to be set up for planning and answering; calls none. Clients are imported when the first model
of theirs is made, and belong to the event loop that uses them first.
"""

import dataclasses
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import SecretStr

from models.addresses import GROQ, OLLAMA, groq_address, ollama_address
from models.chat import ChatModel
from models.chat_errors import MAX_MESSAGE
from models.health import Health
from models.model_names import OLLAMA_MODEL, Role, full_name, missing_extra, unknown_name
from models.prices import PRICES, Prices, price_of
from models.redacting import Hidden, redact
from models.servers import http_options
from stores.errors import ModelError

if TYPE_CHECKING:  # clients cost 0.1 s to import
    import httpx
    from langchain_core.language_models import BaseChatModel

NUM_CTX = 8192
REPLY_TOKENS = 2048
"""Longest reply, reasoning included. Groq counts it against the tokens per minute as if it were used, and of these a
free account has 8,000 for each model (console.groq.com/docs/rate-limits)."""
CONNECT_SECONDS = 5.0
_REASONING = {"gpt-oss": "low", "qwen3": "none"}
"""`reasoning_effort` of Groq's models: the least each takes (console.groq.com/docs/reasoning); others take none."""


@dataclasses.dataclass(frozen=True, slots=True)
class Endpoints:
    """Keys and addresses of model servers. Addresses are taken in any spelling, and kept in the one clients take."""

    groq_api_key: SecretStr | None = None
    groq_api_base: str = GROQ
    ollama_host: str = OLLAMA
    ollama_authorization: SecretStr | None = None
    """Value of the Authorization header; credentials in `ollama_host` are moved here."""
    ollama_model: str = OLLAMA_MODEL
    ollama_num_ctx: int = NUM_CTX
    """Tokens that prompt and reply may share; never more than the model was made for, where that is known."""

    def __post_init__(self) -> None:
        host, login = ollama_address(self.ollama_host)
        object.__setattr__(self, "ollama_host", host)
        object.__setattr__(self, "groq_api_base", groq_address(self.groq_api_base))
        if login:
            object.__setattr__(self, "ollama_authorization", SecretStr(login))

    def ollama_headers(self) -> dict[str, str]:
        """What Ollama is told beside the request; secret."""
        login = self.ollama_authorization
        return {"Authorization": Hidden(login.get_secret_value())} if login else {}


class Http(NamedTuple):
    """Connections of one event loop: models that are given the same one share them, and so save a TLS handshake."""

    sync: "httpx.Client"
    asynchronous: "httpx.AsyncClient"


def open_http(address: str) -> Http:
    """Clients for an address; nothing is connected yet. The caller closes them."""
    import httpx

    options = http_options(address)
    options.setdefault("verify", httpx.create_ssl_context())  # read once for both
    timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)  # how long a call may take is decided by who calls
    return Http(httpx.Client(timeout=timeout, **options), httpx.AsyncClient(timeout=timeout, **options))


def make_chat_model(
    name: str,
    role: Role,
    endpoints: Endpoints,
    *,
    health: Health,
    http: Http | None = None,
    prices: Prices = PRICES,
) -> ChatModel:
    """Make a chat model. It takes up to 0.2 s of CPU and reads files: not on an event loop's thread.

    Args:
        name: "groq", "groq:MODEL", "ollama", "ollama:MODEL" or "PROVIDER:MODEL".
        role: what it will do.
        endpoints: keys and addresses.
        health: of this model at this address.
        http: connections to use where the client takes them (Groq's does); by default the model has its own.
        prices: of models by name.

    Raises:
        ModelError: unknown, not installed, or its key is missing.
    """
    name = full_name(name, role, endpoints.ollama_model)
    provider, _, model = name.partition(":")
    match provider:
        case "groq":
            chat = _groq(name, model, role, endpoints, health, http)
        case "ollama":
            chat = _ollama(name, model, endpoints, health)
        case _:
            chat = _other(name, provider, model, role, health)
    return dataclasses.replace(chat, price=price_of(name, prices))


async def close_chat_model(chat: ChatModel) -> None:
    """Close the connections of a model that `make_chat_model` made, on the event loop that used it."""
    model: Any = chat.model
    if chat.name.startswith("groq:"):
        await model.http_async_client.aclose()
        model.http_client.close()
    elif chat.name.startswith("ollama:"):
        await model._async_client.close()  # langchain-ollama offers no other way to it
        model._client.close()


def _groq(name: str, model: str, role: Role, endpoints: Endpoints, health: Health, http: Http | None) -> ChatModel:
    key = endpoints.groq_api_key
    if key is None:
        raise ModelError(
            f"{role}: {name!r} needs GROQ_API_KEY: set it in the environment or in .env, or take 'embedded'"
        )
    from langchain_groq import ChatGroq

    http = http or open_http(endpoints.groq_api_base)
    chat: BaseChatModel = ChatGroq(
        model_name=model,
        api_key=key,
        base_url=endpoints.groq_api_base,
        temperature=0,
        max_tokens=REPLY_TOKENS,
        reasoning_effort=next((effort for part, effort in _REASONING.items() if part in model), None),
        max_retries=0,  # `models.calling` retries, and only it
        timeout=http.asynchronous.timeout,
        http_client=http.sync,
        http_async_client=http.asynchronous,
        # The API refuses to stream JSON, and a message stream around the graph makes `ainvoke` stream.
        disable_streaming=role == "planner",
    )
    return ChatModel(
        name=name,
        model=chat,
        streams_json=False,
        schema_options={"strict": True} if "gpt-oss" in model else {},
        window=_window(chat),
        reply_tokens=REPLY_TOKENS,
        health=health,
    )


def _ollama(name: str, model: str, endpoints: Endpoints, health: Health) -> ChatModel:
    import httpx
    from langchain_ollama import ChatOllama

    window = endpoints.ollama_num_ctx
    reply = min(REPLY_TOKENS, window // 2)
    chat = ChatOllama(
        model=model,
        base_url=endpoints.ollama_host,
        temperature=0,
        num_ctx=window,
        num_predict=reply,
        reasoning="low" if "gpt-oss" in model else False,  # gpt-oss cannot be told not to (ollama issue 11751)
        client_kwargs={
            "headers": endpoints.ollama_headers(),
            "timeout": httpx.Timeout(None, connect=CONNECT_SECONDS),
            **http_options(endpoints.ollama_host),
        },
    )
    return ChatModel(name=name, model=chat, window=window, reply_tokens=reply, health=health)


def _other(name: str, provider: str, model: str, role: Role, health: Health) -> ChatModel:
    """Any provider that LangChain knows; its own defaults hold, but that it does not retry."""
    try:
        from langchain.chat_models import init_chat_model
    except ImportError:
        raise ModelError(missing_extra(name, role)) from None
    try:
        chat = init_chat_model(model, model_provider=provider)
        if "max_retries" in type(chat).model_fields:
            chat = init_chat_model(model, model_provider=provider, max_retries=0)
    except Exception as error:  # each provider has its own way to say that it is not installed, or misses a key
        raise ModelError(_not_made(name, role, error)) from error
    return ChatModel(name=name, model=chat, window=_window(chat), health=health)


def _not_made(name: str, role: Role, error: Exception) -> str:
    if isinstance(error, ValueError) and str(error).startswith("Unsupported provider"):
        return unknown_name(name, role)
    package = re.search(r"pip install [\w\[\]-]+", str(error)) if isinstance(error, ImportError) else None
    if package:
        return f"{role}: {name!r} needs the provider's own package: {package[0]}"
    message = " ".join(redact(str(error)).split()).rstrip(".")[:MAX_MESSAGE]
    return f"{role}: {name!r} cannot be set up ({type(error).__name__}: {message}): mend that, or take 'embedded'"


def _window(chat: "BaseChatModel") -> int | None:
    """Tokens that the model can take in, where LangChain knows."""
    profile = chat.profile
    return profile.get("max_input_tokens") if profile else None
