"""Sampled plans: shares, the plan that stands for all, entropy."""

import math

import numpy as np
import pytest

from models.sampling import agree, compared, cosine_similarity, entropy, word_similarity
from prompts.plan import PlanGraph


def plan(*queries: str, confidence: float = 0.8) -> PlanGraph:
    """A chain of nodes."""
    nodes = [
        {"id": f"n{i}", "op": "bridge" if i > 1 else "lookup", "query": query, "confidence": confidence,
         "depends_on": [f"n{i - 1}"] if i > 1 else []}
        for i, query in enumerate(queries, 1)
    ]  # fmt: skip
    return PlanGraph(question="q", nodes=nodes)


def by_words(*plans: PlanGraph) -> PlanGraph:
    return agree(plans, word_similarity(compared(plans))).plan


class TestShares:
    def test_confidence_is_the_stated_one_times_the_share_of_plans_that_hold_the_node(self) -> None:
        chosen = by_words(
            plan("director of Jaws", "his age"), plan("Who was the director of Jaws?", "his age"), plan("Jaws")
        )
        assert [n.query for n in chosen.nodes] == ["director of Jaws", "his age"]
        assert [n.confidence for n in chosen.nodes] == pytest.approx([0.8 * 2 / 3] * 2, abs=1e-4)

    def test_one_plan_alone_stays_as_it_is(self) -> None:
        alone = plan("director of Jaws", "birthplace of {n1}")
        assert by_words(alone) == alone

    def test_the_numbers_of_placeholders_do_not_count(self) -> None:
        other = plan("x y z", "director of Jaws", "birthplace of {n2}")
        chosen = by_words(plan("director of Jaws", "birthplace of {n1}"), other)
        assert [n.confidence for n in chosen.nodes] == [0.8, 0.8]

    def test_by_meaning_other_words_are_the_same(self) -> None:
        plans = [plan("director of Jaws"), plan("Jaws filmmaker")]
        alike = cosine_similarity(np.array([[1, 0], [3, 0.3]], dtype=np.float32))
        assert agree(plans, alike).plan.nodes[0].confidence == 0.8
        assert by_words(*plans).nodes[0].confidence == 0.4


class TestChoice:
    def test_the_plan_nearest_to_the_others_is_taken(self) -> None:
        odd, usual = plan("population of Rome"), plan("director of Jaws", "his birthplace")
        assert [n.query for n in by_words(odd, usual, usual).nodes] == ["director of Jaws", "his birthplace"]

    def test_a_part_of_what_most_plan_is_not_nearest(self) -> None:
        part, whole = plan("director of Jaws"), plan("director of Jaws", "his birthplace")
        assert len(by_words(part, whole, whole).nodes) == 2

    def test_of_equals_the_first(self) -> None:
        assert by_words(plan("a town"), plan("a river")).nodes[0].query == "a town"


class TestEntropy:
    def test_it_counts_signatures_not_words(self) -> None:
        assert entropy([plan("a", "b"), plan("c", "d")]) == 0

    @pytest.mark.parametrize(
        ("lengths", "bits"), [([1], 0), ([1, 2], 1), ([1, 1, 2, 2], 1), ([1, 2, 3, 4, 5], math.log2(5))]
    )
    def test_bits(self, lengths: list[int], bits: float) -> None:
        assert entropy([plan(*"abcde"[:n]) for n in lengths]) == pytest.approx(bits, abs=1e-4)

    def test_a_minority_weighs_by_its_share(self) -> None:
        assert entropy([plan("a")] * 3 + [plan("a", "b")]) == pytest.approx(0.8113, abs=1e-4)
