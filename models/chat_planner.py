"""Planner on a LangChain chat model: one call for the plan.

It climbs down a ladder: the provider's JSON schema, its JSON mode, plain text, then the embedded planner. What a model
wrote is read tolerantly before it is asked again, so a second call is made only where the first one was refused.
"""

from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel

from models.calling import call
from models.chat import NO_STREAM, ChatError, ChatModel, as_chat_model, text_of
from models.chat_errors import is_final
from models.limits import Limits
from models.planner import DEFAULTS, EmbeddedPlanner, Planned, Planner, PlanOptions
from models.usage import add_usage, no_usage
from prompts.answer import Usage
from prompts.plan import PlanError, repair
from prompts.planning import PLAN_SCHEMA, planning_messages, read_plan

Rung = Literal["json_schema", "json_mode", "tolerant"]
RUNGS: tuple[Rung, ...] = ("json_schema", "json_mode", "tolerant")
"""Ways to ask for a plan, best first; the embedded planner stands below them."""


class ChatPlanner:
    """Plans with a chat model.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
        embedded: plans when the model does not.
    """

    def __init__(self, model: BaseChatModel | ChatModel, *, name: str = "", embedded: Planner | None = None) -> None:
        self.chat = as_chat_model(model, name)
        self.name = self.chat.name
        self.embedded = embedded or EmbeddedPlanner()

    async def plan(
        self, question: str, *, titles: Sequence[str], max_nodes: int, options: PlanOptions = DEFAULTS
    ) -> Planned:
        """Plan a question; see `models.planner.Planner`. Whatever the model does, there is a plan."""
        messages = planning_messages(question, titles, max_nodes)
        usage, problems = no_usage(), list[str]()
        for rung in RUNGS:
            asking = self._asking(rung)
            if asking is None:
                continue
            try:
                reply, spent = await self._ask(asking, messages, options.limits)
            except ChatError as error:
                usage = add_usage(usage, error.usage)
                problems.append(str(error))
                if error.__cause__ is not None and is_final(error.__cause__):
                    break
                continue
            usage = add_usage(usage, spent)
            try:
                return self._planned(reply, rung, question, max_nodes, usage, problems)
            except PlanError as error:
                problems.append(f"{self.name!r} wrote no plan that can be run ({str(error).removeprefix('plan: ')})")
                break  # asked in another way it would say the same
        return await self._embedded(question, titles, max_nodes, usage, problems)

    async def _ask(self, asking: Runnable[Any, Any], messages: list[BaseMessage], limits: Limits) -> tuple[Any, Usage]:
        config = RunnableConfig(run_name="write the plan", tags=[NO_STREAM])
        return await call(
            self.chat, "plan", lambda: asking.ainvoke(messages, config), message_of=_message, limits=limits
        )

    def _asking(self, rung: Rung) -> Runnable[Any, Any] | None:
        """The model, told to answer in this way; None where it cannot be told."""
        if rung == "tolerant":
            return self.chat.model
        try:
            return self.chat.model.with_structured_output(PLAN_SCHEMA, method=rung, include_raw=True)
        except Exception:  # NotImplementedError, TypeError, ValueError: each class has its own way to say no
            return None

    def _planned(
        self, reply: Any, rung: Rung, question: str, max_nodes: int, usage: Usage, problems: list[str]
    ) -> Planned:
        data, exact = _plan_data(reply)
        graph, notes = repair(data, question, max_nodes)
        used = rung if exact else "tolerant"
        warnings = [f"{problem}; the plan was got by {rung}" for problem in problems[-1:]] + notes
        return Planned(plan=graph.model_dump(), rung=used, warnings=warnings, entropy=None, usage=usage)

    async def _embedded(
        self, question: str, titles: Sequence[str], max_nodes: int, usage: Usage, problems: list[str]
    ) -> Planned:
        planned = await self.embedded.plan(question, titles=titles, max_nodes=max_nodes)
        planned["warnings"] = [f"the embedded plan stands in: {problems[-1]}", *planned["warnings"]]
        planned["usage"] = usage
        return planned


def _message(reply: Any) -> BaseMessage | None:
    """The model's message in a reply: itself, or under "raw" where structured output was asked for."""
    raw = reply.get("raw") if isinstance(reply, dict) else reply
    return raw if isinstance(raw, BaseMessage) else None


def _plan_data(reply: Any) -> tuple[Any, bool]:
    """What a reply holds for `repair`, and whether it came as JSON and nothing else. Raises PlanError when nothing."""
    message = _message(reply)
    if message is None:  # a model whose structured output knows no include_raw
        return (reply.model_dump() if isinstance(reply, BaseModel) else reply), True
    if isinstance(message, AIMessage):  # models that know tools only: langchain-core asks them for a call with the plan
        for call in message.tool_calls:
            return call["args"], True
        for broken in message.invalid_tool_calls:
            return read_plan(broken["args"] or "")
    return read_plan(text_of(message))
