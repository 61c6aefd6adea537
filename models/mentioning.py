"""Which passages speak of something: what a hop was bound to must stand in the passages that answer it."""

from collections.abc import Sequence
from typing import TypeVar

from models.spans import answer_key
from stores.records import Passage

PassageT = TypeVar("PassageT", bound=Passage)


def mentioning(passages: Sequence[PassageT], names: Sequence[str]) -> list[PassageT]:
    """The passages whose title or text names one of `names`, in order; all of them when none does.

    "Where was George Eliot born?" is not answered by a passage about T. S. Eliot, however much alike they are.
    """
    keys = [f" {key} " for name in names if (key := answer_key(name))]
    found = [p for p in passages if any(key in f" {answer_key(p['title'])} {answer_key(p['text'])} " for key in keys)]
    return found or list(passages)
