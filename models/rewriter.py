"""Rewriters: question → other queries that search for the same. Here the protocol, and the embedded one by rule."""

from typing import NotRequired, Protocol

from typing_extensions import TypedDict

from models.limits import NO_LIMITS, Limits
from models.planner import plan_nodes
from models.rewriting import rewrite
from prompts.answer import Usage
from prompts.plan import placeholders

REWORDINGS = 1
"""Made by rule beside the parts of a question. More of them dilute the fusion: with as many as there was room for, F1
was 0.414 instead of 0.439 on HotpotQA tune, 0.730 instead of 0.759 on 2Wiki and 0.094 instead of 0.090 on MuSiQue."""


class Rewritten(TypedDict):
    """What a rewriter returns."""

    queries: list[str]
    """Other than the question and distinct, the most promising first."""
    usage: NotRequired[Usage]
    """Language model calls made for it; missing when there were none."""


class Rewriter(Protocol):
    """Writes query variants."""

    name: str

    async def rewrite(self, question: str, *, names: list[str], count: int, limits: Limits = NO_LIMITS) -> Rewritten:
        """Write at most `count` other queries.

        Args:
            question: as the user wrote it.
            names: names of stored passages that stand in the question, longest first.
            count: most queries.
            limits: how long it may take.

        Raises:
            LookaheadError: the model gave up; the embedded rewriter never does.
        """
        ...


class EmbeddedRewriter:
    """Takes the question apart by the planner's patterns, then rewords it by rule."""

    name = "embedded"

    async def rewrite(self, question: str, *, names: list[str], count: int, limits: Limits = NO_LIMITS) -> Rewritten:
        """Write other queries; see `Rewriter`. What waits for another answer cannot be searched yet and is left out."""
        parts = [str(node["query"]) for node in plan_nodes(question, names) if not placeholders(node["query"])]
        made = dict.fromkeys([*parts, *rewrite(question, [])[:REWORDINGS]])
        return Rewritten(queries=[query for query in made if _key(query) != _key(question)][:count])


def _key(text: str) -> str:
    return " ".join(text.lower().strip(" ?.!").split())
