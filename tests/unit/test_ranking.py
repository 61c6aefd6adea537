from tests.fakes import hit
from tools.ranking import Measured, hop_ranking, linked_ranking, merge_hits, reciprocal_rank_fusion


def test_fusion_rewards_being_found_twice() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["c", "b"]])
    assert max(fused, key=lambda i: fused[i]) == "b"


def test_a_linked_passage_overtakes_an_equal_one() -> None:
    ranked = linked_ranking(
        [Measured("top", rrf=1.0), Measured("x", rrf=0.4), Measured("y", rrf=0.4, linked_from=["top"])]
    )
    assert [m.id for m in ranked] == ["top", "y", "x"]


def test_a_named_title_overtakes_and_near_comes_first() -> None:
    ranked = linked_ranking(
        [Measured("x", rrf=0.6), Measured("named", rrf=0.3, title_match=1.0), Measured("near", rrf=0.3, near=True)]
    )
    assert [m.id for m in ranked] == ["near", "named", "x"]


def test_a_link_to_something_that_was_not_found_counts_nothing() -> None:
    assert linked_ranking([Measured("x", rrf=0.4, linked_from=["gone"])])[0].score == 0.4


def test_one_ranking_is_kept_as_it_is() -> None:
    hits = [hit("A", score=3.0), hit("B", score=9.0)]
    assert merge_hits([hits]) == hits


def test_merged_rankings_hold_each_passage_once() -> None:
    merged = merge_hits([[hit("A"), hit("B")], [hit("B"), hit("C")]])
    assert [h["title"] for h in merged] == ["B", "A", "C"]


def test_a_doubtful_hop_weighs_less() -> None:
    scores = hop_ranking({"a": [("n1", 1, 0.9)], "b": [("n2", 1, 0.3)]}, {})
    assert scores["a"] > scores["b"]


def test_the_union_rewards_title_and_link_only_where_measured() -> None:
    found = {"a": [("n0", 1, 1.0)], "b": [("n0", 1, 1.0)]}
    hits = {"b": hit("b", title_match=1.0, linked_from=["a"])}
    assert hop_ranking(found, hits)["b"] > hop_ranking(found, hits)["a"]
    assert hop_ranking(found, {})["b"] == hop_ranking(found, {})["a"]
