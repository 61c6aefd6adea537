"""Comparisons in a question: which two things, by what, and which of the two is asked for.

"Who was born first, A or B?" and "Are A and B of the same nationality?" are read by one table of cues. Knows nothing of
plans; the planner turns the attribute into queries, the synthesizer computes with the direction.
"""

import re
from dataclasses import dataclass
from typing import Literal

from models.choices import AUXILIARY, choices, pair_of, tidy

Direction = Literal["min", "max", "equal"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared."""

    attribute: str
    """date_of_birth, date_of_death, lifespan, date, number, same (equal values?), both (true of both?), fact (of which
    of the two is it true?)."""
    direction: Direction
    """min: the earlier, smaller; max: the later, larger, truer; equal: yes when the two agree (same) or hold (both)."""
    options: tuple[str, str]
    """The two things, as they stand in the question."""
    phrase: str = ""
    """What is measured of each, as a noun phrase or verb: "nationality", "released", "population"."""


@dataclass(frozen=True, slots=True)
class _Cue:
    """One row of the table: a pattern in the question and what it says."""

    pattern: re.Pattern[str]
    attribute: str
    direction: Direction
    phrase: str


def _cue(pattern: str, attribute: str, direction: Direction, phrase: str) -> _Cue:
    return _Cue(re.compile(rf"(?i)\b(?:{pattern})\b"), attribute, direction, phrase)


_LATE = "later|last|latest|more recently|most recently|more recent|most recent|newer|newest"
_EARLY = "first|earlier|earliest|before the other"
_MADE = (
    "released|published|formed|founded|established|opened|started|launched|built|created|premiered|debuted|closed|"
    "begun|began|completed|introduced|invented|incorporated|issued|aired|written|made|produced|came out|come out|"
    "took place|take place|occurred|happened|started operating|organized|organised|constructed|signed|discovered"
)

_CUES = (
    _cue("younger|youngest", "date_of_birth", "max", "date of birth"),
    _cue(rf"born (?:{_LATE})|(?:{_LATE}) born", "date_of_birth", "max", "date of birth"),
    _cue(rf"born (?:\w+ )?(?:{_EARLY})|(?:{_EARLY})(?: to be)? born", "date_of_birth", "min", "date of birth"),
    _cue(
        rf"(?:died|dead|die|passed away) (?:{_LATE})|(?:{_LATE}) (?:to )?(?:died|die)",
        "date_of_death",
        "max",
        "date of death",
    ),
    _cue(
        rf"(?:died|die|passed away) (?:{_EARLY})|(?:{_EARLY}) (?:to )?(?:died|die)",
        "date_of_death",
        "min",
        "date of death",
    ),
    _cue("lived longer|lived longest|longer life|live longer", "lifespan", "max", "lifespan"),
    _cue(rf"(?:{_MADE})\b.{{0,40}}?(?:{_LATE})|(?:{_LATE}) (?:to be )?(?:{_MADE})", "date", "max", "released"),
    _cue(rf"(?:{_MADE})\b.{{0,40}}?(?:{_EARLY})|(?:{_EARLY}) (?:to be )?(?:{_MADE})", "date", "min", "released"),
    _cue("older|oldest|elder", "date_of_birth", "min", "date of birth"),
    _cue("larger|largest|bigger|biggest", "number", "max", "size"),
    _cue("smaller|smallest", "number", "min", "size"),
    _cue("taller|tallest|higher|highest", "number", "max", "height"),
    _cue("lower|lowest", "number", "min", "height"),
    _cue("longer|longest", "number", "max", "length"),
    _cue("shorter|shortest", "number", "min", "length"),
    _cue("more|most|greater|greatest", "number", "max", "number"),
    _cue("fewer|fewest|less|least", "number", "min", "number"),
    _cue(_LATE, "date", "max", "date"),
    _cue(_EARLY, "date", "min", "date"),
)

_MEASURED = re.compile(
    r"(?i)\b(?:more|most|fewer|fewest|less|least|(?:the )?(?:higher|highest|larger|largest|greater|greatest|"
    r"lower|lowest|smaller|bigger|longer|shorter)) (?:number of |amount of )?((?:[a-z-]+ ){0,2}[a-z-]+)$"
)
_PLURAL_COUNT = re.compile(r"(?i)\b(?:more|most|fewer|fewest)\b")
_SAME = re.compile(
    r"(?i)\b(?:(?:share )?(?:the|a) (?:same|common|different)|share (?:the|a)|same|different)\b"
    r"(?: (?:kind|type|sort) of)? ?((?:[a-z-]+ ?){0,3})"
)


def comparison(question: str) -> Comparison | None:
    """Return what a question compares, or None.

    >>> comparison("Which has more species, Sonerila or Scaevola?")
    Comparison(attribute='number', direction='max', options=('Sonerila', 'Scaevola'), phrase='number of species')
    """
    text = tidy(question)
    options = choices(text)
    if options is None:
        return _same_or_both(text)
    predicate = _without(text, options)
    for cue in _CUES:
        found = cue.pattern.search(predicate)
        if found and _counts(found.group(), predicate):
            return Comparison(cue.attribute, cue.direction, options, _phrase(cue, found.group(), predicate))
    return Comparison("fact", "max", options, predicate)


def _counts(cue: str, predicate: str) -> bool:
    """Tell "more species" from "more acclaimed guitarist", which no number decides."""
    measured = _MEASURED.search(predicate) if _PLURAL_COUNT.fullmatch(cue) else None
    return measured is None or bool(
        re.search(r"(?i)(?:s|people|population|staff|money|area|often)$", measured.group(1))
    )


def _without(text: str, options: tuple[str, str]) -> str:
    start, end = text.find(options[0]), text.rfind(options[1]) + len(options[1])
    return re.sub(r"\s+", " ", text[:start].rstrip(" ,:;-") + " " + text[end:].lstrip(" ,")).strip()


def _phrase(cue: _Cue, found: str, predicate: str) -> str:
    if cue.attribute == "date" and cue.phrase == "released":
        made = re.search(rf"(?i)\b(?:{_MADE})\b", found)
        return made.group().lower() if made else cue.phrase
    measured = _MEASURED.search(predicate) if cue.attribute == "number" else None
    if measured:
        if measured.group(1).lower() == "often":
            return "frequency"
        counted = "number of " if _PLURAL_COUNT.search(found) else ""
        return counted + measured.group(1).lower()
    return cue.phrase


def _same_or_both(text: str) -> Comparison | None:
    """Read "Are A and B from the same country", "Were both A and B lead vocalists" and "Both A and B are ..."."""
    found = re.match(rf"(?i)(?:{AUXILIARY.pattern[4:]}|both\b)", text)
    if not found or " and " not in text or len(text) > 1_000 or re.search(r"(?i)\b(?:what|which)\b", text):
        return None
    pair = pair_of(text)
    if pair is None:
        return None
    left, right, predicate = pair
    same = _SAME.search(predicate)
    if same:
        return Comparison("same", "equal", (left, right), same.group(1).strip().lower() or "kind")
    if re.search(r"(?i)\bboth\b", text):
        return Comparison("both", "equal", (left, right), predicate)
    return (
        Comparison("both", "equal", (left, right), predicate)
        if re.match(r"(?i)(?:are|were|do|did|have)\b", text)
        else None
    )
