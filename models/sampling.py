"""Self-consistency of sampled plans: which nodes most of them hold, which plan stands for all, how far they disagree.

Pure functions over plans and similarities. After Wang et al. 2022 (arXiv 2203.11171): what a model says again when
asked again is more likely right.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from models.questions import content_terms
from prompts.plan import PlanGraph, fill
from stores.records import Matrix

SIMILAR = 0.8
"""Queries of this similarity ask for the same."""


class Agreement(NamedTuple):
    """What several plans of one question come to."""

    plan: PlanGraph
    """The plan nearest to all others; the confidence of its nodes is the stated one × the share of plans that hold a
    node like it."""
    chosen: int
    """Which of them that is."""
    entropy: float
    """Bits over the plans' signatures: 0 when all have the same operators and edges, log₂ n when all differ."""


def compared(plans: Sequence[PlanGraph]) -> list[str]:
    """The distinct queries as they are compared: without placeholders, whose numbers differ from plan to plan."""
    return list(dict.fromkeys(text for plan in plans for text in _texts(plan)))


def word_similarity(texts: Sequence[str]) -> Matrix:
    """Jaccard similarity of the content terms of each two texts, shape (n, n); 1 of a text with itself.

    >>> word_similarity(["director of Jaws", "Who is the director of Jaws?", "Jaws"])[0].tolist()
    [1.0, 1.0, 0.5]
    """
    terms = [frozenset(content_terms(text)) for text in texts]
    alike = np.eye(len(texts), dtype=np.float32)
    for i, a in enumerate(terms):
        for j, b in enumerate(terms[:i]):
            alike[i, j] = alike[j, i] = len(a & b) / len(a | b) if a | b else 1.0
    return alike


def cosine_similarity(vectors: Matrix) -> Matrix:
    """Cosine of each two rows, shape (n, n)."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return np.asarray(unit @ unit.T, dtype=np.float32)


def agree(plans: Sequence[PlanGraph], similarity: Matrix) -> Agreement:
    """Take the plan that stands for all, and weigh its nodes by how many plans hold them.

    The plan taken is the medoid: how near two plans are is the mean of the shares of nodes of each that the other
    holds, so that neither a part of what most plan wins, nor a plan with something of all. Ties go to the first.

    Args:
        plans: one or more, none of them empty.
        similarity: of the texts of `compared(plans)`, in that order.
    """
    position = {text: i for i, text in enumerate(compared(plans))}
    rows = [[position[text] for text in _texts(plan)] for plan in plans]
    holds = np.stack([(similarity[:, row] >= SIMILAR).any(axis=1) for row in rows])  # plan × text
    held = np.array([[holds[other, row].mean() for other in range(len(plans))] for row in rows])
    chosen = int(np.argmax((held + held.T).mean(axis=1).round(9)))
    shares = holds[:, rows[chosen]].mean(axis=0)
    nodes = [
        node.model_copy(update={"confidence": round(node.confidence * float(share), 4)})
        for node, share in zip(plans[chosen].nodes, shares, strict=True)
    ]
    return Agreement(PlanGraph(question=plans[chosen].question, nodes=nodes), chosen, entropy(plans))


def entropy(plans: Sequence[PlanGraph]) -> float:
    """−Σ p log₂ p over the distinct signatures of the plans, in bits."""
    counts = Counter(plan.signature() for plan in plans).values()
    return round(sum(count / len(plans) * math.log2(len(plans) / count) for count in counts), 4)


def _texts(plan: PlanGraph) -> list[str]:
    return [fill(node.query, {}).casefold() for node in plan.nodes]
