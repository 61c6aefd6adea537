"""Passages opened for reading: analysed, with their title's terms, what they are about and which others they name.

It knows nothing about questions.
"""

from collections.abc import Sequence
from typing import NamedTuple

from models.spans import Sentence, analyse, bare_title, terms_of
from stores.records import Passage


class Page(NamedTuple):
    """A passage read together with others."""

    passage: Passage
    sentences: tuple[Sentence, ...]
    title: str
    title_terms: frozenset[str]
    terms: frozenset[str]
    """Of title and text."""
    person: bool
    """Whether its opening has a birth or a span of life in it."""


def open_pages(passages: Sequence[Passage]) -> list[Page]:
    """Analyse passages (kept by text, so that reading one again is free)."""
    pages = []
    for passage in passages:
        sentences = analyse(passage["text"])
        title = bare_title(passage["title"])
        title_terms = frozenset(terms_of(title))
        terms = title_terms.union(*(sentence.terms for sentence in sentences)) - {""}
        pages.append(Page(passage, sentences, title, title_terms, terms, _is_person(sentences)))
    return pages


def links_of(page: Page, pages: Sequence[Page], number: int) -> set[int]:
    """Numbers of the other pages whose title this page names."""
    text = page.passage["text"]
    return {
        other
        for other, target in enumerate(pages)
        if other != number and len(target.title) > 2 and target.title in text
    }


def definition_of(page: Page) -> frozenset[str]:
    """Terms of what the first sentence says the title is ("X is an American indie rock band from ...")."""
    if not page.sentences:
        return page.title_terms
    first = page.sentences[0]
    for at, word in enumerate(first.lower):
        if word in ("is", "was", "are", "were"):
            return frozenset(first.terms[at : at + 14]) - {""}
    return page.title_terms


def _is_person(sentences: Sequence[Sentence]) -> bool:
    """Whether the opening has a birth or a span of life in it."""
    return bool(sentences) and not {"born", "–"}.isdisjoint(sentences[0].lower[:25])
