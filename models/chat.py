"""Planner and synthesizer on a LangChain chat model: one call for the plan, one for the answer.

`ChatPlanner` climbs down a ladder: the provider's JSON schema, its JSON mode, plain text, then the embedded planner.
What a model wrote is read tolerantly before it is asked again, so a second call is made only where the first one was
refused. Which models there are, their retries and their windows are not known here: any `BaseChatModel` will do.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel

from models.chat_errors import explain, is_final
from models.planner import EmbeddedPlanner, Planned, Planner
from models.synthesizer import SynthesisInput
from prompts.answer import Synthesis, Usage
from prompts.plan import PlanError, repair
from prompts.planning import PLAN_SCHEMA, planning_messages, read_plan
from prompts.synthesis import read_synthesis, readable, synthesis_messages
from stores.errors import ModelError

Rung = Literal["json_schema", "json_mode", "tolerant"]
RUNGS: tuple[Rung, ...] = ("json_schema", "json_mode", "tolerant")
"""Ways to ask for a plan, best first; the embedded planner stands below them."""

NO_STREAM = "nostream"
"""LangGraph keeps calls with this tag out of its message stream, or a plan's JSON would be shown as an answer.

The run's name matters too: of a run called as its node, LangGraph streams every message in the output."""


class ChatError(ModelError):
    """A language model gave up; what its calls took stands in `usage`."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class ChatPlanner:
    """Plans with a chat model.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
        embedded: plans when the model does not.
    """

    def __init__(self, model: BaseChatModel, *, name: str = "", embedded: Planner | None = None) -> None:
        self.model = model
        self.name = name or model_name(model)
        self.embedded = embedded or EmbeddedPlanner()

    async def plan(self, question: str, *, titles: Sequence[str], max_nodes: int) -> Planned:
        """Plan a question; see `models.planner.Planner`. Whatever the model does, there is a plan."""
        messages = planning_messages(question, titles, max_nodes)
        usage, problems = no_usage(), list[str]()
        for rung in RUNGS:
            asking = self._asking(rung)
            if asking is None:
                continue
            try:
                reply = await asking.ainvoke(messages, RunnableConfig(run_name="write the plan", tags=[NO_STREAM]))
            except Exception as error:  # whatever a provider raises: it costs the rung, never the run
                usage = add_usage(usage, call_usage("plan"))
                problems.append(explain(self.name, error, self.model))
                if is_final(error):
                    break
                continue
            usage = add_usage(usage, call_usage("plan", _message(reply)))
            try:
                return self._planned(reply, rung, question, max_nodes, usage, problems)
            except PlanError as error:
                problems.append(f"{self.name!r} wrote no plan that can be run ({str(error).removeprefix('plan: ')})")
                break  # asked in another way it would say the same
        return await self._embedded(question, titles, max_nodes, usage, problems)

    def _asking(self, rung: Rung) -> Runnable[Any, Any] | None:
        """The model, told to answer in this way; None where it cannot be told."""
        if rung == "tolerant":
            return self.model
        try:
            return self.model.with_structured_output(PLAN_SCHEMA, method=rung, include_raw=True)
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


class ChatSynthesizer:
    """Writes the answer with a chat model, streamed.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
    """

    def __init__(self, model: BaseChatModel, *, name: str = "") -> None:
        self.model = model
        self.name = name or model_name(model)

    async def synthesize(self, given: SynthesisInput, *, emit: Callable[[str], None]) -> Synthesis:
        """Answer and explain; the emitted pieces are the explanation. See `models.synthesizer.Synthesizer`.

        Raises:
            ChatError: the model failed, or wrote nothing that an answer can be read from.
        """
        messages = synthesis_messages(given["question"], given["evidence"], given["bound_queries"])
        whole: Any = None  # an AIMessageChunk, whose + is typed as that of a prompt
        shown = ""
        try:
            async for chunk in self.model.astream(messages, RunnableConfig(run_name="write the answer")):
                whole = chunk if whole is None else whole + chunk
                shown = _show(readable(text_of(whole)), shown, emit)
        except Exception as error:  # whatever a provider raises: the node falls back
            raise ChatError(explain(self.name, error, self.model), call_usage("synthesize", whole)) from error
        usage = call_usage("synthesize", whole)
        try:
            synthesis = read_synthesis(text_of(whole))
        except ValueError as error:
            raise ChatError(f"{self.name!r} cannot be understood: {error}; take another model", usage) from error
        _show(synthesis["explanation"], shown, emit)
        return Synthesis(**{**synthesis, "usage": usage})


def model_name(model: BaseChatModel) -> str:
    """What the model calls itself, else its class: "openai/gpt-oss-20b", "ScriptedChatModel"."""
    names = (getattr(model, field, None) for field in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str) and name), type(model).__name__)


def text_of(message: BaseMessage | None) -> str:
    """The text of a message, content blocks joined; reasoning and tool calls are none."""
    return str(message.text) if message is not None else ""


def no_usage() -> Usage:
    """Nothing was called."""
    return Usage(llm_calls=0, prompt_tokens=0, completion_tokens=0, by_reason={})


def call_usage(reason: str, message: BaseMessage | None = None) -> Usage:
    """One call for this reason, with the tokens that its answer reports (none when it failed)."""
    told = message.usage_metadata if isinstance(message, AIMessage) else None
    return Usage(
        llm_calls=1,
        prompt_tokens=told["input_tokens"] if told else 0,
        completion_tokens=told["output_tokens"] if told else 0,
        by_reason={reason: 1},
    )


def add_usage(a: Usage, b: Usage) -> Usage:
    """Both together."""
    reasons = {**a["by_reason"], **b["by_reason"]}
    return Usage(
        llm_calls=a["llm_calls"] + b["llm_calls"],
        prompt_tokens=a["prompt_tokens"] + b["prompt_tokens"],
        completion_tokens=a["completion_tokens"] + b["completion_tokens"],
        by_reason={r: a["by_reason"].get(r, 0) + b["by_reason"].get(r, 0) for r in reasons},
    )


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


def _show(text: str, shown: str, emit: Callable[[str], None]) -> str:
    """Emit what is new in the text; returns what has been shown."""
    if not text.startswith(shown) or text == shown:
        return shown
    emit(text[len(shown) :])
    return text
