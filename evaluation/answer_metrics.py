"""Scores of a short answer against the accepted ones: exact match and token F1, each 0 or 1 and 0 to 1.

Knows strings only: nothing of data sets, citations or confidence. Same figures as the official scripts of SQuAD 1.1,
HotpotQA, 2WikiMultihopQA and MuSiQue (Rajpurkar et al. 2016, arXiv 1606.05250; Yang et al. 2018, arXiv 1809.09600),
whose normalisation is one and the same, but for what `f1` and `exact_match` say.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from stores.errors import InputError

NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLE = re.compile(r"\b(?:a|an|the)\b")
WHOLE = frozenset({"yes", "no", "noanswer"})
"""Answers that earn nothing for a shared token: "no" is not half of "no one"."""


class AnswerScore(NamedTuple):
    """Scores of one answer."""

    em: float
    """1 when it is an accepted answer, else 0."""
    f1: float
    """Token F1 with the nearest accepted answer, 0 to 1."""


def normalize_answer(text: str) -> str:
    """Lowercase, without ASCII punctuation, without the articles a, an, the, with single blanks.

    As in the official scripts nothing else is folded: "–" and curly quotes are letters like any other, "é" is not "e",
    and hyphens vanish without leaving a blank.

    >>> normalize_answer("  The Hitch-Hiker's Guide, to a  Galaxy ")
    'hitchhikers guide to galaxy'
    """
    return " ".join(ARTICLE.sub(" ", text.lower().translate(NO_PUNCTUATION)).split())


def exact_match(prediction: str, golds: str | Sequence[str]) -> float:
    """1.0 when the prediction equals an accepted answer after normalisation, else 0.0.

    A blank prediction scores 0 also where an accepted answer normalises to nothing, as the band "The The" does.

    Args:
        prediction: the answer given; blank when none was.
        golds: the accepted answers (answer and aliases), or the only one.

    Raises:
        InputError: there is no accepted answer.

    >>> exact_match("the Eiffel Tower", ["Tour Eiffel", "Eiffel Tower"])
    1.0
    """
    accepted = _accepted(golds)
    return float(bool(prediction.strip()) and normalize_answer(prediction) in map(normalize_answer, accepted))


def f1(prediction: str, golds: str | Sequence[str]) -> float:
    """Token F1 with the nearest accepted answer: 2·c / (p + g), 0 to 1.

    c is the number of tokens in common, repeated ones counted as often as both have them; p and g are the tokens of
    prediction and gold. By HotpotQA's rule yes, no and noanswer agree with themselves only; MuSiQue's script lacks it
    and has no such answers. Two answers that normalise to nothing agree, as in MuSiQue's script, so that F1 is never
    below exact match. A blank prediction scores 0.

    Raises:
        InputError: there is no accepted answer.

    >>> f1("President Barack Obama", "Barack Obama")
    0.8
    >>> f1("no one", "no")
    0.0
    """
    accepted, given = _accepted(golds), normalize_answer(prediction)
    return max(_f1(given, normalize_answer(gold)) for gold in accepted) if prediction.strip() else 0.0


def score_answer(
    prediction: str, golds: str | Sequence[str], *, answerable: bool = True, abstained: bool | None = None
) -> AnswerScore:
    """Score an answer, or the refusal to give one.

    A question without an answer: 1 for abstaining, 0 for any answer. Any other: 0 for abstaining, whatever was
    withheld; else `exact_match` and `f1`. So nothing is to be had by abstaining and answering at once.

    Args:
        prediction: the answer given.
        golds: the accepted answers; not looked at when the question has none.
        answerable: whether the corpus holds the answer.
        abstained: whether the method declined; None: it did if the prediction is blank.

    Raises:
        InputError: the question is answerable and has no accepted answer.

    >>> score_answer("", [], answerable=False)
    AnswerScore(em=1.0, f1=1.0)
    >>> score_answer("Paris", ["Paris"], abstained=True)
    AnswerScore(em=0.0, f1=0.0)
    """
    declined = abstained or not prediction.strip()
    if not answerable:
        return AnswerScore(float(declined), float(declined))
    given = "" if declined else prediction
    return AnswerScore(exact_match(given, golds), f1(given, golds))


def _accepted(golds: str | Sequence[str]) -> list[str]:
    listed = [golds] if isinstance(golds, str) else golds
    accepted = [gold for gold in listed if gold.strip()]
    if not accepted:
        raise InputError(
            f"Scoring: no accepted answer in {golds!r}; mark the question as unanswerable or leave it out."
        )
    return accepted


def _f1(prediction: str, gold: str) -> float:
    if prediction == gold:
        return 1.0
    if {prediction, gold} & WHOLE:
        return 0.0
    given, wanted = prediction.split(), gold.split()
    common = sum((Counter(given) & Counter(wanted)).values())
    return 2 * common / (len(given) + len(wanted))
