"""Agent on a LangChain chat model: one call for each step, with tools.

It makes no call of a tool itself: it says which searches are wanted, and answers calls that cannot be made.
"""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, InvalidToolCall, SystemMessage, ToolMessage
from langchain_core.messages.tool import ToolCall, tool_call
from langchain_core.runnables import RunnableConfig

from models.agent import AgentInput, Move, Searching
from models.calling import call
from models.chat import NO_STREAM, ChatError, ChatModel, as_chat_model, text_of
from models.limits import NO_LIMITS, Limits
from models.token_rate import prompt_size
from models.usage import no_usage
from prompts.agent import SEARCH_TOOL, SYSTEM, TOOLS
from prompts.plan import MAX_QUERY, PlanNode, clean_text
from prompts.thoughts import without_thoughts

if TYPE_CHECKING:  # who runs embedded pays for no chat model
    from langchain_core.language_models import BaseChatModel

MOST_CALLS = 4
"""Tool calls of one step that are made."""
MAX_THOUGHT = 2_000
"""Characters of a thought that are kept."""
FORGOTTEN = "(left out: it would not fit the model's window; search again for what you need of it)"


class ChatAgent:
    """Decides with a chat model.

    Args:
        model: any LangChain chat model that takes tools.
        tools: names of the tools it is offered, keys of `prompts.agent.TOOLS`.
        name: under which it stands in results; by default the model's own.
    """

    def __init__(
        self, model: "BaseChatModel | ChatModel", tools: Sequence[str] = (SEARCH_TOOL,), *, name: str = ""
    ) -> None:
        self.chat = as_chat_model(model, name)
        self.name = self.chat.name
        self.tools = list(tools)

    async def act(self, given: AgentInput, *, limits: Limits = NO_LIMITS) -> Move:
        """Decide what to do next; see `models.agent.Agent`.

        Raises:
            ChatError: the model failed, or takes no tools.
        """
        try:
            asking = self.chat.model.bind_tools([TOOLS[name] for name in self.tools])
        except NotImplementedError as error:
            raise ChatError(f"{self.name!r} takes no tools; take another model, or 'embedded'", no_usage()) from error
        prompt = [SystemMessage(SYSTEM), *self._fitted(given["messages"])]
        config = RunnableConfig(run_name="decide", tags=[NO_STREAM])
        reply, usage = await call(
            self.chat,
            "agent",
            lambda: asking.ainvoke(prompt, config),
            message_of=lambda message: message,
            limits=limits,
            prompt=prompt,
        )
        return Move(**{**self._move(reply, given), "usage": usage})

    def _fitted(self, messages: Sequence[AnyMessage]) -> list[BaseMessage]:
        """The messages, without what the oldest searches found where all would not fit the model's window."""
        kept: list[BaseMessage] = list(messages)
        for number, message in enumerate(messages):
            if prompt_size(kept) <= self._most():
                break
            if isinstance(message, ToolMessage):
                kept[number] = message.model_copy(update={"content": FORGOTTEN})
        return kept

    def _most(self) -> float:
        """Bytes that the conversation may have beside the reply and the system's message."""
        if self.chat.window is None:
            return math.inf
        bare = len(SYSTEM) + len(json.dumps([TOOLS[name] for name in self.tools]))
        return self.chat.health.rate.bytes(self.chat.window - min(self.chat.reply_tokens, self.chat.window // 2)) - bare

    def _move(self, reply: BaseMessage, given: AgentInput) -> Move:
        """The calls of a reply, sorted into what is searched, what other tools do, and what is refused."""
        known = {" ".join(str(node["query"]).lower().split()) for node in given["nodes"]}
        ids = [*given["passages"], *(node["id"] for node in given["nodes"])]
        number = 1 + max((int(i[1:]) for i in ids), default=0)
        calls, searches, refused = _calls(reply, len(given["messages"])), list[Searching](), list[ToolMessage]()
        for place, (made, problem) in enumerate(calls):
            query = clean_text(str(made["args"].get("query") or ""))[:MAX_QUERY]
            if place >= MOST_CALLS:
                problem = f"only the first {MOST_CALLS} calls of a step are made"
            elif made["name"] not in self.tools:
                problem = f"there is no tool {made['name']!r}: take {' or '.join(self.tools)}"
            elif made["name"] == SEARCH_TOOL and not problem:
                problem = _search_problem(query, known)
            if problem:
                refused.append(ToolMessage(problem, tool_call_id=made["id"], name=made["name"], status="error"))
            elif made["name"] == SEARCH_TOOL:
                node = PlanNode(id=f"n{number}", query=query, budget_cost=1)
                searches.append(Searching(call=str(made["id"]), node=node.model_dump(), lead=False))
                known.add(query.lower())
                number += 1
        thought = without_thoughts(text_of(reply)).strip()[:MAX_THOUGHT]
        message = AIMessage(thought, tool_calls=[made for made, _ in calls])
        return Move(message=message, searches=searches, refused=refused)


def _calls(reply: BaseMessage, position: int) -> list[tuple[ToolCall, str]]:
    """The calls of a reply, each with an id of its own and what is wrong with it, if anything.

    Every call must have its reply, or providers refuse the conversation: also one whose arguments are no JSON.
    """
    if not isinstance(reply, AIMessage):
        return []
    made: list[ToolCall | InvalidToolCall] = [*reply.tool_calls, *reply.invalid_tool_calls]
    calls, used = list[tuple[ToolCall, str]](), set[str]()
    for number, one in enumerate(made):
        readable = isinstance(one["args"], dict)
        args: dict[str, Any] = one["args"] if isinstance(one["args"], dict) else {}
        own = one["id"] if one["id"] and one["id"] not in used else f"call_{position}_{number}"
        used.add(own)
        problem = "" if readable else "the arguments could not be read: write them as a JSON object"
        calls.append((tool_call(name=one["name"] or "?", args=args, id=own), problem))
    return calls


def _search_problem(query: str, known: set[str]) -> str:
    if not query:
        return "the query is empty: say what to search for"
    if query.lower() in known:
        return "this was searched already, its passages stand above: ask for something else, or in other words"
    return ""
