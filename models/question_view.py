"""What the reader needs to know of a question, worked out once: wanted kind of answer, weighted terms, focus noun.

It knows nothing about passages; the language rules shared with the planner are in `models.questions`.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from models.questions import answer_type
from models.spans import terms_of
from models.words import FUNCTION_WORDS, canon

_WH_NOUN = re.compile(r"\b(?:what|which|whose)\s+(?:is|was|are|were)?\s*((?:[\w'’.-]+[ ]?){1,6})", re.I)
_IS_THE = re.compile(
    r"\b(?:what|who|which)\s+(?:is|was|are|were)\s+(?:both\s+)?(?:the|an?)\s+((?:[\w'’.-]+[ ]?){1,6})", re.I
)
_HOW_MANY = re.compile(r"\bhow (?:many|much)\s+((?:[\w'’.-]+[ ]?){1,4})", re.I)
_THIS = re.compile(r"^(?:this|the|an?)\s+((?:[\w'’.-]+[ ]?){1,6})", re.I)
_NOT_FOCUS = frozenset({"name", "type", "kind", "form", "sort", "one", "first", "last", "named", "called", "known"})
_BY_KIND = frozenset({"year", "month", "date", "city", "state", "country", "nation", "place"})
_KINDS = frozenset(canon(word) for word in ("year", "month", "date", "day", "city", "country", "state", "place"))
"""Words that only name the kind of the answer ("in which year"): passages need not hold them."""
_STOP_AT = FUNCTION_WORDS | {"named", "called", "known", "born", "located", "based", "directed", "written", "starring"}


class QuestionView(NamedTuple):
    """A question as the reader sees it."""

    text: str
    wanted: str
    """An `AnswerType`, or finer: year, month, nation, country, state, city, work."""
    terms: tuple[str, ...]
    """Distinct canonical terms."""
    names: frozenset[str]
    """Terms written with a capital letter (not the first word): what the question is about."""
    focus: str
    """Canonical head noun of what is asked for ("which American film director": "direct"), or ""."""
    common: bool
    """Whether it asks for what two things share."""
    joined: str
    """All terms joined with blanks, to look for phrases in."""


@lru_cache(maxsize=512)
def view(question: str) -> QuestionView:
    """Look at a question (at its first 2,000 characters)."""
    question = question[:2000]
    focus = _focus(question)
    wanted = _wanted(question, focus)
    terms = [t for t in terms_of(question) if not (t == focus and wanted in _BY_KIND and focus in _KINDS)]
    capitals = re.findall(r"(?<=[\s\"“'(])[A-Z][\w'’.-]*", question)
    names = frozenset(term for word in capitals for term in terms_of(word))
    common = re.search(r"\b(?:both|common|shared?|same)\b", question) is not None
    return QuestionView(question, wanted, tuple(dict.fromkeys(terms)), names, focus, common, f" {' '.join(terms)} ")


def _wanted(question: str, focus: str) -> str:
    kind = answer_type(question)
    if kind in ("yes_no", "choice"):
        return kind
    low = question.lower()
    if re.search(r"\bnationalit", low) or re.search(r"\bcountry\b.*\bfrom\b", low):
        return "nation"
    if re.search(r"\b(?:what|which|same) country\b|\bcountry of\b|^country\b", low):
        return "country"
    if re.search(r"\b(?:what|which|whose) (?:\w+ )?years?\b", low):
        return "year"
    if re.search(r"\b(?:what|which) month\b", low):
        return "month"
    if re.search(r"\b(?:what|which) (?:(?!city|town)\w+ )?state\b|from what state", low):
        return "state"
    if re.search(r"\b(?:what|which) (?:\w+ )?(?:city|town)\b", low):
        return "city"
    if focus == "work":
        return "work"
    return kind


def _focus(question: str) -> str:
    for pattern in (_HOW_MANY, _IS_THE, _WH_NOUN, _THIS):
        for match in pattern.finditer(question):
            head = _head(match.group(1))
            if head:
                return canon(head)
    if not re.search(r"\b(?:who|what|which|when|where|whose|how)\b", question, re.I):
        return canon(_head(question)) if _head(question) else ""
    return ""


def _head(words: str) -> str:
    """Last word of the leading noun phrase, e.g. "American film director of Jaws" gives "director"."""
    head = ""
    for word in words.lower().split():
        if word in _STOP_AT:
            if head in _NOT_FOCUS and word in ("of", "the", "a", "an"):
                head = ""
                continue
            if head or word not in ("the", "a", "an", "of"):
                break
            continue
        if head and len(word) > 4 and word.endswith("ed"):  # "element discovered by": a participle follows its noun
            break
        head = word.strip(".'’-")
    return "" if head in _NOT_FOCUS else head
