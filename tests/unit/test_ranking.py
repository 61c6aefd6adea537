from tests.fakes import hit
from tools.ranking import Found, Measured, hop_fusion, hop_ranking, linked_ranking, merge_hits, reciprocal_rank_fusion


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


def found(hop: str = "n1", rank: int = 1, confidence: float = 0.9, relative: float = 1.0) -> list[Found]:
    return [Found(hop, rank, confidence, relative)]


HITS = {i: hit(i) for i in "ab"}


def test_a_doubtful_hop_weighs_less() -> None:
    scores = hop_ranking({"a": found(), "b": found("n2", confidence=0.3)}, HITS)
    assert scores["a"] > scores["b"]


def test_what_two_hops_found_comes_before_what_one_found() -> None:
    scores = hop_ranking({"a": found(), "b": [*found(rank=2), *found("n2", rank=1)]}, HITS)
    assert scores["b"] > scores["a"]


def test_the_union_rewards_a_named_title() -> None:
    hits = {"a": hit("a"), "b": hit("b", title_match=1.0)}
    scores = hop_ranking({"a": found(), "b": found()}, hits)
    assert scores["b"] > scores["a"]


def test_plain_fusion_looks_at_ranks_alone() -> None:
    scores = hop_fusion({"a": found(confidence=0.1, relative=0.1), "b": found()})
    assert scores["a"] == scores["b"] == 1.0
