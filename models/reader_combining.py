"""Joins what the network read with the typed spans: one list of answers, with features of each and of the best ones.

Pure functions. The typed spans bring the kind of answer asked for, links between pages and counting; the network brings
what the words mean. Which counts how much is fitted by `models.training.fit_trained_reader`; the weights come in.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from models import reader_weights
from models.judging import judge_claim, judge_options
from models.pages import Page
from models.reader_nbest import Reading, ReadSpan
from models.refusing import refused
from models.span_features import Candidate, Feature, Scene
from models.spans import answer_key, terms_of
from models.supporting import logit

TYPED = 20
"""Distinct typed spans that stand beside the network's."""
UNREAD = 1e-5
"""Probability of what is not among the network's best."""


class Answer(NamedTuple):
    """A possible answer with what speaks for it."""

    text: str
    key: str
    page: int
    sentence: str
    features: tuple[Feature, ...]


class Ranked(NamedTuple):
    """An answer with the features of its probability, of which the answer's share among all is one."""

    answer: Answer
    confidence: tuple[Feature, ...]


class _Typed(NamedTuple):
    best: Candidate
    score: float
    share: float
    rank: int


def combined(scene: Scene, read: Reading) -> list[Answer]:
    """Distinct answers of both kinds, none that cannot be of the asked kind."""
    wanted = scene.question.wanted
    typed = _typed(scene)
    spans = {one.key: (rank, one) for rank, one in enumerate(read.spans) if not refused(one.text, wanted)}
    found = []
    for key in dict.fromkeys([*spans, *typed]):
        rank, span = spans.get(key, (len(read.spans), None))
        features = (*_of_network(span, rank, read, scene), *_of_rules(typed.get(key)), *_of_both(key, scene))
        found.append(_answer(key, span, typed.get(key), scene, features))
    return found


def _typed(scene: Scene) -> dict[str, _Typed]:
    """The best typed spans by key, with the share that the rules give to each."""
    found = [one for one in scene.candidates() if not refused(one.text, scene.question.wanted)]
    if not found:
        return {}
    scores = [sum(reader_weights.SPAN.get(name, 0.0) * value for name, value in one.features) for one in found]
    top = max(scores)
    shares: dict[str, float] = {}
    best: dict[str, int] = {}
    for number, (one, score) in enumerate(zip(found, scores, strict=True)):
        shares[one.key] = shares.get(one.key, 0.0) + math.exp(score - top)
        if one.key not in best or score > scores[best[one.key]]:
            best[one.key] = number
    total = sum(shares.values())
    order = sorted(shares, key=lambda key: -shares[key])[:TYPED]
    return {
        key: _Typed(found[best[key]], scores[best[key]], shares[key] / total, rank) for rank, key in enumerate(order)
    }


def _of_network(span: ReadSpan | None, rank: int, read: Reading, scene: Scene) -> list[Feature]:
    if span is None:
        return [("n:log", math.log(UNREAD) / 10), ("n:unread", 1.0)]
    relevance = read.sentences.get((span.passage, max(span.sentence, 0)), 0.5)
    return [
        ("n:log", math.log(max(span.probability, UNREAD)) / 10),
        ("n:probability", span.probability),
        ("n:first", float(rank == 0)),
        ("n:rank", 1 / (1 + rank)),
        ("n:sentence", relevance),
        ("n:title", float(span.sentence < 0)),
    ]


def _of_rules(typed: _Typed | None) -> list[Feature]:
    if typed is None:
        return [("t:untyped", 1.0)]
    return [
        ("t:log", math.log(max(typed.share, UNREAD)) / 10),
        ("t:score", typed.score / 10),
        ("t:first", float(typed.rank == 0)),
        ("t:rank", 1 / (1 + typed.rank)),
    ]


def _of_both(key: str, scene: Scene) -> list[Feature]:
    terms = terms_of(key)
    holders = sum(f" {key} " in f" {answer_key(page.passage['text'])} " for page in scene.pages)
    return [
        ("asked", float(bool(terms) and f" {' '.join(terms)} " in scene.question.joined)),
        ("long", min(len(key.split()), 10) / 10),
        ("holders", min(holders, 3) / 3),
    ]


def _answer(
    key: str, span: ReadSpan | None, typed: _Typed | None, scene: Scene, features: tuple[Feature, ...]
) -> Answer:
    """The network's place and spelling where it has one, else that of the rules."""
    if span is not None:
        return Answer(span.text, key, span.passage, sentence_of(scene.pages[span.passage], span.sentence), features)
    assert typed is not None
    return Answer(typed.best.text, key, typed.best.page, typed.best.sentence.text, features)


def sentence_of(page: Page, number: int) -> str:
    """A sentence of a page; the opening one for its title."""
    return page.sentences[max(number, 0)].text if len(page.sentences) > max(number, 0) else ""


def ranked(found: Sequence[Answer], read: Reading, scene: Scene, weights: Mapping[str, float]) -> list[Ranked]:
    """Best first, with the features of each one's probability.

    Args:
        found: as `combined` gives them.
        read: what the network said.
        scene: question and pages.
        weights: of the softmax over answers, by name of feature.
    """
    if not found:
        return []
    scores = [sum(weights.get(name, 0.0) * value for name, value in one.features) for one in found]
    top = max(scores)
    raw = [math.exp(score - top) for score in scores]
    total = sum(raw)
    order = sorted(range(len(found)), key=lambda number: -scores[number])
    return [
        Ranked(found[number], tuple(_confidence(found[number], raw[number] / total, rank, read, scene)))
        for rank, number in enumerate(order)
    ]


def _confidence(answer: Answer, share: float, rank: int, read: Reading, scene: Scene) -> list[Feature]:
    told = dict(answer.features)
    page = scene.pages[answer.page]
    return [
        ("bias", 1.0),
        ("share", logit(share)),
        ("first", float(rank == 0)),
        ("none", logit(read.none)),
        ("span", read.span),
        ("n:log", told["n:log"]),
        ("n:sentence", told.get("n:sentence", 0.0)),
        ("agree", float(told.get("n:first", 0.0) and told.get("t:first", 0.0))),
        ("t:score", told.get("t:score", 0.0)),
        ("named", max(scene.named, default=0.0)),
        ("page", scene.coverage(page.terms)),
        ("coverage", scene.coverage(set().union(*(one.terms for one in scene.pages)))),
    ]


def judged_features(scene: Scene, read: Reading) -> list[Feature]:
    """Features of "yes": of the rules and the network's log odds."""
    return [
        *judge_claim(scene.question, scene).features,
        ("n:yes", math.log((read.yes + 1e-4) / (read.no + 1e-4))),
        ("n:none", (1 - read.none) * math.log((read.yes + 1e-4) / (read.no + 1e-4))),
    ]


def option_features(options: Sequence[str], scene: Scene, read: Reading) -> list[Feature]:
    """Features of the first of two options against the second: of the rules, and how much of it the network reads."""
    one, two = judge_options(scene.question, options, scene)
    masses = [math.log(_mass(option, read) + 1e-3) for option in options]
    computed = any(name.startswith("computed:") for name, _ in one.features)
    return [
        *one.features,
        *((name, -value) for name, value in two.features),
        ("n:computed" if computed else "n:option", masses[0] - masses[1]),
    ]


def _mass(option: str, read: Reading) -> float:
    """Probability of the spans that spell an option, wholly or in part."""
    key = f" {answer_key(option)} "
    return sum(one.probability for one in read.spans if f" {one.key} " in key or key in f" {one.key} ")
