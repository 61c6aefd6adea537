"""Joins what the network read with the typed spans: one list of answers, with features of each and of the best ones.

Pure functions. The typed spans bring the kind of answer asked for, links between pages and counting; the network brings
what the words mean. Which counts how much is fitted by `models.training.fit_trained_reader`; the weights come in.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from models import reader_weights
from models.judging import Judged
from models.pages import Page
from models.reader import Shared, shared_out
from models.reader_nbest import Reading, ReadSpan
from models.refusing import refused
from models.span_features import Feature, Scene
from models.spans import answer_key, terms_of
from models.supporting import logistic, logit

OF_ONE = frozenset({"n:log", "n:probability", "t:log", "t:score"})
"""Features that count otherwise where one passage covers the question."""
UNREAD = 1e-5
"""Probability of what is not among the network's best."""


class Answer(NamedTuple):
    """A possible answer with what speaks for it."""

    text: str
    key: str
    page: int
    sentence: int
    """Number in the page; −1 for its title."""
    features: tuple[Feature, ...]


class Ranked(NamedTuple):
    """An answer with the features of its probability, of which the answer's share among all is one."""

    answer: Answer
    confidence: tuple[Feature, ...]


def combined(scene: Scene, read: Reading) -> list[Answer]:
    """Distinct answers of both kinds, none that cannot be of the asked kind."""
    wanted = scene.question.wanted
    typed = _typed(scene)
    spans = {one.key: (rank, one) for rank, one in enumerate(read.spans) if not refused(one.text, wanted)}
    found = []
    for key in dict.fromkeys([*spans, *typed]):
        rank, span = spans.get(key, (len(read.spans), None))
        features = (*_of_network(span, rank), *_of_rules(typed.get(key)), *_of_both(key, scene))
        if scene.single:
            features += tuple((f"one:{name}", value) for name, value in features if name in OF_ONE)
        found.append(_answer(key, span, typed.get(key), features))
    return found


def _typed(scene: Scene) -> dict[str, tuple[int, Shared]]:
    """Rank and shares of the best typed spans, by key."""
    found = [one for one in scene.candidates() if not refused(one.text, scene.question.wanted)]
    return {one.best.key: (rank, one) for rank, one in enumerate(shared_out(found))}


def _of_network(span: ReadSpan | None, rank: int) -> list[Feature]:
    if span is None:
        return [("n:log", math.log(UNREAD) / 10), ("n:unread", 1.0)]
    return [
        ("n:log", math.log(max(span.probability, UNREAD)) / 10),
        ("n:probability", span.probability),
        ("n:rank", 1 / (1 + rank)),
        ("n:title", float(span.sentence < 0)),
    ]


def _of_rules(typed: tuple[int, Shared] | None) -> list[Feature]:
    if typed is None:
        return []
    rank, shared = typed
    return [
        ("t:log", math.log(max(shared.share, UNREAD)) / 10),
        ("t:score", shared.score / 10),
        ("t:rank", 1 / (1 + rank)),
    ]


def _of_both(key: str, scene: Scene) -> list[Feature]:
    terms = terms_of(key)
    holders = sum(f" {key} " in f" {answer_key(page.passage['text'])} " for page in scene.pages)
    return [
        ("asked", float(bool(terms) and f" {' '.join(terms)} " in scene.question.joined)),
        ("long", min(len(key.split()), 10) / 10),
        ("holders", min(holders, 3) / 3),
    ]


def _answer(key: str, span: ReadSpan | None, typed: tuple[int, Shared] | None, features: tuple[Feature, ...]) -> Answer:
    """The network's place and spelling where it has one, else that of the rules."""
    if span is not None:
        return Answer(span.text, key, span.passage, span.sentence, features)
    assert typed is not None
    best = typed[1].best
    return Answer(best.text, key, best.page, best.sentence.position, features)


def sentence_of(page: Page, number: int) -> str:
    """A sentence of a page; the opening one for its title."""
    return page.sentences[max(number, 0)].text if len(page.sentences) > max(number, 0) else ""


def ranked(found: Sequence[Answer], read: Reading, scene: Scene, weights: Mapping[str, float]) -> list[Ranked]:
    """Best first, with the features of each one's probability.

    The first comes from the answers that are most probable together (`_together`), the others follow by their share.

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
    together = _together(found, raw)
    first = max(range(len(found)), key=lambda number: (together[number], scores[number]))
    order = sorted(range(len(found)), key=lambda number: (number != first, -scores[number]))
    return [
        Ranked(
            found[number],
            tuple(_confidence(found[number], raw[number] / total, together[number] / total, rank, read, scene)),
        )
        for rank, number in enumerate(order)
    ]


def _together(found: Sequence[Answer], raw: Sequence[float]) -> list[float]:
    """Of each answer: what all have that begin with the same answer in the same sentence.

    "Oak Park" and "Oak Park, Illinois" are one place in two spellings: against "Chicago" they count together.
    """
    opening = [
        min(
            (
                other.key
                for other in found
                if (other.page, other.sentence) == (one.page, one.sentence)
                and f"{one.key} ".startswith(f"{other.key} ")
            ),
            key=len,
        )
        for one in found
    ]
    places = [(one.page, one.sentence, key) for one, key in zip(found, opening, strict=True)]
    sums: dict[tuple[int, int, str], float] = {}
    for place, share in zip(places, raw, strict=True):
        sums[place] = sums.get(place, 0.0) + share
    return [sums[place] for place in places]


def _confidence(answer: Answer, share: float, together: float, rank: int, read: Reading, scene: Scene) -> list[Feature]:
    """The best answer has weights of its own: of the others some are the best one in other words."""
    told = dict(answer.features)
    relevance = read.sentences.get((answer.page, max(answer.sentence, 0)), 0.5)
    features = [
        ("bias", 1.0),
        ("share", logit(share)),
        ("none", logit(read.none)),
        ("span", read.span),
        ("n:log", told["n:log"]),
        ("n:sentence", relevance),
        ("agree", float(told.get("n:rank") == 1 and told.get("t:rank") == 1)),
        ("t:score", told.get("t:score", 0.0)),
        ("named", max(scene.named, default=0.0)),
        ("page", scene.coverage(scene.pages[answer.page].terms)),
        ("coverage", scene.coverage(set().union(*(one.terms for one in scene.pages)))),
    ]
    if rank > 0:
        return features
    return [(f"first:{name}", value) for name, value in [*features, ("together", logit(together))]]


def judged_features(judged: Judged, read: Reading) -> list[Feature]:
    """Features of "yes": what the rules make of it, and the network's log odds."""
    odds = math.log((read.yes + 1e-3) / (read.no + 1e-3))
    return [
        ("bias", 1.0),
        ("rules", logit(logistic(judged.features, reader_weights.JUDGE))),
        ("n:yes", odds),
        ("n:answered", (1 - read.none) * odds),
    ]
