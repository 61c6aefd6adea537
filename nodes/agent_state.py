"""What the react graph knows beyond the state that all graphs share."""

import operator
from collections.abc import Sequence
from typing import Annotated, Any, cast

from langchain_core.messages import AnyMessage, BaseMessage, messages_from_dict, messages_to_dict
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

    dialogue: Annotated[list[dict[str, Any]], operator.add]
    """The task, then in turn what the agent said and what its tools returned: see `recorded`."""
    names: list[str]
    """Names of stored passages that stand in the question, longest first."""
    agent_steps: list[AgentStep]
    finished: bool
    """Whether the agent has finished: sure, at a loss, or out of steps or time."""


def recorded(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """Messages as plain records: LangGraph streams every message that a node returns, and these are no answer."""
    return messages_to_dict(messages)


def dialogue_of(state: ReactState) -> list[AnyMessage]:
    """The dialogue with the agent, as messages."""
    return cast(list[AnyMessage], messages_from_dict(state["dialogue"]))
