"""Why an answer is wrong, as far as the run itself tells: one cause for each, the earliest stage that went wrong.

An answer is a failure when it is no exact match. The cause is a first guess for whoever reads on, not a diagnosis: with
all gold passages before it a reader may still fail for the plan's sake.
"""

from collections import Counter
from collections.abc import Iterable

from evaluation.predictions import Prediction
from evaluation.scoring import Scores, is_declined

CLOSE = 0.5
"""Token F1 from which on a wrong answer counts as the right one in other words."""

CAUSES = {
    "error": "The run raised an error.",
    "answered_unanswerable": "An answer was given to a question that has none.",
    "close": "Shares half its words with an accepted answer: too long, too short, or another form of it.",
    "abstained": "The method declined, though there is an answer.",
    "wrong_binding": "A hop was searched with an entity that is no gold intermediate answer, and gold was missed.",
    "not_found": "A gold passage is not among those that came out of retrieval and ranking.",
    "left_out": "Every gold passage was found, but not all came into the evidence.",
    "misread": "Every gold passage was in the evidence, and the answer is still wrong.",
    "wrong": "The answer is wrong, and no gold passages are known.",
}
"""Cause to description, in the order in which they are tried (`wrong` where gold is not known)."""


def failure_cause(prediction: Prediction, scores: Scores) -> str | None:
    """A key of `CAUSES`; None when the answer is right.

    Args:
        prediction: what the method said.
        scores: of that prediction, from `evaluation.scoring.score`.
    """
    if scores["em"]:
        return None
    if prediction["error"] is not None:
        return "error"
    if not prediction["answerable"]:
        return "answered_unanswerable"
    if (scores["f1"] or 0.0) >= CLOSE:
        return "close"
    if is_declined(prediction):
        return "abstained"
    return _lost(prediction, scores)


def count_failures(pairs: Iterable[tuple[Prediction, Scores]]) -> dict[str, int]:
    """Failures by cause, in the order of `CAUSES`, causes that do not occur left out."""
    counts = Counter(failure_cause(prediction, scores) for prediction, scores in pairs)
    return {cause: counts[cause] for cause in CAUSES if counts[cause]}


def _lost(prediction: Prediction, scores: Scores) -> str:
    """Where the gold passages were lost on the way to the answer."""
    gold = set(prediction["gold_documents"])
    if not gold:
        return "wrong"
    if not gold <= set(prediction["ranked"]):
        binding = scores["binding_accuracy"]
        return "wrong_binding" if binding is not None and binding < 1 else "not_found"
    return "left_out" if (scores["context_recall"] or 0.0) < 1 else "misread"
