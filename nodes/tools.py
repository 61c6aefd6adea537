"""Runs the agent's tools other than search: `read_document`, and `web_search` where it is switched on.

What they return becomes a hop like any other, so that it is ranked, shown to the answer and cited; to the agent it is
shown as data between fences. A tool that fails tells the agent so; the run goes on.
"""

import time
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from nodes.agent import pending
from nodes.agent_state import AgentStep, ReactState, recorded
from nodes.deps import Deps
from nodes.react_context import ReactContext
from nodes.state import Hop
from prompts.agent import READ_TOOL, TOOLS, WEB_TOOL, told
from tools.reading import reading_tool
from tools.retrieval import unmeasured
from tools.web import web_tool


async def tools(state: ReactState, runtime: Runtime[ReactContext], *, deps: Deps) -> dict[str, Any]:
    """Make the calls that wait.

    Raises:
        InputError: the web is to be searched, and the extra for it is not installed.
    """
    started = time.perf_counter()
    # Not under this node's own name: of a run called so, LangGraph streams every message in the output.
    served = ToolNode(await _served(runtime.context, deps), name="calls", handle_tool_errors=_sentence)
    replies = (await served.ainvoke({"messages": [AIMessage("", tool_calls=pending(state))]}))["messages"]
    ms = (time.perf_counter() - started) * 1000
    number = 1 + max((int(i[1:]) for i in [*state["hops"], *_planned(state)]), default=0)
    steps, hops, messages = list(state["agent_steps"]), dict[str, Hop](), list[ToolMessage]()
    for reply in replies:
        place = next(i for i, step in enumerate(steps) if step["call"] == reply.tool_call_id)
        hop = _hop(f"n{number + len(hops)}", steps[place], reply, ms) if reply.artifact else None
        if hop is not None:
            hops[hop["id"]] = hop
        problem = "" if hop else str(reply.text)
        titles = [hit["title"] for hit in hop["passages"]] if hop else []
        steps[place] = AgentStep(
            **{**steps[place], "hop": hop["id"] if hop else "", "found": titles, "problem": problem}
        )
        shown = told(hop["passages"] if hop else [], state["question"], problem)
        messages.append(ToolMessage(shown, tool_call_id=reply.tool_call_id, name=reply.name))
    return {"dialogue": recorded(messages), "hops": hops, "agent_steps": steps}


async def _served(context: ReactContext, deps: Deps) -> list[BaseTool]:
    search = await deps.search(context.namespace)
    served = [reading_tool(search, READ_TOOL, _description(READ_TOOL))]
    return [*served, web_tool(WEB_TOOL, _description(WEB_TOOL))] if context.web_search else served


def _description(name: str) -> str:
    return str(TOOLS[name]["function"]["description"])


def _sentence(error: Exception) -> str:
    """What the agent is told of a tool that failed; LangGraph reads from this signature that all errors are meant."""
    return f"it failed: {error}"


def _planned(state: ReactState) -> list[str]:
    return [node["id"] for node in state["plan_graph"]["nodes"]]


def _hop(number: str, step: AgentStep, reply: ToolMessage, ms: float) -> Hop:
    query = f"{step['action']}: {step['query']}"
    return Hop(
        id=number, op="lookup", query=query, bound_query=step["query"], bindings=[],
        passages=unmeasured(reply.artifact), ms=ms, error=None,
    )  # fmt: skip
