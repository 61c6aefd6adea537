"""Completeness: the probability that all a question needs is among what was found, by the ranker and by names.

A reader sees what is there, not what is missing: with one of two passages taken away it often gives the same answer, as
sure as before. The ranker's probabilities tell: of a question that needs two passages the second best falls too. Fitted
by `python -m models.training.fit_completeness`; its card is `weights/completeness/README.md`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from models.names import named_entities
from models.span_features import Feature
from models.spans import answer_key, bare_title
from models.supporting import logistic, logit
from prompts.answer import Evidence

WEIGHTS = Path(__file__).parent / "weights" / "completeness" / "completeness.json"


def completeness(question: str, found: Sequence[Sequence[float]], evidence: Sequence[Evidence]) -> float:
    """The probability, 0 to 1, where four of five questions have all they need (`PRIOR` of the command that fits).

    Args:
        question: as asked.
        found: of each search, the probabilities of its passages as the ranker gives them; the question's own first.
        evidence: what the answer may rest on.
    """
    return logistic(completeness_features(question, found, evidence), _weights())


def completeness_features(
    question: str, found: Sequence[Sequence[float]], evidence: Sequence[Evidence]
) -> list[Feature]:
    """How sure the two best passages are, how sure the worst search is of its best, which names of the question stand.

    A question with a plan of one search may need one passage only: its two best weigh on their own.
    """
    own = [*sorted(found[0] if found else (), reverse=True), 0.0, 0.0]
    planned = [max(scores, default=0.0) for scores in found[1:]]
    kind = "several" if len(planned) > 1 else "one"
    titles = [f" {answer_key(bare_title(one['title']))} " for one in evidence]
    text = "".join((*titles, *(f" {answer_key(one['text'])} " for one in evidence)))
    names = [f" {key} " for name in named_entities(question) if (key := answer_key(name))]
    return [
        (kind, 1.0),
        (f"{kind}:first", logit(own[0])),
        (f"{kind}:second", logit(own[1])),
        (f"{kind}:weakest", logit(min(planned, default=own[0]))),
        ("unnamed", _share(names, lambda name: name not in text)),
        ("untitled", _share(names, lambda name: not any(name in title or title in name for title in titles))),
    ]


def _share(names: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(map(test, names)) / len(names) if names else 0.0


@cache
def _weights() -> Mapping[str, float]:
    told: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return told
