"""What the react graph knows beyond the state that all graphs share."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from nodes.state import State


class AgentStep(TypedDict):
    """One thing that the agent did; calls made in the same step have the same number."""

    step: int
    """From 1; each number is one decision, with a language model one call."""
    thought: str
    action: str
    """search, read_document, web_search, conclude (a comparison or list, which needs no search of its own), finish."""
    query: str
    """What the tool was called with: for a search, once it is made, as it was searched."""
    call: str
    """Id of the tool call; empty for conclude and finish."""
    hop: str
    """Id of the hop that holds what was found; empty when there is none."""
    found: list[str]
    """Titles of the passages found, best first."""
    problem: str
    """Why it was not done, or went wrong, in a sentence; empty when all went well."""


class ReactState(State, total=False):
    """Everything a run of the react graph knows."""

    messages: Annotated[list[AnyMessage], add_messages]
    """The task, then in turn what the agent said and what its tools returned."""
    names: list[str]
    """Names of stored passages that stand in the question, longest first."""
    agent_steps: list[AgentStep]
    finished: bool
    """Whether the agent has finished: sure, at a loss, or out of steps or time."""
