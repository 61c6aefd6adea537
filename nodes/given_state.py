"""What the oracle graph is given and knows beyond the state that all graphs share."""

from typing import Any

from typing_extensions import TypedDict

from nodes.state import State


class OracleInput(TypedDict):
    """What a run of the oracle is given."""

    question: str
    passages: list[dict[str, Any] | str]
    """What to answer from, best first: passages as {"title", "text"}, or ids of stored ones."""


class OracleState(State, total=False):
    """Everything a run of the oracle knows."""

    passages: list[dict[str, Any] | str]
    """Those of the input; emptied when taken, or the next question of the thread would inherit them."""
