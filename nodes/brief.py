"""What the agent begins with: its task, and the names of stored passages that stand in the question.

It also clears what an earlier question on the same thread has left behind.
"""

from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from nodes.agent_state import ReactState, recorded
from nodes.deps import Deps
from nodes.react_context import ReactContext
from prompts.agent import task


async def brief(state: ReactState, runtime: Runtime[ReactContext], *, deps: Deps) -> dict[str, Any]:
    """Begin a conversation with the agent."""
    context = runtime.context
    search = await deps.search(context.namespace)
    return {
        "dialogue": Overwrite(recorded([HumanMessage(task(state["question"], context.max_steps))])),
        "names": await search.titles_in(state["question"]),
        "agent_steps": [],
        "finished": False,
        "unasked": [],
    }
