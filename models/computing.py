"""Comparison by computing: read the value of each side, then compare: older, first, larger, same country.

It knows the question and the passages read together. What it cannot compute it does not guess: None, and the reader
chooses by coverage.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from models import values
from models.pages import Page
from models.question_view import view
from models.questions import comparison
from models.spans import Sentence, answer_key, terms_of

_AGENTS = ("direct", "compos", "compose", "perform", "write", "produce", "spouse", "parent", "found")
_DATES: dict[str, Callable[[Page], tuple[float, Sentence] | None]] = {"birth": values.birth, "death": values.death}


class Rule(NamedTuple):
    """What is compared: attribute birth, death, age, date, number or nation; direction min, max or same."""

    attribute: str
    direction: str


class Computed(NamedTuple):
    """A computed answer: the option number (or truth), the pages and sentences it rests on."""

    choice: int
    pages: tuple[int, ...]
    sentences: tuple[Sentence, ...]
    margin: float
    """Difference of the two values relative to the larger; 1 for same or different."""


def rule(question: str) -> Rule | None:
    """What the question compares, or None.

    >>> rule("Who is older, Ann Lee or Bo Li?")
    Rule(attribute='birth', direction='min')
    """
    low = _without_options(question).lower()
    if re.search(r"\bsame\b.*\b(nationalit|countr|nation\b)|\bnationalit\w* .*\bsame\b|share the same nationalit", low):
        return Rule("nation", "same")
    if re.search(r"(longer life|lived (?:\w+ ){0,2}longer|lived to (?:be )?(?:an? )?old|longer lifespan)", low):
        return Rule("age", "max")
    late = re.search(r"\b(later|last|latest|newer|newest|recent|recently|younger|youngest)\b", low)
    early = re.search(r"\b(first|earlier|earliest|older|oldest|before|prior|longer ago)\b", low)
    if late or early:
        return Rule(_when(low), "max" if late else "min")
    if re.search(r"\b(fewer|smaller|smallest|less|shorter|lower|fewest|shortest|lowest|least)\b", low):
        return Rule("number", "min")
    if re.search(
        r"\b(more|larger|largest|most|greater|higher|highest|longer|longest|bigger|biggest|taller|tallest)\b", low
    ):
        return Rule("number", "max")
    return None


def _without_options(question: str) -> str:
    """The question without the things compared, whose names may hold any word ("Dead Man's Evidence")."""
    asked = comparison(question)
    for option in asked.options if asked else ():
        question = question.replace(option, "")
    return question


def _when(low: str) -> str:
    if re.search(r"\b(died|death|die|dies|dead|passed away)\b", low):
        return "death"
    if re.search(r"\b(born|birth|younger|youngest)\b", low):
        return "birth"
    person = re.search(
        r"\bwho\b|\bwhich (?:\w+ )?(?:person|actor|actress|singer|director|writer|author|player|musician|man|woman)\b",
        low,
    )
    return (
        "birth"
        if person and re.search(r"\bolder|oldest\b", low)
        else "birth_or_date"
        if re.search(r"\bolder|oldest\b", low)
        else "date"
    )


def sides(question: str, options: Sequence[str], pages: Sequence[Page]) -> list[list[int]]:
    """Pages about each option, what it is asked about first: the option's own page, or that of its director."""
    relation = next((term for term in view(question).terms if term in _AGENTS and _asks_for_agent(question)), "")
    found = []
    for option in options:
        own = _own(option, pages)
        agents = (a for page in own[:3] for a in values.agents(pages[page], relation, pages) if a not in own)
        chained = next(agents, None) if relation else None
        people = [page for page in own if not relation or pages[page].person]
        found.append(people if chained is None else [chained])
    return found


def _asks_for_agent(question: str) -> bool:
    return (
        re.search(
            r"\b(?:director|composer|performer|singer|author|writer|producer|founder|husband|wife|father|mother)s?\b",
            question.lower(),
        )
        is not None
        and re.search(
            r"\b(film|movie|song|album|book|novel|work|of both|directors|compan|have the)\w*\b", question.lower()
        )
        is not None
    )


def _own(option: str, pages: Sequence[Page]) -> list[int]:
    key, terms = answer_key(option), set(terms_of(option))
    scored = []
    for number, page in enumerate(pages):
        full = answer_key(page.passage["title"])
        title = answer_key(page.title)
        share = len(terms & page.title_terms) / (len(terms | page.title_terms) or 1)
        exact = (
            3.0 if full == key else 2.5 if title == key else 1.0 if title and (title in key or key in title) else 0.0
        )
        text = 0.4 if option in page.passage["text"] else 0.0
        score = exact + share + text
        if score > 0.3:
            scored.append((-score, number))
    return [number for _, number in sorted(scored)]


def compare(question: str, options: Sequence[str], pages: Sequence[Page]) -> Computed | None:
    """Which of two options wins; None when it is not a comparison or a value is missing."""
    asked = rule(question)
    if asked is None or asked.direction == "same" or len(options) != 2:
        return None
    about = sides(question, options, pages)
    found = [
        next(((value, page) for page in side[:2] if (value := _value(asked.attribute, question, pages[page]))), None)
        for side in about
    ]
    left, right = found
    if left is None or right is None:
        return None
    return _winner(asked, (left[0], right[0]), (left[1], right[1]))


def _winner(
    asked: Rule, read: tuple[tuple[float, Sentence], tuple[float, Sentence]], pages: tuple[int, int]
) -> Computed | None:
    left, right = read[0][0], read[1][0]
    if left == right:
        return None
    smaller = 0 if left < right else 1
    margin = abs(left - right) / max(abs(left), abs(right), 1e-9)
    return Computed(smaller if asked.direction == "min" else 1 - smaller, pages, (read[0][1], read[1][1]), margin)


def _value(attribute: str, question: str, page: Page) -> tuple[float, Sentence] | None:
    if attribute == "age":
        born, died = values.birth(page), values.death(page)
        return (died[0] - born[0], died[1]) if born and died else None
    if attribute in _DATES:
        return _DATES[attribute](page)
    terms = [term for term in view(question).terms if term not in page.title_terms]
    if attribute == "number":
        return values.quantity(page, _units(question) or terms)
    if attribute == "birth_or_date" and (born := values.near(page, {"birth"})):
        return born
    dated = {"found", "release", "start", "write", "win", "birth"} & set(terms)
    return (values.near(page, dated) if dated else None) or values.first_date(page)


_UNITS = {
    r"\b(?:taller|tallest|higher|highest|lower|lowest|height)\b": "m ft feet foot metr meter stori storey floor",
    r"\b(?:longer|longest|shorter|shortest|length)\b": "km mi mile kilometr kilomet m ft feet minut",
    r"\b(?:larger|largest|bigger|biggest|smaller|smallest)\b": "km acr hectar sq squar mi population student member",
}


def _units(question: str) -> list[str]:
    """Terms that stand beside the measured number; none when the question itself names what is counted."""
    low = _without_options(question).lower()
    named = re.search(r"\b(?:more|most|fewer|fewest|population|number of|amount of)\b", low)
    return (
        []
        if named
        else [unit for pattern, units in _UNITS.items() if re.search(pattern, low) for unit in units.split()]
    )


def same(question: str, pages: Sequence[Page], about: Sequence[Sequence[int]]) -> Computed | None:
    """Whether two sides share the asked attribute (choice 1 = yes); None when it is unknown for one of them."""
    if len(about) != 2 or not about[0] or not about[1]:
        return None
    asked = rule(question)
    left, right = pages[about[0][0]], pages[about[1][0]]
    if asked is not None and asked.attribute == "nation":
        one, two = values.nations(left), values.nations(right)
    elif re.search(r"\bsame year\b", question.lower()):
        dates = [values.first_date(page) for page in (left, right)]
        one, two = ({str(int(date[0]))} if date else set[str]() for date in dates)
    elif re.search(
        r"\bsame (?:\w+ )?(?:kind|type|sort|genre|profession|occupation|industry|work|field|family|species|class)",
        question.lower(),
    ):
        one, two = set(values.definition(left)), set(values.definition(right))
    else:
        return None
    if not one or not two:
        return None
    return Computed(int(bool(one & two)), (about[0][0], about[1][0]), (left.sentences[0], right.sentences[0]), 1.0)
