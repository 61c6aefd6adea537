"""Several answers to one question: "Which moons did X discover?", "How many lakes lie in Y?".

An item is the title of a passage of the asked kind, one sentence of which says what is asked of it; or a member of an
enumeration in one sentence that says so ("Io, Europa, Ganymede and Callisto"). It knows passages and the question,
nothing about plans.
"""

import re
from collections.abc import Sequence, Set
from typing import NamedTuple

from models.pages import Page, definition_of, open_pages
from models.planner_words import AUXILIARIES, VERBS
from models.spans import Sentence, answer_key, terms_of
from models.words import NATIONALITIES, canon
from stores.records import Passage

_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ASKED = re.compile(
    rf"(?i)(?:which|what|how many|(?:please )?(?:list|name|enumerate)(?: all| every)?(?: the| of the)?) "
    rf"(?:(?P<number>{'|'.join(_NUMBERS)}|\d+) )?(?P<rest>.+)"
)
_VERB = frozenset(f"{AUXILIARIES} {VERBS} border".split())
_HEAD_ENDS = frozenset({"of", "in", "on", "by", "from", "at", "for", "with", "that", "who", "which", "to"})
_SAYS_LITTLE = frozenset(
    {canon(word) for word in ("lie", "stand", "belong", "locate", "situate", "include", "find", "live")}
)
"""Verbs of being somewhere, for which texts have many words: only the names beside them must be found."""
_STEM = 6
"""Letters that two forms of a word share at least."""
_NAME = r"(?:the )?[A-ZÀ-Þ][\w’'-]*(?: (?:of |de |van |von )?[A-ZÀ-Þ][\w’'-]*){0,4}"
_ENUMERATION = re.compile(rf"{_NAME}(?:, {_NAME}){{0,15}},? and {_NAME}")


LISTED = 0.6
"""Probability given to a list or a count of passages that each say what is asked; a guess, for want of lists to fit on:
over what reading a single item of the list comes to."""


class Item(NamedTuple):
    """One of several answers, and where it was read."""

    text: str
    passage_id: str
    sentence: str


class _Asked(NamedTuple):
    """What is asked: of which kind, how many if that is said, and what must be said of each."""

    kind: str
    number: int | None
    about: frozenset[str]
    """Names in the noun phrase ("moons of Jupiter"); they stand anywhere in a passage."""
    said: frozenset[str]
    """Terms of the predicate; one sentence must hold them."""
    all: frozenset[str]


def listed(question: str, passages: Sequence[Passage]) -> list[Item]:
    """Items that answer a question for several things, in the passages' order; empty for fewer than two."""
    asked = _asked(question)
    if asked is None:
        return []
    pages = open_pages(passages)
    found = [item for item in (_titled(asked, page) for page in pages) if item is not None]
    of_kind = [item for item, fits in found if fits]
    items = list({answer_key(item.text): item for item in (of_kind or [item for item, _ in found])}.values())
    enumerated = max((_enumerated(asked, page) for page in pages), key=len, default=[])
    best = (enumerated if len(enumerated) > len(items) else items)[: asked.number]
    return best if len(best) > 1 else []


def is_listed(question: str, answer: str, texts: Sequence[str]) -> bool:
    """Whether the answer is a list whose members stand in texts that say what is asked, or the number of such texts."""
    asked = _asked(question)
    if asked is None or not asked.said:
        return False
    pages = open_pages([Passage(id="", document_id="", title="", text=text, metadata={}) for text in texts])
    keys = [
        f" {answer_key(p.passage['text'])} " for p in pages if any(_holds({*s.terms}, asked.said) for s in p.sentences)
    ]
    if answer.isdigit():
        return len(keys) > 1 and int(answer) == len(keys)
    parts = [answer_key(part) for part in re.split(r", and |, | and ", answer)]
    return len(parts) > 1 and all(any(f" {part} " in key for key in keys) for part in parts)


def enumeration(texts: Sequence[str]) -> str:
    """Join texts as English does.

    >>> enumeration(["Io", "Europa", "Callisto"])
    'Io, Europa and Callisto'
    """
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _asked(question: str) -> _Asked | None:
    """Take the question apart; None when it does not ask for several things."""
    found = _ASKED.match(" ".join(question[:600].split()).strip(" ?.!"))
    if found is None:
        return None
    words = found["rest"].split()
    verb = next((n for n, word in enumerate(words) if n and _is_verb(word)), len(words))
    phrase = words[:verb]
    head_end = next((n for n, word in enumerate(phrase) if n and word.lower() in _HEAD_ENDS), len(phrase))
    head = phrase[head_end - 1].lower()
    if not head.endswith("s") and head not in ("people", "men", "women", "children"):
        return None
    rest = phrase[head_end:] + words[verb:] if verb == len(words) else words[verb:]
    number = found["number"]
    return _Asked(
        kind=canon(head),
        number=None if number is None else int(number) if number.isdigit() else _NUMBERS.index(number.lower()) + 2,
        about=frozenset(
            term
            for word in phrase
            if word[0].isupper() and word.lower() not in NATIONALITIES
            for term in terms_of(word)
        ),
        said=frozenset(term for term in terms_of(" ".join(rest)) if term not in _SAYS_LITTLE),
        all=frozenset(terms_of(question)),
    )


def _is_verb(word: str) -> bool:
    return word in _VERB or re.fullmatch(r"[a-z]{3,}ed", word) is not None


def _says(asked: _Asked, page: Page) -> Sentence | None:
    """The first sentence of a page that says what is asked, of its title."""
    if not asked.said or not asked.about <= page.terms:
        return None
    return next((s for s in page.sentences if _holds(page.title_terms.union(s.terms), asked.said)), None)


def _holds(terms: Set[str], said: Set[str]) -> bool:
    """Whether all is said; "discoveries" says "discover"."""
    opening = {term[:_STEM] for term in terms if len(term) >= _STEM}
    return all(term in terms or (len(term) >= _STEM and term[:_STEM] in opening) for term in said)


def _titled(asked: _Asked, page: Page) -> tuple[Item, bool] | None:
    """The page's title as an item, and whether the page says that it is of the asked kind."""
    sentence = _says(asked, page)
    if sentence is None or not page.title_terms or page.title_terms & asked.all:
        return None
    return Item(page.title, page.passage["id"], sentence.text), asked.kind in definition_of(page)


def _enumerated(asked: _Asked, page: Page) -> list[Item]:
    """Members of an enumeration in a sentence that says what is asked and names the kind."""
    sentence = _says(asked, page)
    if sentence is None or asked.kind not in sentence.terms:
        return []
    for found in _ENUMERATION.finditer(sentence.text):
        texts = re.split(r", and |, | and ", found.group())
        if not any(asked.all.intersection(terms_of(text)) for text in texts):
            return [Item(text, page.passage["id"], sentence.text) for text in texts]
    return []
