"""Values read from a passage about one thing: dates as years, numbers, nations, what it is. Pure functions.

It knows nothing about questions beyond the attribute asked for. A date is a float: the year plus the part of the year
that had passed, so that dates compare as numbers.
"""

import re
from collections.abc import Iterable, Sequence

from models.pages import Page
from models.spans import Sentence
from models.words import COUNTRIES, MONTHS, NATION_OF, NATIONALITIES, NUMBER_WORDS, SCALES

_MONTH_NAMES = "|".join(name for name in MONTHS if len(name) > 3 or name == "may")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH_NAMES}),? (\d{{3,4}})\b", re.I)
_MONTH_FIRST = re.compile(rf"\b({_MONTH_NAMES}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.I)
_MONTH_YEAR = re.compile(rf"\b({_MONTH_NAMES}),?(?: of)? (\d{{4}})\b", re.I)
_ANY_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH_NAMES}),? \d{{3,4}}\b"
    rf"|\b(?:{_MONTH_NAMES}) \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b"
    rf"|\b(?:{_MONTH_NAMES}),?(?: of)? \d{{4}}\b|\b1\d{{3}}\b(?![,.]\d)|\b20\d\d\b(?![,.]\d)",
    re.I,
)
_LIFE = re.compile(r"\(([^()]*\d{3,4}[^()]*)\)")


def date_value(text: str) -> float | None:
    """The first date of a text as a year with fraction: "12 May 1907" is 1907.36..; None when there is none.

    >>> date_value("1 January 1990"), date_value("in 1864"), date_value("soon")
    (1990.0, 1864.0, None)
    """
    match = _ANY_DATE.search(text)
    if match is None:
        return None
    found = match.group()
    for pattern, order in ((_DAY_FIRST, (1, 2, 3)), (_MONTH_FIRST, (2, 1, 3)), (_MONTH_YEAR, (0, 1, 2))):
        parts = pattern.fullmatch(found)
        if parts:
            day = int(parts[order[0]]) if order[0] else 1
            return int(parts[order[2]]) + (MONTHS[parts[order[1]].lower()] - 1) / 12 + (day - 1) / 366
    return float(found)


def number_value(text: str) -> float | None:
    """The first number of a text: "3,677 seated" is 3677, "2.5 million" 2500000, "twelve" 12.

    >>> number_value("3,677 seated"), number_value("about 2.5 million"), number_value("none")
    (3677.0, 2500000.0, None)
    """
    words = re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?|[a-z]+", text.lower())
    for at, word in enumerate(words):
        value = float(word.replace(",", "")) if word[0].isdigit() else NUMBER_WORDS.get(word)
        if value is not None:
            scale = SCALES.get(words[at + 1], 1.0) if at + 1 < len(words) else 1.0
            return float(value) * scale
    return None


def birth(page: Page) -> tuple[float, Sentence] | None:
    """Date of birth: first date of the first parenthesis, or after "born"."""
    return _life(page, last=False)


def death(page: Page) -> tuple[float, Sentence] | None:
    """Date of death: the date after the dash of the first parenthesis, or after "died"."""
    return _life(page, last=True)


def _life(page: Page, *, last: bool) -> tuple[float, Sentence] | None:
    for sentence in page.sentences[:2]:
        for inside in _LIFE.findall(sentence.text):
            parts = re.split(r"\s*[–—]\s*|\s+-\s+|(?<=\d)-(?=\d)", inside)
            dates = [value for value in (date_value(part) for part in parts) if value is not None]
            if last and len(dates) > 1:
                return dates[-1], sentence
            if not last and dates and "died" not in inside.lower():
                return dates[0], sentence
    return near(page, {"death"} if last else {"birth"})


def near(page: Page, terms: Iterable[str]) -> tuple[float, Sentence] | None:
    """The date nearest behind (or else before) one of the terms, in the first sentence that has both."""
    wanted = set(terms)
    for sentence in page.sentences:
        at = [n for n, term in enumerate(sentence.terms) if term in wanted]
        if not at:
            continue
        dated = [(s, date_value(s.text)) for s in sentence.spans if s.kind in ("date", "year")]
        options = [
            (min(abs(s.start - n) + (6 if s.start < n else 0) for n in at), -len(s.text), value)
            for s, value in dated
            if value is not None
        ]
        if options:
            return min(options)[2], sentence
    return None


def first_date(page: Page) -> tuple[float, Sentence] | None:
    """The first date of the passage ("is a 2008 film")."""
    for sentence in page.sentences[:3]:
        value = date_value(sentence.text)
        if value is not None:
            return value, sentence
    return None


def quantity(page: Page, terms: Iterable[str]) -> tuple[float, Sentence] | None:
    """The number nearest to one of the asked terms, years left out."""
    wanted = set(terms)
    best: tuple[float, float, Sentence] | None = None
    for sentence in page.sentences:
        at = [n for n, term in enumerate(sentence.terms) if term in wanted]
        for span in sentence.spans:
            if span.kind != "number" or not at:
                continue
            value = number_value(sentence.text[sentence.text.find(span.text) :][: len(span.text) + 12])
            distance = min(abs(span.start - n) for n in at)
            if value is not None and (best is None or distance < best[0]):
                best = (distance, value, sentence)
    return None if best is None else (best[1], best[2])


def nations(page: Page) -> set[str]:
    """Countries that the first sentence names, nationalities as their countries."""
    if not page.sentences:
        return set()
    found = set()
    for sentence in page.sentences[:2]:
        low = sentence.lower
        for at, word in enumerate(low):
            pair = " ".join(low[at : at + 2])
            if pair in COUNTRIES:
                found.add(pair)
            elif word in COUNTRIES or word in NATIONALITIES:
                found.add(NATION_OF.get(word, word))
        if found:
            break
    return found


def definition(page: Page) -> list[str]:
    """Canonical terms of what the first sentence says it is, without nationalities."""
    if not page.sentences:
        return []
    first = page.sentences[0]
    for at, word in enumerate(first.lower):
        if word in ("is", "was", "are", "were") and at + 1 < len(first.lower):
            return [
                t
                for t, w in zip(first.terms[at : at + 16], first.lower[at : at + 16], strict=False)
                if t and w not in NATIONALITIES
            ]
    return []


def agents(page: Page, relation: str, pages: Sequence[Page]) -> list[int]:
    """Numbers of the pages whose title the passage names, nearest to the relation first: its director, its composer."""
    found: list[tuple[int, int]] = []
    for number, other in enumerate(pages):
        if other is page or len(other.title) < 3:
            continue
        for sentence in page.sentences:
            at = sentence.text.find(other.title)
            if at >= 0:
                words = len(sentence.text[:at].split())
                cues = [n for n, term in enumerate(sentence.terms) if term == relation]
                found.append((min((abs(words - n) for n in cues), default=50), number))
                break
    return [number for _, number in sorted(found)]
