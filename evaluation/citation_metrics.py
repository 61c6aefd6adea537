"""Scores of what an answer rests on: the passages it cites, and what placeholders of the plan were filled with.

Knows keys (passage ids or titles) and strings only. Whether a cited passage bears out the sentence is the reader's
business, not judged here: these ask whether the cited passages are those that annotators marked as needed.
"""

from collections.abc import Collection

from evaluation.answer_metrics import normalize_answer


def citation_precision(cited: Collection[str], gold: Collection[str]) -> float | None:
    """Share of the cited passages that are gold: |cited ∩ gold| / |cited|; a passage cited twice counts once.

    None when nothing is cited (read it beside citation recall, which is 0 then) or the question has no gold.

    >>> citation_precision(["a", "x"], {"a", "b"})
    0.5
    """
    return len(set(cited) & set(gold)) / len(set(cited)) if cited and gold else None


def citation_recall(cited: Collection[str], gold: Collection[str]) -> float | None:
    """Share of the gold passages that are cited: |cited ∩ gold| / |gold|; None when the question has no gold.

    >>> citation_recall(["a", "x"], {"a", "b"})
    0.5
    """
    return len(set(cited) & set(gold)) / len(set(gold)) if gold else None


def binding_accuracy(bound: Collection[str], golds: Collection[str]) -> float | None:
    """Share of the texts bound to placeholders that equal, after normalisation, a gold intermediate answer.

    Args:
        bound: the text that was searched with, one for each placeholder of a bridge; the same text twice counts twice.
        golds: answers of the decomposition's inner steps with their aliases, in any order: a plan need not take the
            annotators' path.

    Returns:
        0 to 1; None when nothing was bound or the intermediate answers are not known.

    >>> binding_accuracy(["The Beatles", "Oasis"], ["Beatles"])
    0.5
    """
    if not bound or not golds:
        return None
    known = {normalize_answer(gold) for gold in golds}
    return sum(bool(text.strip()) and normalize_answer(text) in known for text in bound) / len(bound)
