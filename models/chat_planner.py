"""Planner on a LangChain chat model: one call for the plan, or several whose agreement is measured.

It climbs down a ladder: the provider's JSON schema, its JSON mode, plain text, then the embedded planner. What a model
wrote is read tolerantly before it is asked again, so a second call is made only where the first one was refused.
"""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from models.calling import call, is_cut
from models.chat import NO_STREAM, ChatError, ChatModel, as_chat_model
from models.chat_errors import failed_generation, is_final, provider_of
from models.limits import Limits
from models.plan_reply import message_of, model_within, plan_data, streamed
from models.planner import DEFAULTS, EmbeddedPlanner, Planned, Planner, PlanOptions
from models.sampling import agree, compared, cosine_similarity, word_similarity
from models.token_rate import prompt_size
from models.usage import add_usage, no_usage
from prompts.answer import Usage
from prompts.plan import PlanError, PlanGraph, PlanNode, repair
from prompts.plan_stream import PlanWriting
from prompts.planning import PLAN_SCHEMA, bounded_schema, planning_messages, read_plan
from stores.records import Matrix

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

Rung = Literal["json_schema", "json_mode", "tolerant"]
RUNGS: tuple[Rung, ...] = ("json_schema", "json_mode", "tolerant")
"""Ways to ask for a plan, best first; the embedded planner stands below them."""
SAMPLE_TEMPERATURE = 0.7
"""At which several plans are sampled: at 0 all would be the same."""

Embed = Callable[[Sequence[str]], Awaitable[Matrix]]
Tell = Callable[[PlanNode], None]


@dataclasses.dataclass(frozen=True, slots=True)
class _Task:
    """What is to be planned."""

    question: str
    messages: list[BaseMessage]
    max_nodes: int
    limits: Limits

    def plan_of(self, data: Any) -> tuple[PlanGraph, list[str]]:
        """The valid plan in what a model wrote, and what was repaired; raises PlanError."""
        return repair(data, self.question, self.max_nodes)


@dataclasses.dataclass(slots=True)
class _Written:
    """What asking the model came to: a plan, or the problems that stood against it."""

    usage: Usage = dataclasses.field(default_factory=no_usage)
    problems: list[str] = dataclasses.field(default_factory=list)
    plan: PlanGraph | None = None
    rung: str = ""
    warnings: list[str] = dataclasses.field(default_factory=list)
    entropy: float | None = None


class ChatPlanner:
    """Plans with a chat model.

    Args:
        model: any LangChain chat model.
        name: under which it stands in results; by default the model's own.
        embedded: plans when the model does not.
        embed: vectors of queries, shape (n, dimension), by which sampled plans are compared; without it, by words.
    """

    def __init__(
        self,
        model: "BaseChatModel | ChatModel",
        *,
        name: str = "",
        embedded: Planner | None = None,
        embed: Embed | None = None,
    ) -> None:
        self.chat = _unstreamed(as_chat_model(model, name))
        self.name = self.chat.name
        self.embedded = embedded or EmbeddedPlanner()
        self.embed = embed

    async def plan(
        self, question: str, *, titles: Sequence[str], max_nodes: int, options: PlanOptions = DEFAULTS
    ) -> Planned:
        """Plan a question; see `models.planner.Planner`. Whatever the model does, there is a plan."""
        task = _Task(question, planning_messages(question, titles, max_nodes), max_nodes, options.limits)
        if options.samples > 1:
            written = await self._sampled(task, options.samples)
        else:
            written = await _write(self.chat, "plan", task, options.on_node)
        if written.plan is None:
            planned = await self.embedded.plan(question, titles=titles, max_nodes=max_nodes)
            warnings = [f"the embedded plan stands in: {written.problems[-1]}", *planned["warnings"]]
            return {**planned, "warnings": warnings, "usage": written.usage}
        return Planned(
            plan=written.plan.model_dump(),
            rung=written.rung,
            warnings=written.warnings,
            entropy=written.entropy,
            usage=written.usage,
        )

    async def _sampled(self, task: _Task, samples: int) -> _Written:
        """Several plans at once; the one nearest to all is taken, and what few of them hold is trusted less."""
        chat = _varied(self.chat)
        reasons = ["plan", *["plan (sample)"] * (samples - 1)]
        written = await asyncio.gather(*(_write(chat, reason, task, None) for reason in reasons))
        together = _Written(problems=[problem for one in written for problem in one.problems])
        for one in written:
            together.usage = add_usage(together.usage, one.usage)
        read = [(one, one.plan) for one in written if one.plan is not None]
        if not read:
            return together
        plans = [plan for _, plan in read]
        texts = compared(plans)
        alike = await self._alike(texts, together)
        together.plan, chosen, entropy = agree(plans, alike)
        together.rung = read[chosen][0].rung
        if len(read) > 1:
            together.entropy = entropy
        if len(read) < samples:
            last = next(one.problems[-1] for one in reversed(written) if one.plan is None)
            together.warnings.append(f"{len(read)} of {samples} sampled plans could be read: {last}")
        together.warnings += read[chosen][0].warnings
        return together

    async def _alike(self, texts: Sequence[str], together: _Written) -> Matrix:
        """How alike the queries of sampled plans are: by their vectors, else by their words."""
        if self.embed is not None:
            try:
                return cosine_similarity(await self.embed(texts))
            except Exception as error:  # whatever an embedder raises: the plans are paid for
                failed = f"the embedder failed with {type(error).__name__}: {error}"
                together.warnings.append(f"sampled plans were compared by their words: {failed}")
        return word_similarity(texts)


def _unstreamed(chat: ChatModel) -> ChatModel:
    """The model as it is where it can stream JSON; else told not to, since a message stream around the graph would."""
    if chat.streams_json:
        return chat
    return dataclasses.replace(chat, model=chat.model.model_copy(update={"disable_streaming": True}))


def _varied(chat: ChatModel) -> ChatModel:
    """The model at a temperature at which its plans differ; as it is where it knows no temperature."""
    if "temperature" not in type(chat.model).model_fields:
        return chat
    return dataclasses.replace(chat, model=chat.model.model_copy(update={"temperature": SAMPLE_TEMPERATURE}))


async def _write(chat: ChatModel, reason: str, task: _Task, on_node: Tell | None) -> _Written:
    """One plan, down the ladder."""
    written = _Written()
    tell = _once(on_node) if on_node is not None else None
    for rung in RUNGS:
        asking = _asking(chat, rung, task.max_nodes)
        if asking is None:
            continue
        try:
            reply, spent = await _ask(chat, reason, asking, task, tell if chat.streams_json else None)
        except ChatError as error:
            written.usage = add_usage(written.usage, error.usage)
            written.problems.append(str(error))
            if _read_refused(written, error, task) or (error.__cause__ is not None and is_final(error.__cause__)):
                break
            continue
        written.usage = add_usage(written.usage, spent)
        cut = _cut(chat, spent["prompt_tokens"], task)
        try:
            data, exact = plan_data(reply)
            written.plan, notes = task.plan_of(data)
        except PlanError as error:
            problem = str(error).removeprefix("plan: ")
            written.problems.append(f"{chat.name!r} wrote no plan that can be run ({problem}); take another model")
            break  # asked in another way it would say the same
        written.rung = rung if exact else "tolerant"
        written.warnings = [f"{problem}; the plan was got by {rung}" for problem in written.problems[-1:]] + cut + notes
        break
    return written


def _cut(chat: ChatModel, reported: int, task: _Task) -> list[str]:
    """What is said of a prompt of which the server did not read the whole: Ollama cuts off its front, the rules."""
    if not is_cut(chat, reported, prompt_size(task.messages)):
        return []
    return [f"{chat.name!r} read only {reported:,} tokens of the planning prompt; set a larger OLLAMA_NUM_CTX"]


def _once(on_node: Tell) -> Tell:
    """Tells each node once, also where a call is made again and begins anew."""
    told: list[PlanNode] = []

    def tell(node: PlanNode) -> None:
        if node not in told:
            told.append(node)
            on_node(node)

    return tell


def _asking(chat: ChatModel, rung: Rung, max_nodes: int) -> Runnable[Any, Any] | None:
    """The model, told to answer in this way; None where it cannot be told."""
    if rung == "tolerant":
        return chat.model
    bounded = rung == "json_schema" and provider_of(chat.name, chat.model) == "ollama"
    schema = bounded_schema(max_nodes) if bounded else PLAN_SCHEMA
    options = chat.schema_options if rung == "json_schema" else {}
    try:
        return model_within(chat.model.with_structured_output(schema, method=rung, include_raw=True, **options))
    except Exception:  # NotImplementedError, TypeError, ValueError: each class has its own way to say no
        return None


async def _ask(
    chat: ChatModel, reason: str, asking: Runnable[Any, Any], task: _Task, tell: Tell | None
) -> tuple[Any, Usage]:
    config = RunnableConfig(run_name="write the plan", tags=[NO_STREAM])

    async def ask() -> Any:
        if tell is None:
            return await asking.ainvoke(task.messages, config)
        return await streamed(asking, task.messages, config, PlanWriting(task.max_nodes), tell)

    return await call(chat, reason, ask, message_of=message_of, limits=task.limits, prompt=task.messages)


def _read_refused(written: _Written, error: ChatError, task: _Task) -> bool:
    """Read the plan in a text that the server held back because it does not keep to the schema."""
    text = failed_generation(error.__cause__) if error.__cause__ is not None else None
    if not text:
        return False
    try:
        written.plan, notes = task.plan_of(read_plan(text)[0])
    except PlanError:
        return False
    written.rung = "tolerant"
    written.warnings = [f"{error}; the plan was read in what was refused", *notes]
    return True
