"""What planner and synthesizer on a chat model have in common. Any LangChain `BaseChatModel` will do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage

from models.failures import provider_of
from models.health import Health
from models.prices import Price, price_of
from models.retrying import Retry
from prompts.answer import Usage
from stores.errors import ModelError

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

NO_STREAM = "nostream"
"""LangGraph keeps calls with this tag out of its message stream, or a plan's JSON would be shown as an answer.

The run's name matters too: of a run called as its node, LangGraph streams every message in the output."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A chat model, and what LangChain's interface does not tell of it."""

    name: str
    """Under which it stands in results: "groq:openai/gpt-oss-20b"."""
    model: "BaseChatModel"
    streams_json: bool = True
    """Whether structured output can be streamed; Groq refuses that."""
    schema_options: dict[str, Any] = field(default_factory=dict)
    """What `with_structured_output` takes beside the schema where a JSON schema is asked for: {"strict": True}."""
    window: int | None = None
    """Tokens that prompt and reply share; None when it is not known."""
    reply_tokens: int = 1024
    """Room kept for the reply."""
    health: Health = field(default_factory=Health)
    """Shared by all that call this model in this process; see `models.health.shared_health`."""
    price: Price | None = None
    """For counting what calls cost; None when it is not known."""
    retry: Retry = field(default_factory=Retry)
    """How often a failed call is made again, and after what waits."""


class ChatError(ModelError):
    """A language model gave up; what its calls took stands in `usage`, what else is to be said in `warnings`."""

    def __init__(self, message: str, usage: Usage, warnings: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.usage = usage
        self.warnings = list(warnings)


def as_chat_model(model: "BaseChatModel | ChatModel", name: str = "") -> ChatModel:
    """What a user handed in, under its own name, with the window and the price that can be known of it.

    Each call makes a new `Health`: who wants planner and synthesizer to share one makes one ChatModel for both.
    """
    if isinstance(model, ChatModel):
        return model
    own, provider, window = model_name(model), provider_of("", model), getattr(model, "num_ctx", None)
    return ChatModel(
        name or own,
        model,
        streams_json=provider != "groq",
        window=window if isinstance(window, int) and window > 0 else None,
        price=price_of(f"{provider}:{own}" if provider else own),
    )


def model_name(model: "BaseChatModel") -> str:
    """What the model calls itself, else its class: "openai/gpt-oss-20b", "ScriptedChatModel"."""
    names = (getattr(model, field, None) for field in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str) and name), type(model).__name__)


def finish_of(message: BaseMessage | None) -> str:
    """Why the model stopped writing, as its server says: "stop", "length", "tool_calls"; "" when it does not say."""
    told = message.response_metadata if message is not None else {}
    return str(told.get("finish_reason") or told.get("done_reason") or "")


def is_broken_off(chat: ChatModel, message: BaseMessage | None) -> bool:
    """Whether a stream just ended: Groq and Ollama say why they stop, unless they, or what is between, are killed."""
    return bool(provider_of("", chat.model)) and not finish_of(message)


def text_of(message: BaseMessage | None) -> str:
    """The text of a message, content blocks joined; reasoning and tool calls are none."""
    return str(message.text) if message is not None else ""
