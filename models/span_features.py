"""Features of a candidate span for a question, and the score they add up to.

A feature is a (name, value) pair; `models.reader_weights` holds one fitted weight for each name. It knows the view of
the question and the passages read together, nothing about stores or plans. Counting and distances only.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from models.pages import Page, definition_of, links_of
from models.question_view import QuestionView
from models.spans import Sentence, Span, answer_key, terms_of
from models.words import COUNTRIES

Feature = tuple[str, float]
Places = Sequence[tuple[int, float]]
"""Token numbers of the question's terms in a sentence, each with the term's weight."""
SINGLE = 0.9
"""One page with this share of what all pages cover of the question makes it a single-hop question."""


class Candidate(NamedTuple):
    """A span with where it stands and its features."""

    text: str
    key: str
    """Terms as one string; equal keys are the same answer."""
    page: int
    sentence: Sentence
    features: tuple[Feature, ...]


class Scene:
    """A question before its pages: term weights, links between pages, and how well each sentence fits."""

    def __init__(self, question: QuestionView, pages: Sequence[Page]) -> None:
        self.question = question
        self.pages = pages
        self.weights = _weights(question, pages)
        self.total = sum(self.weights.values()) or 1.0
        self.named = [self._named(page) for page in pages]
        self.links = [links_of(page, pages, number) for number, page in enumerate(pages)]
        self.bridged = [
            any(self.named[a] > 0.5 and b in self.links[a] for a in range(len(pages)) if a != b)
            for b in range(len(pages))
        ]
        self.titles = {answer_key(page.title): number for number, page in enumerate(pages)}
        self.kinds = [definition_of(page) for page in pages]
        self.asked = set(self.weights) - question.names
        whole = self.coverage(set().union(*(page.terms for page in pages)))
        self.single = max((self.coverage(page.terms) for page in pages), default=0.0) >= SINGLE * whole
        self.sentences = self._rank()

    def coverage(self, terms: frozenset[str] | set[str]) -> float:
        """Weighted share (0 to 1) of the question's terms among `terms`."""
        return sum(weight for term, weight in self.weights.items() if term in terms) / self.total

    def _named(self, page: Page) -> float:
        if not page.title_terms:
            return 0.0
        if f" {' '.join(terms_of(page.title))} " in self.question.joined:
            return 1.0
        return 0.5 * sum(term in self.question.terms for term in page.title_terms) / len(page.title_terms)

    def _rank(self) -> list[tuple[float, int, Sentence, tuple[Feature, ...]]]:
        """(fit, page number, sentence, its features), best first."""
        whole = [self.coverage(page.terms) for page in self.pages]
        pair = [
            max([whole[a], *(self.coverage(page.terms | self.pages[b].terms) for b in self.links[a])])
            for a, page in enumerate(self.pages)
        ]
        ranked = []
        for number, page in enumerate(self.pages):
            before = 0.0
            for sentence in page.sentences:
                terms = set(sentence.terms)
                alone, titled = self.coverage(terms), self.coverage(terms | page.title_terms)
                fresh = (
                    sum(w for t, w in self.weights.items() if t in terms and t not in self.question.names) / self.total
                )
                fit = titled + 0.5 * alone + 0.5 * pair[number] + 0.3 * self.named[number] + 0.3 * self.bridged[number]
                features: list[Feature] = [
                    ("s:alone", alone), ("s:titled", titled), ("s:fresh", fresh), ("s:page", whole[number]),
                    ("s:pair", pair[number]), ("s:named", self.named[number]),
                    ("s:bridged", float(self.bridged[number])), ("s:before", before),
                    ("s:first", float(sentence.position == 0)),
                ]  # fmt: skip
                if self.single:
                    features += [(f"one{name[1:]}", value) for name, value in features[:7]]
                before = alone
                ranked.append((fit, number, sentence, features))
        ranked.sort(key=lambda item: -item[0])
        best = max((dict(item[3])["s:titled"] for item in ranked), default=1.0) or 1.0
        return [
            (
                fit,
                number,
                sentence,
                (*features, ("s:best", dict(features)["s:titled"] / best), ("s:rank", 1 / (1 + rank))),
            )
            for rank, (fit, number, sentence, features) in enumerate(ranked)
        ]

    def candidates(self, most_sentences: int = 14) -> list[Candidate]:
        """Spans of the best sentences and all titles, with features; never something that stands in the question."""
        found = []
        for _, number, sentence, shared in self.sentences[:most_sentences]:
            hits = [(at, self.weights[term]) for at, term in enumerate(sentence.terms) if term in self.weights]
            cues = [(at, self.weights[term]) for at, term in enumerate(sentence.terms) if term in self.asked]
            for span in sentence.spans:
                if f" {' '.join(span.terms)} " not in self.question.joined:
                    features = (*shared, *self._span(span, number, sentence, hits, cues))
                    found.append(Candidate(span.text, span.key, number, sentence, features))
        opening = {number: (sentence, shared) for _, number, sentence, shared in reversed(self.sentences)}
        for number, (sentence, shared) in sorted(opening.items()):
            page = self.pages[number]
            key = answer_key(page.title)
            if key and f" {' '.join(terms_of(page.title))} " not in self.question.joined:
                found.append(Candidate(page.title, key, number, sentence, (*shared, *self._title(number))))
        return found

    def _title(self, number: int) -> Iterator[Feature]:
        wanted = self.question.wanted
        yield f"k:title|{wanted}", 1.0
        yield from self._entity(number)
        yield f"t:linked|{wanted}", float(any(number in links for links in self.links))
        yield from self._overlap(terms_of(self.pages[number].title))

    def _entity(self, number: int) -> Iterator[Feature]:
        if self.question.focus:
            yield ("e:kind" if self.question.focus in self.kinds[number] else "e:other"), 1.0
        yield f"e:life|{self.question.wanted}", float(self.pages[number].person)

    def _overlap(self, terms: Sequence[str]) -> Iterator[Feature]:
        if terms:
            yield "c:overlap", sum(term in self.weights for term in terms) / len(terms)
        if self.question.focus and self.question.focus in terms:
            yield ("c:focus_last" if terms[-1] == self.question.focus else "c:focus"), 1.0

    def _span(self, span: Span, number: int, sentence: Sentence, hits: Places, cues: Places) -> Iterator[Feature]:
        wanted = self.question.wanted
        for sign in span.signs:
            yield (sign + wanted if sign[-1] == "|" else sign), 1.0
        if span.kind in ("number", "quantity"):
            around = sentence.terms[span.end - 1 : span.end + 1]
            yield "q:unit", float(any(term in self.weights for term in around))
            near = sentence.terms[span.start : span.end + 2]
            yield "q:focus", float(self.question.focus != "" and self.question.focus in near)
        yield from _nearness("near", span, hits, self.total)
        yield from _nearness("cue", span, cues, sum(self.weights[term] for term in self.asked) or 1.0)
        yield from self._context(span, sentence)
        yield from self._overlap(span.terms)
        yield from self._life(span, sentence)
        yield from self._elsewhere(span, number)
        if span.kind in ("name", "nation") and wanted in ("country", "nation", "place", "state"):
            yield f"g:country|{wanted}", float(span.key in COUNTRIES or span.kind == "nation")
            yield f"g:ends|{wanted}", float(span.key.rsplit(" ", 1)[-1] in COUNTRIES and span.key not in COUNTRIES)

    def _elsewhere(self, span: Span, number: int) -> Iterator[Feature]:
        """What the other pages say of the span: it is the title of one, or stands in several."""
        if span.key in self.titles:
            owner = self.titles[span.key]
            yield f"t:{'own' if owner == number else 'other'}|{self.question.wanted}", 1.0
            yield from self._entity(owner)
        elif f" {span.key} " in f" {answer_key(self.pages[number].title)} ":
            yield "t:part", 1.0
        if span.terms:
            others = sum(page.terms.issuperset(span.terms) for at, page in enumerate(self.pages) if at != number)
            yield ("c:shared" if self.question.common else "c:others"), min(others, 2) / 2

    def _context(self, span: Span, sentence: Sentence) -> Iterator[Feature]:
        left = [t for t in sentence.terms[max(0, span.start - 4) : span.start] if t]
        right = [t for t in sentence.terms[span.end : span.end + 4] if t]
        if left and left[-1] in self.asked:
            yield f"l:cue|{self.question.wanted}", 1.0
        if right and right[0] in self.asked:
            yield f"r:cue|{self.question.wanted}", 1.0
        if self.question.focus:
            yield "l:focus", float(self.question.focus in left)
            yield "r:focus", float(self.question.focus in right)

    def _life(self, span: Span, sentence: Sentence) -> Iterator[Feature]:
        """A date in the first parenthesis: the first is birth, the one after a dash is death."""
        if span.kind not in ("date", "year") or sentence.position:
            return
        before = sentence.lower[: span.start]
        if "(" in before and ")" not in before[before.index("(") :]:
            second = any(dash in before[before.index("(") :] for dash in ("–", "-", "—"))
            if "birth" in self.weights:
                yield ("d:wrong" if second else "d:life"), 1.0
            if "death" in self.weights:
                yield ("d:life" if second else "d:wrong"), 1.0


def _nearness(name: str, span: Span, hits: Places, total: float) -> Iterator[Feature]:
    left = right = 0.0
    for at, weight in hits:
        if at < span.start:
            left += weight * math.exp((at - span.start + 1) / 4)
        elif at >= span.end:
            right += weight * math.exp((span.end - at) / 4)
    yield f"{name}:left", left / total
    yield f"{name}:right", right / total


def _weights(question: QuestionView, pages: Sequence[Page]) -> dict[str, float]:
    """Rarity of each question term among the sentences read: log(1 + n / (1 + occurrences))."""
    sentences = [set(sentence.terms) for page in pages for sentence in page.sentences]
    return {
        term: math.log(1 + (len(sentences) + 1) / (1 + sum(term in sentence for sentence in sentences)))
        for term in question.terms
    }
