"""Rewriter on a LangChain chat model: one call for all query variants."""

from typing import TYPE_CHECKING

from langchain_core.runnables import RunnableConfig

from models.calling import call
from models.chat import NO_STREAM, ChatError, ChatModel, as_chat_model, text_of
from models.limits import NO_LIMITS, Limits
from models.rewriter import Rewritten
from prompts.multi_query import read_variants, variant_messages

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel


class ChatRewriter:
    """Writes query variants with a chat model.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
    """

    def __init__(self, model: "BaseChatModel | ChatModel", *, name: str = "") -> None:
        self.chat = as_chat_model(model, name)
        self.name = self.chat.name

    async def rewrite(self, question: str, *, names: list[str], count: int, limits: Limits = NO_LIMITS) -> Rewritten:
        """Write other queries; see `models.rewriter.Rewriter`.

        Raises:
            ChatError: the model failed, or wrote no query.
        """
        messages = variant_messages(question, count)
        config = RunnableConfig(run_name="write the queries", tags=[NO_STREAM])
        reply, usage = await call(
            self.chat,
            "rewrite",
            lambda: self.chat.model.ainvoke(messages, config),
            message_of=lambda message: message,
            limits=limits,
            prompt=messages,
        )
        queries = read_variants(text_of(reply), question, count)
        if not queries:
            raise ChatError(f"{self.name!r} wrote no query, but {text_of(reply)[:100]!r}; take another model", usage)
        return Rewritten(queries=queries, usage=usage)
