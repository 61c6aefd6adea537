"""Questions put as statements: "X is named after a book that sold how many copies?" asks two things in one sentence.

Works on masked text, like `models.planner_patterns`, and knows nothing of plans.
"""

import re
from dataclasses import dataclass

from models.planner_patterns import LOW, NAME, STOP, any_of
from models.planner_words import PARTICIPLES


@dataclass(frozen=True, slots=True)
class Statement:
    """A question put as a statement: "X is named after a book that sold how many copies?"."""

    first: str
    """"X is named after which book?"; empty when the thing is named and only the rest is asked."""
    rest: str
    """"sold how many copies?", asked of the first's answer."""
    restricts: bool
    """The rest asks nothing: it says which of the first's answers is meant."""
    confidence: float


_ASK = r"(?:what|which|who|whom|where|when|how (?:many|much|old|long))"
_STATEMENT = re.compile(
    rf"(?P<clause>[^?]{{0,200}}?{NAME}[^?]{{1,300}}) (?:an?|the|this|one of the) "
    rf"(?P<head>(?:(?!(?:{STOP})\b)\S+ ){{0,6}}?{LOW}),? "
    rf"(?P<rel>that|which|whom?|whose|(?:{any_of(PARTICIPLES)}|[a-z]+ed)|from|with) (?P<rest>[^?]{{3,300}})\??"
)
_NAMED = re.compile(
    rf"[^?]{{0,200}}?\b(?:is|was|are|were|in|at|by|from|of|on|for|with|[a-z]+ed|[a-z]+s)\b[^?]{{0,60}}? "
    rf"(?P<name>{NAME})(?:,? (?P<rel>which|who)|, (?P<part>{any_of(PARTICIPLES)})) "
    rf"(?P<rest>[^?]{{0,100}}\b{_ASK}\b[^?]*)\??"
)
_IS = re.compile(rf"((?:(?i:the) )?(?:[a-z]+ )?{NAME}) (?:is|was|are|were)")
_OPENS_QUESTION = re.compile(
    rf"(?i)(?:\w+ )?{_ASK}\b|(?:is|are|was|were|do|does|did|has|have|can|could|will|would)\b|whose\b"
)


def statement(text: str) -> Statement | None:
    """Take a masked question in the form of a statement apart; None for other questions."""
    if _OPENS_QUESTION.match(text):
        return None
    named = _NAMED.fullmatch(text)
    if named:
        return Statement("", f"{named['name']} {_finite(named['rel'] or named['part'])}{named['rest']}?", False, 0.7)
    found = _STATEMENT.fullmatch(text.strip())
    if found is None:
        return None
    asks = re.search(rf"(?i)(?<!\w){_ASK}\b", found["rest"])
    if not asks and re.search(rf"(?i)\b{_ASK}\b", found["clause"]):
        return None
    subject = _IS.fullmatch(found["clause"])
    if subject and asks:  # "X is a film that was made by whom?": X is named already
        return Statement("", f"{subject[1]} {_finite(found['rel'])}{found['rest']}?", False, 0.7)
    first = f"{found['clause']} which {found['head']}?"
    if asks:
        return Statement(first, f"{_finite(found['rel'])}{found['rest']}?", False, 0.7)
    return Statement(first, f"{found['head']} {found['rel']} {found['rest']}", True, 0.55)


@dataclass(frozen=True, slots=True)
class Extraposed:
    """A relative clause that stands behind its sentence's verb: "In which city was the woman born for whom ...?"."""

    noun: str
    """"woman for whom ..."."""
    rest: str
    """"In which city was {} born?"."""


_EXTRAPOSED = re.compile(
    rf"(?P<asked>[^?]{{0,80}}?\b(?:did|does|do|was|were|is)) the (?P<noun>(?:{LOW} ){{0,3}}?{LOW}) "
    r"(?P<verb>born|buried|located|situated|lie|live|die|stand|rise|study|work|flow|grow up) "
    r"(?P<clause>(?:(?:in|on|at|for|after|to|by|from|with) (?:whose|whom|which)|who|that|which|whose) [^?]{3,300})\?*"
)


def extraposed(text: str) -> Extraposed | None:
    """Take apart a masked question whose relative clause comes after its verb; None for other questions."""
    found = _EXTRAPOSED.fullmatch(text.strip())
    if found is None:
        return None
    return Extraposed(f"{found['noun']} {found['clause']}", f"{found['asked']} {{}} {found['verb']}?")


def _finite(relative: str) -> str:
    """Turn what joins a description to its noun into the beginning of a predicate."""
    if relative == "whose":
        return "'s "
    if relative in ("that", "which", "who", "whom"):
        return ""
    return {"with": "has ", "from": "is from "}.get(relative, f"was {relative} ")
