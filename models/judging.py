"""Features for yes or no, and for which of two options, from passages read together. Counting only, no network.

It knows nothing of probabilities: `models.reader` turns the features into one with the fitted weights.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from models import computing
from models.pages import Page
from models.question_view import QuestionView
from models.questions import comparison
from models.span_features import Feature, Scene
from models.spans import Sentence, answer_key, terms_of
from models.words import NARROWER

_FILLER = frozenset(
    [
        "both",
        "same",
        "type",
        "kind",
        "film",
        "movi",
        "band",
        "group",
        "is",
        "are",
        "was",
        "were",
        "do",
        "doe",
        "did",
        "true",
    ]
)
_OF_SENTENCE = frozenset({"s:alone", "s:titled", "s:fresh"})
_NEGATIONS = frozenset(["not", "never", "no", "n't", "without", "neither", "unlike"])


class Judged(NamedTuple):
    """Features of one judgement and what it rests on."""

    features: tuple[Feature, ...]
    page: int
    sentence: Sentence | None


def judge_claim(question: QuestionView, scene: Scene) -> Judged:
    """How well the pages carry a claim or yes/no question: computed where possible, else by covered terms."""
    pages = scene.pages
    named = sorted((n for n in range(len(pages)) if scene.named[n] >= 0.3), key=lambda n: -scene.named[n])[:2]
    named.sort()
    best = scene.sentences[0] if scene.sentences else None
    page, sentence = (best[1], best[2]) if best else (0, None)
    features: list[Feature] = [("bias", 1.0)]
    same = computing.same(question.text, pages, _about(question, scene, named))
    if same is not None:
        features.append(
            (f"same:{'nation' if _asks_nation(question) else 'kind'}:{'yes' if same.choice else 'no'}", 1.0)
        )
        return Judged(tuple(features), same.pages[0], same.sentences[0])
    asked = comparison(question.text)
    if len(named) == 2 and asked is not None and asked.attribute in ("both", "same"):
        features += _sides(question, [pages[n] for n in named])
    else:
        whole = [scene.coverage(p.terms) for p in pages]
        names = [scene.coverage(p.terms) for n, p in enumerate(pages) if n in named]
        features += [("claim", 1.0), ("claim:page", max(whole, default=0.0)), ("claim:named", max(names, default=0.0))]
        features += [(f"claim:{name}", value) for name, value in (best[3] if best else ()) if name in _OF_SENTENCE]
        features.append(("claim:missing", _missing_names(question, pages)))
    features += [
        ("negation", float(sentence is not None and bool(_NEGATIONS & set(sentence.lower)))),
        ("numbers", _numbers_missing(question.text, pages)),
    ]
    return Judged(tuple(features), page, sentence)


def _sides(question: QuestionView, sides: Sequence[Page]) -> list[Feature]:
    """How much of what is said of both stands with each."""
    wanted = _property(question, sides)
    shares = [_share(wanted, page) for page in sides]
    return [
        ("sides", 1.0), ("least", min(shares)), ("mean", sum(shares) / len(shares)),
        ("all", float(min(shares) >= 0.999)), ("none", float(min(shares) == 0)), ("size", min(len(wanted), 8) / 8),
        ("first", min(_first_share(wanted, page) for page in sides)),
    ]  # fmt: skip


def _missing_names(question: QuestionView, pages: Sequence[Page]) -> float:
    """Share of the claim's names that stand in no single page about one of them."""
    if not question.names:
        return 0.0
    return min((len(question.names - page.terms) for page in pages), default=0) / len(question.names)


def _asks_nation(question: QuestionView) -> bool:
    asked = computing.rule(question.text)
    return asked is not None and asked.attribute == "nation"


def _about(question: QuestionView, scene: Scene, named: Sequence[int]) -> list[list[int]]:
    """The two pages a same/different question is about; directors of the two films where it asks for those."""
    titles = [scene.pages[n].passage["title"] for n in named]
    return computing.sides(question.text, titles, scene.pages)


def _property(question: QuestionView, sides: Sequence[Page]) -> list[str]:
    """Terms of what is said of the sides: the question without their names and filler."""
    names = set().union(*(page.title_terms for page in sides)) if sides else set()
    return [term for term in question.terms if term not in names and term not in _FILLER]


def _share(wanted: Sequence[str], page: Page) -> float:
    return sum(_carries(page.terms, term) for term in wanted) / len(wanted) if wanted else 0.5


def _carries(terms: frozenset[str] | set[str], term: str) -> bool:
    """A term is carried by itself or by something narrower: a drummer is a musician."""
    return term in terms or not terms.isdisjoint(NARROWER.get(term, ()))


def _first_share(wanted: Sequence[str], page: Page) -> float:
    terms = set(page.sentences[0].terms) if page.sentences else set()
    return sum(_carries(terms, term) for term in wanted) / len(wanted) if wanted else 0.5


def _numbers_missing(question: str, pages: Sequence[Page]) -> float:
    numbers = re.findall(r"\b\d[\d,.]*\b", question)
    text = " ".join(page.passage["text"] for page in pages)
    return float(bool(numbers) and any(number not in text for number in numbers))


def judge_options(question: QuestionView, options: Sequence[str], scene: Scene) -> list[Judged]:
    """For each option: is it the answer by computing, and how much of the question its own pages cover."""
    computed = computing.compare(question.text, options, scene.pages)
    about = computing.sides(question.text, options, scene.pages)
    rest = [t for t in question.terms if not any(t in terms_of(option) for option in options)]
    judged = []
    for number in range(len(options)):
        pages = [scene.pages[n] for n in about[number][:1]]
        cover = max((_share(rest, page) for page in pages), default=0.0)
        first = max((_first_share(rest, page) for page in pages), default=0.0)
        features: list[Feature] = [("option:cover", cover), ("option:first", first), ("option:order", float(number))]
        page = about[number][0] if about[number] else 0
        sentence = scene.pages[page].sentences[0] if scene.pages and scene.pages[page].sentences else None
        if computed is not None:
            attribute = computing.rule(question.text)
            won = 1.0 if computed.choice == number else -1.0
            features.append((f"computed:{attribute.attribute if attribute else ''}", won))
            page, sentence = computed.pages[number], computed.sentences[number]
        judged.append(Judged(tuple(features), page, sentence))
    return judged


def title_for(option: str, pages: Sequence[Page]) -> str:
    """The option as the documents write it, when a passage bears its name; else as the question has it."""
    key = answer_key(option)
    return next((page.title for page in pages if answer_key(page.title) == key), option)
