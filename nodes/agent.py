"""The agent decides what to do next: its searches become plan nodes, which the same `retrieve` runs as any plan's.

What they found is told back to it here, when its next turn comes.
"""

import asyncio
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langgraph.runtime import Runtime

from models.agent import Agent, AgentInput, EmbeddedAgent, Move, Searching
from models.chat import ChatError
from models.synthesizer import SynthesisInput
from models.usage import call_usage
from nodes.agent_state import AgentStep, ReactState, dialogue_of, recorded
from nodes.deadline import limits, seconds_left
from nodes.deps import Deps
from nodes.react_context import ReactContext
from nodes.synthesize import synthesis_input
from prompts.agent import READ_TOOL, SEARCH_TOOL, WEB_TOOL, told
from prompts.answer import Evidence
from prompts.plan import PlanNode
from stores.errors import LookaheadError

ANSWER_SHARE = 0.3
"""Share of a run's deadline that the agent leaves for the answer."""


async def agent(state: ReactState, runtime: Runtime[ReactContext], *, deps: Deps) -> dict[str, Any]:
    """Take in what was found, and decide what to do next, while there are steps and time left."""
    context = runtime.context
    observed, steps = observe(state)
    number = 1 + max((step["step"] for step in steps), default=0)
    left = _seconds(state, context)
    if number > context.max_steps or left == 0:
        late = [f"agent: it stopped in step {number}: the deadline of {context.deadline_ms} ms is near"]
        return {
            "dialogue": recorded(observed),
            "agent_steps": steps,
            "finished": True,
            "warnings": late if left == 0 else [],
        }
    chosen = await deps.agent(context.planner, tools_of(context), context.reader)
    name, move, warnings = await _decide(chosen, _given(state, observed), left, context, deps)
    if not move["message"].tool_calls and not state["hops"]:
        move = _search_the_question(move, state["question"])
    nodes = [one["node"] for one in move["searches"]]
    return {
        "dialogue": recorded([*observed, move["message"], *move.get("refused", [])]),
        "agent_steps": [*steps, *_steps(move, number)],
        "finished": not move["message"].tool_calls,
        "plan_graph": {**state["plan_graph"], "nodes": [*state["plan_graph"]["nodes"], *nodes]},
        "pruning": {**state["pruning"], "kept": [*state["pruning"]["kept"], *(node["id"] for node in nodes)]},
        "unasked": [*state["unasked"], *(one["node"]["id"] for one in move["searches"] if one["lead"])],
        "models": {"agent": name},
        "usage": move.get("usage", {}),
        "warnings": warnings,
    }


def after_agent(state: ReactState) -> Literal["tools", "retrieve", "agent", "assemble"]:
    """Tools first, since what they return goes with the searches into one ranking; a step that did nothing is over."""
    if state["finished"]:
        return "assemble"
    if pending(state):
        return "tools"
    waiting = [node["id"] for node in state["plan_graph"]["nodes"] if node["id"] not in state["hops"]]
    return "retrieve" if waiting else "agent"


def pending(state: ReactState) -> list[dict[str, Any]]:
    """Calls of tools other than search that have no reply yet."""
    said = next((m for m in reversed(dialogue_of(state)) if isinstance(m, AIMessage)), None)
    replied = {m.tool_call_id for m in dialogue_of(state) if isinstance(m, ToolMessage)}
    calls = said.tool_calls if said is not None else []
    return [dict(call) for call in calls if call["name"] != SEARCH_TOOL and call["id"] not in replied]


def tools_of(context: ReactContext) -> list[str]:
    """Names of the tools that the agent is offered."""
    return [SEARCH_TOOL, READ_TOOL, *([WEB_TOOL] if context.web_search else [])]


def observe(state: ReactState) -> tuple[list[AnyMessage], list[AgentStep]]:
    """What the searches of the last step found: as messages to the agent, and in the steps."""
    replied = {m.tool_call_id for m in dialogue_of(state) if isinstance(m, ToolMessage)}
    messages, steps = list[AnyMessage](), list[AgentStep]()
    for step in state["agent_steps"]:
        hop = state["hops"].get(step["hop"])
        if hop is not None and step["action"] == SEARCH_TOOL and step["call"] not in replied:
            found = [hit["title"] for hit in hop["passages"]]
            step = AgentStep(
                **{**step, "query": hop["bound_query"], "found": found, "problem": hop["error"] or ""},
            )
            shown = told(hop["passages"], state["question"], hop["error"] or "")
            messages.append(ToolMessage(shown, tool_call_id=step["call"], name=SEARCH_TOOL))
        steps.append(step)
    return messages, steps


def _given(state: ReactState, observed: list[AnyMessage]) -> AgentInput:
    evidence = [
        Evidence(
            ids=hit["hops"], passage_id=hit["id"], document_id=hit["document_id"], title=hit["title"],
            text=hit["text"], compressed=False, score=hit["score"],
        )
        for hit in state["ranked"]
    ]  # fmt: skip
    return AgentInput(
        question=state["question"],
        names=state["names"],
        messages=[*dialogue_of(state), *observed],
        so_far=SynthesisInput(**{**synthesis_input(state), "evidence": evidence}),
        passages={hop["id"]: hop["passages"] for hop in state["hops"].values()},
        nodes=state["plan_graph"]["nodes"],
    )


def _seconds(state: ReactState, context: ReactContext) -> float | None:
    """Seconds that the agent still has; 0 when the rest belongs to the answer, None without a deadline."""
    left = seconds_left(state, context)
    if left is None or context.deadline_ms is None:
        return None
    return max(left - ANSWER_SHARE * context.deadline_ms / 1000, 0.0)


async def _decide(
    chosen: Agent, given: AgentInput, left: float | None, context: ReactContext, deps: Deps
) -> tuple[str, Move, list[str]]:
    """The agent's move; the embedded one's, with a warning, when it fails or its time is over."""
    problem, usage = "", call_usage("agent")
    try:
        async with asyncio.timeout(left) as clock:
            return chosen.name, await chosen.act(given, limits=limits(left, context)), []
    except LookaheadError as error:
        problem, usage = str(error), error.usage if isinstance(error, ChatError) else usage
    except TimeoutError:
        if not clock.expired():
            raise
        problem = f"{chosen.name!r} took longer than the {left:.1f} s that were left"
    embedded = EmbeddedAgent(await deps.reader(context.reader))
    move = await embedded.act(given)
    return embedded.name, Move(**{**move, "usage": usage}), [f"agent: the embedded agent stands in: {problem}"]


def _search_the_question(move: Move, question: str) -> Move:
    """Whoever finishes before anything was searched has found nothing to answer from."""
    node = PlanNode(id="n1", query=question, budget_cost=1)
    call = tool_call(name=SEARCH_TOOL, args={"query": question}, id="first")
    message = AIMessage(str(move["message"].text), tool_calls=[call])
    searches = [Searching(call="first", node=node.model_dump(), lead=False)]
    return Move(**{**move, "message": message, "searches": searches})


def _steps(move: Move, number: int) -> list[AgentStep]:
    """What a move comes to, as steps to be completed when it is done."""
    hops = {one["call"]: one["node"] for one in move["searches"] if one["call"]}
    refused = {message.tool_call_id: str(message.text) for message in move.get("refused", [])}
    thought = str(move["message"].text)

    def step(action: str, query: str = "", call: str = "", hop: str = "") -> AgentStep:
        return AgentStep(
            step=number, thought=thought, action=action, query=query, call=call, hop=hop, found=[],
            problem=refused.get(call, ""),
        )  # fmt: skip

    calls = [
        step(
            call["name"],
            query=str(next(iter(call["args"].values()), "")),
            call=str(call["id"]),
            hop=hops[call["id"]]["id"] if call["id"] in hops else "",
        )
        for call in move["message"].tool_calls
    ]
    concluded = [one["node"] for one in move["searches"] if not one["call"]]
    return [*calls, *(step("conclude", node["query"], hop=node["id"]) for node in concluded)] or [step("finish")]
