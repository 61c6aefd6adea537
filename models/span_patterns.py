"""Where names, dates, numbers and phrases stand in a tokenised sentence: patterns only, no tagger.

A name is a run of capitalised words, with its parts and its joins ("King of Poland": all three). Everything here yields
token positions (start, end), end exclusive; what they are worth is for `models.span_features` to say.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from models.words import FUNCTION_WORDS, NATIONALITIES, NUMBER_WORDS, ORDINALS, SCALES

Kind = Literal["name", "title", "quote", "date", "year", "number", "quantity", "nation", "phrase"]

_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_YEAR = r"(?:1\d{3}|20\d{2})"
_DATE = re.compile(
    rf"(?P<full>\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? \d{{3,4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? {_YEAR})"
    rf"|(?P<range>(?:from |between )?{_YEAR} ?(?:–|-|—|to|until|till|and|through) ?(?:{_YEAR}|present|\d\d\b))"
    rf"|(?P<part>{_MONTH},?(?: of)? {_YEAR}|{_MONTH} \d{{1,2}}(?!\d)|\d{{1,2}} {_MONTH}|{_YEAR}s"
    r"|\d{1,2}(?:st|nd|rd|th)[ -]century)"
    rf"|(?P<year>\b{_YEAR}\b(?![,.]\d))"
)
_CONNECTORS = frozenset({"of", "de", "la", "le", "da", "di", "du", "des", "del", "der",
     "den", "van", "von", "bin", "al", "el", "&", "the", "e", "y"})  # fmt: skip
_JOINS = frozenset(["and", "for", "in", "on", "at", "to", "or", "with", ",", ":", "–"])
_NOT_NAMES = FUNCTION_WORDS | {"he", "later", "born", "according", "following", "although", "despite", "he's"}


def is_nation(words: Sequence[str]) -> bool:
    """Whether a name is only a nationality: "American", "the Australian-British"."""
    parts = [part for word in words for part in word.split("-") if part not in ("the", "a", "northern", "southern")]
    return bool(parts) and all(part in NATIONALITIES for part in parts)


def dates(text: str) -> Iterator[tuple[Kind, int, int]]:
    """Dates and what they hold (a year, a month), as (kind, first character, character behind)."""
    for match in _DATE.finditer(text):
        kind: Kind = "year" if match.lastgroup == "year" else "date"
        yield kind, match.start(), match.end()
        if kind == "date":
            for year in re.finditer(rf"\b{_YEAR}\b", match.group()):
                yield "year", match.start() + year.start(), match.start() + year.end()
            for month in re.finditer(rf"{_MONTH}(?: \d{{1,2}}\b)?|\d{{1,2}} {_MONTH}|{_MONTH}", match.group()):
                yield "date", match.start() + month.start(), match.start() + month.end()


def _is_number(word: str) -> bool:
    return word[0].isdigit() or word in NUMBER_WORDS or word in SCALES


def numbers(tokens: tuple[str, ...], lower: tuple[str, ...], dated: set[int]) -> Iterator[tuple[Kind, int, int]]:
    """Each number alone and with the one or two words behind it: "3,677", "3,677 seated"; "$ 3.5 million"."""
    number = 0
    while number < len(tokens):
        if number in dated or not (_is_number(lower[number]) or lower[number] in ORDINALS):
            number += 1
            continue
        end = number + 1
        while end < len(tokens) and end not in dated and _is_number(lower[end]):
            end += 1
        start = number - 1 if number and tokens[number - 1] in "$£€" else number
        yield "number", start, end
        for extra in (1, 2):
            stop = end + extra
            if stop <= len(tokens) and all(
                t == "%" or (t[0].isalpha() and t.lower() not in FUNCTION_WORDS) for t in tokens[end:stop]
            ):
                yield "quantity", start, stop
        number = end


def names(tokens: tuple[str, ...], lower: tuple[str, ...], dated: set[int]) -> Iterator[tuple[int, int]]:
    """Runs of capitalised words, what joins two of them, and their parts around "of" and after a nationality."""
    runs = list(_runs(tokens, lower, dated))
    for start, end in runs:
        yield start, end
        for cut in range(start + 1, end - 1):
            if lower[cut] == "of":
                yield start, cut
                yield (cut + 2 if lower[cut + 1] == "the" else cut + 1), end
            elif lower[cut] in ("'s", "’s"):
                yield start, cut
                yield cut + 1, end
        if lower[start] in NATIONALITIES and end - start > 1:
            yield start, start + 1
            yield start + 1, end
        elif end - start > 2 and not _CONNECTORS.intersection(lower[start : start + 2]):
            yield start + 1, end
        if start and lower[start - 1] == "the":
            yield start - 1, end
        if end < len(tokens) and tokens[end].islower() and lower[end] not in FUNCTION_WORDS:
            yield start, end + 1
    for (start, left_end), (right, end) in pairwise(runs):
        between = lower[left_end:right]
        if (len(between) == 1 and between[0] in _JOINS) or between in (
            ("and", "the"),
            ("in", "the"),
            ("for", "the"),
            ("on", "the"),
            ("to", "the"),
        ):
            yield start, end
    for (start, first_end), (second, second_end), (third, end) in zip(runs, runs[1:], runs[2:], strict=False):
        if tokens[first_end:second] == (",",) and tokens[second_end:third] == (",",):
            yield start, end


def _runs(tokens: tuple[str, ...], lower: tuple[str, ...], dated: set[int]) -> Iterator[tuple[int, int]]:
    number = 0
    while number < len(tokens):
        if not _capital(tokens[number], lower[number], number, dated):
            number += 1
            continue
        end = number + 1
        while end < len(tokens):
            if _capital(tokens[end], lower[end], end, dated, inside=True):
                end += 1
                continue
            step = end
            while step < len(tokens) and step - end < 2 and (lower[step] in _CONNECTORS or lower[step] in ("'s", "’s")):
                step += 1
            if step == end or step >= len(tokens) or not _capital(tokens[step], lower[step], step, dated):
                break
            end = step + 1
        yield number, end
        number = end


def _capital(token: str, lower: str, number: int, dated: set[int], *, inside: bool = False) -> bool:
    if number in dated:
        return False
    if token[0].isupper():
        return inside or lower not in _NOT_NAMES
    return inside and token[0].isdigit() and "," not in token


def phrases(tokens: tuple[str, ...], lower: tuple[str, ...], dated: set[int]) -> Iterator[tuple[int, int]]:
    """Runs of words that are no function words, up to five long, with their heads ("film director", "director")."""
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and tokens[end][0].isalnum() and lower[end] not in FUNCTION_WORDS and end not in dated:
            end += 1
        if end > start:
            for left in range(start, end):
                for right in range(left + 1, min(end, left + 4) + 1):
                    if right == end or left == start:
                        yield left, right
        start = max(end, start + 1)
