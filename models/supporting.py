"""Features of support: is an answer right by these texts, or does what a sentence claims stand in them?

Pure functions. It knows what the reader itself answered, as (text, probability) pairs; the weights are the reader's.
"""

import math
import re
from collections.abc import Mapping, Sequence

from models.pages import open_pages
from models.question_view import view
from models.span_features import Feature, Scene
from models.spans import answer_key, terms_of
from stores.records import Passage

CLAIM_WORDS = 12
"""From so many words on an answer is taken as a whole sentence that claims something."""


def is_claim(answer: str) -> bool:
    """Whether a text is a sentence rather than a short answer.

    >>> is_claim("Paris"), is_claim("Paris has been the capital of France since the tenth century or so.")
    (False, True)
    """
    return len(answer.split()) >= CLAIM_WORDS


def support_features(
    question: str, answer: str, passages: Sequence[Passage], told: Sequence[tuple[str, float]]
) -> list[Feature]:
    """Features of a short answer: does it stand there, how did the reader rank it, is the question covered.

    Args:
        question: As asked.
        answer: The answer to be judged.
        passages: The texts it rests on.
        told: What the reader answers from the same texts, best first; for yes or no its one judgement.
    """
    scene = Scene(view(question), open_pages(passages))
    key = answer_key(answer)
    if not scene.sentences or not key:
        return [("nothing", 1.0)]
    if key in ("yes", "no"):
        judged = told[0][1] if told and told[0][0] == key else 1 - told[0][1] if told else 0.5
        return [("judging", 1.0), ("judged", logit(judged))]
    kind = "choice" if scene.question.wanted == "choice" else "span"
    holding = [page for page in scene.pages if f" {key} " in f" {answer_key(page.passage['text'])} "]
    probability = max((p for text, p in told if answer_key(text) == key), default=0.0)
    return [
        (kind, 1.0),
        (f"{kind}:found", float(bool(holding))),
        (f"{kind}:read", logit(max(probability, 0.003))),
        (f"{kind}:first", float(bool(told) and answer_key(told[0][0]) == key)),
        (f"{kind}:best", logit(told[0][1]) if told else -5.0),
        ("coverage", scene.coverage(set().union(*(page.terms for page in scene.pages)))),
        ("holder", max((scene.coverage(page.terms) for page in holding), default=0.0)),
    ]


def claim_features(claim: str, passages: Sequence[Passage]) -> list[Feature]:
    """Features of a sentence: how much of it stands in the texts, and which names and numbers do not."""
    text = " ".join(passage["text"] for passage in passages)
    have, wanted = set(terms_of(text)), list(dict.fromkeys(terms_of(claim)))
    if not wanted or not have:
        return [("nothing", 1.0)]
    hard = set(re.findall(r"(?<=\s)[A-Z][\w'-]+|\d[\d,.]*\d|\d", claim))
    missing = [word for word in hard if word not in text]
    closest = max((_share(wanted, set(s.terms)) for page in open_pages(passages) for s in page.sentences), default=0.0)
    return [
        ("bias", 1.0),
        ("covered", _share(wanted, have)),
        ("closest", closest),
        ("missing", len(missing) / len(hard) if hard else 0.0),
        ("strange", float(any(word[0].isdigit() for word in missing))),
    ]


def _share(wanted: Sequence[str], have: set[str]) -> float:
    return sum(term in have for term in wanted) / len(wanted)


def logit(p: float) -> float:
    """Log odds, kept finite.

    >>> logit(0.5)
    0.0
    """
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def logistic(features: Sequence[Feature], fitted: Mapping[str, float]) -> float:
    """Probability of a logistic model: 1 / (1 + exp(-sum of weight x value)); unknown features weigh nothing."""
    score = sum(fitted.get(name, 0.0) * value for name, value in features)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
