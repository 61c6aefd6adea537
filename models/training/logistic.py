"""Logistic models over named features: binary, and softmax over groups. Needs scipy; knows nothing of reading."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from models.span_features import Feature

Weights = dict[str, float]
Vector = Any


def matrix(rows: Sequence[Sequence[Feature]], names: dict[str, int], *, grow: bool) -> Any:
    """Features as a sparse matrix, shape (rows, names); `grow` admits new names."""
    values, columns, starts = [], [], [0]
    for row in rows:
        for name, value in row:
            if value and (grow or name in names):
                columns.append(names.setdefault(name, len(names)))
                values.append(value)
        starts.append(len(columns))
    return csr_matrix((values, columns, starts), shape=(len(rows), len(names)))


def minimise(
    loss: Callable[[Vector], tuple[float, Vector]], size: int, names: dict[str, int], steps: int = 300
) -> Weights:
    """L-BFGS from zero; returns weights by name."""
    found = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    return {name: float(found[number]) for name, number in names.items()}


def fit_logistic(
    rows: Sequence[Sequence[Feature]], labels: Sequence[float], weights: Sequence[float], l2: float = 1e-3
) -> Weights:
    """Binary logistic regression; `weights` of the rows need not sum to 1."""
    names: dict[str, int] = {}
    features = matrix(rows, names, grow=True)
    target, share = np.array(labels), np.array(weights) / np.sum(weights)

    def loss(w: Vector) -> tuple[float, Vector]:
        p = 1 / (1 + np.exp(-np.clip(features @ w, -30, 30)))
        cost = -np.sum(share * (target * np.log(p + 1e-12) + (1 - target) * np.log(1 - p + 1e-12)))
        return float(cost + l2 * w @ w / 2), features.T @ (share * (p - target)) + l2 * w

    return minimise(loss, len(names), names)


def fit_softmax(
    rows: Sequence[Sequence[Feature]], question_of: Vector, good: Vector, share: Vector, l2: float
) -> Weights:
    """Softmax over the rows of each group: raise the share of the good ones; `share` weighs the groups, sums to 1."""
    names: dict[str, int] = {}
    features = matrix(rows, names, grow=True)
    count = len(share)

    def loss(w: Vector) -> tuple[float, Vector]:
        scores = features @ w
        top = np.full(count, -1e9)
        np.maximum.at(top, question_of, scores)
        raw = np.exp(scores - top[question_of])
        p = raw / np.bincount(question_of, raw, count)[question_of]
        mass = np.maximum(np.bincount(question_of, p * good, count), 1e-12)
        gradient = p - p * good / mass[question_of]
        cost = -np.sum(share * np.log(mass)) + l2 * w @ w / 2
        return float(cost), features.T @ (gradient * share[question_of]) + l2 * w

    return minimise(loss, len(names), names)
