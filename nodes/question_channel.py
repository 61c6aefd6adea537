"""The channel of the question: tells a question that came with this input from one that an earlier input left behind.

The state of a thread keeps its question. Where the next input brings messages and no question, what stands there is an
old one, and may even be one that was refused: then no stage has run that could have noted it.
"""

from collections.abc import Sequence
from typing import Any, Self

from langgraph.channels import LastValue
from langgraph.types import Overwrite


class Came(str):
    """A question that came with this input."""

    __slots__ = ()


class QuestionChannel(LastValue[Any]):
    """The last question; until the step after its input has ended, it is read as one that `Came`.

    A stage that writes the question puts it in an `Overwrite`: it came from nobody. In a checkpoint, a list of one is a
    question that came, so that a run that goes on in another process reads it as one.
    """

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        """Take what was written in this step, or let what came before it be old."""
        if values:
            changed = super().update(values)
            self.value = self.value.value if isinstance(self.value, Overwrite) else [self.value]
            return changed
        if not isinstance(self.value, list):
            return False
        self.value = self.value[0] if isinstance(self.value[0], str) else ""
        return True

    def get(self) -> Any:
        """The question."""
        value = super().get()
        if not isinstance(value, list):
            return value
        return Came(value[0]) if isinstance(value[0], str) else value[0]

    def copy(self) -> Self:
        """One with the same question."""
        return self.from_checkpoint(self.checkpoint())
