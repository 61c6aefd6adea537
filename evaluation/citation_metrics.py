"""Scores of what an answer rests on: the passages it cites, and what placeholders of the plan were filled with.

Knows keys (passage ids or titles) and strings only. Whether a cited passage bears out the sentence is the reader's
business, not judged here: these ask whether the cited passages are those that annotators marked as needed.
"""

from collections.abc import Collection, Sequence

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


def binding_accuracy(bound: Sequence[Sequence[str]], golds: Collection[str], k: int = 1) -> float | None:
    """Share of placeholders with a gold intermediate answer, after normalisation, among their first k candidates.

    Args:
        bound: for each placeholder of a bridge the texts that it may stand for, the most probable first; a placeholder
            that is bound in two hops counts twice.
        golds: answers of the decomposition's inner steps, in any order: a plan need not take the annotators' path.
        k: candidates of each placeholder that are looked at.

    Returns:
        0 to 1; None when nothing was bound or the intermediate answers are not known.

    >>> binding_accuracy([["The Beatles"], ["Oasis", "Beatles"]], ["Beatles"])
    0.5
    >>> binding_accuracy([["The Beatles"], ["Oasis", "Beatles"]], ["Beatles"], k=2)
    1.0
    """
    if not bound or not golds:
        return None
    known = {normalize_answer(gold) for gold in golds}
    right = [any(text.strip() and normalize_answer(text) in known for text in texts[:k]) for texts in bound]
    return sum(right) / len(right)
