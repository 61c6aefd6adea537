"""Labelled rows for the ranker's two passes, made by the very code that searches.

Every question is asked in the pool of its own set, and every second one in a pool of all sets, so that pools of
differing sizes are seen; some of them also by words alone or by meaning alone. Folds are drawn by the hash of the
question, so that a question is in the same fold in every pool. Knows nothing of LightGBM.
"""

import hashlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from evaluation.datasets.loading import question_key
from evaluation.datasets.pooling import gold_documents
from evaluation.datasets.records import Question
from models.embedder import Embedder
from models.ranker import Floats
from stores.base import PassageStore
from stores.records import Vector
from tools.candidates import Gathering, Pool
from tools.learned_ranking import Score, first_pass, second_pass
from tools.rank_features import Table

FOLDS = 4
EMBEDDED_AT_ONCE = 64


class Asked(NamedTuple):
    """A question to be asked in a pool."""

    set_name: str
    namespace: str
    question: str
    gold: frozenset[str]
    """Keys of the supporting paragraphs."""
    vector: Vector
    fold: int
    mode: Literal["hybrid", "bm25", "dense"] = "hybrid"


class Rows(NamedTuple):
    """The candidates of one question in one pass."""

    asked: Asked
    documents: list[str]
    """Key of each candidate's document."""
    features: Floats
    labels: Floats
    """1 for a supporting paragraph."""


def fold_of(question: str) -> int:
    """The same for the same question in whatever file."""
    return hashlib.blake2b(question_key(question).encode(), digest_size=2).digest()[0] % FOLDS


def to_ask(set_name: str, questions: Sequence[Question], namespaces: Sequence[str], embedder: Embedder) -> list[Asked]:
    """Every question in the first pool, every second one in each other, every third also by words or meaning alone."""
    asked = []
    for start in range(0, len(questions), EMBEDDED_AT_ONCE):
        part = questions[start : start + EMBEDDED_AT_ONCE]
        vectors = embedder.embed_queries([q["question"] for q in part])
        for number, (q, vector) in enumerate(zip(part, vectors, strict=True), start=start):
            text, gold = q["question"], frozenset(gold_documents(q))
            one = Asked(set_name, namespaces[0], text, gold, vector, fold_of(text))
            asked.append(one)
            if number % 2 == 0:
                asked += [one._replace(namespace=namespace) for namespace in namespaces[1:]]
            if number % 6 in (1, 4):
                asked.append(one._replace(mode="dense" if number % 2 else "bm25"))
    return asked


async def first_rows(store: PassageStore, asked: Asked) -> Rows:
    """Rows of the first pass."""
    pool, gathering = await _begin(store, asked)
    return _rows(asked, pool, await first_pass(gathering, pool))


async def second_rows(store: PassageStore, asked: Asked, score: Score) -> Rows:
    """Rows of the second pass, after a first one by trees that have not seen the question."""
    pool, gathering = await _begin(store, asked)
    _, table = await second_pass(gathering, pool, await first_pass(gathering, pool), score)
    return _rows(asked, pool, table)


async def _begin(store: PassageStore, asked: Asked) -> tuple[Pool, Gathering]:
    gathering = Gathering(store, asked.namespace)
    vector = None if asked.mode == "bm25" else asked.vector
    return await gathering.begin(asked.question, vector, words=asked.mode != "dense"), gathering


def _rows(asked: Asked, pool: Pool, table: Table) -> Rows:
    documents = [pool.passages[i]["document_id"] for i in table.ids]
    labels = np.array([document in asked.gold for document in documents], np.float32)
    return Rows(asked, documents, table.rows, labels)


def recall(rows: Rows, scores: Floats, k: int | None) -> float:
    """Recall@k of one question; None: of its candidates."""
    ranked = [rows.documents[place] for place in np.argsort(-scores, kind="stable")]
    return len(set(list(dict.fromkeys(ranked))[:k]) & rows.asked.gold) / len(rows.asked.gold)
