from tests.fakes import hit
from tools.ranking import Found, PreferredHit, hop_fusion, hop_ranking, merge_hits, reciprocal_rank_fusion


def test_fusion_rewards_being_found_twice() -> None:
    fused = reciprocal_rank_fusion([["a", "b"], ["c", "b"]])
    assert max(fused, key=lambda i: fused[i]) == "b"


def test_one_ranking_is_kept_as_it_is() -> None:
    hits = [hit("A", score=3.0), hit("B", score=9.0)]
    assert merge_hits([hits]) == hits


def test_merged_rankings_hold_each_passage_once() -> None:
    merged = merge_hits([[hit("A"), hit("B")], [hit("B"), hit("C")]])
    assert [h["title"] for h in merged] == ["B", "A", "C"]


def test_what_only_one_of_two_queries_found_counts_half() -> None:
    merged = merge_hits([[hit("A", score=0.9), hit("B", score=0.6)], [hit("B", score=0.6), hit("C", score=0.2)]])
    assert [(h["title"], round(h["score"], 2)) for h in merged] == [("B", 0.6), ("A", 0.45), ("C", 0.1)]


def test_what_is_near_stays_first_when_rankings_are_merged() -> None:
    near = PreferredHit(**hit("B", score=0.1), near=True)
    merged = merge_hits([[near, hit("A", score=0.9)], [near, hit("C", score=0.8)]])
    assert [(h["title"], h["score"]) for h in merged] == [("B", 0.1), ("A", 0.45), ("C", 0.4)]


def found(hop: str = "n1", rank: int = 1, confidence: float = 0.9, score: float = 1.0) -> list[Found]:
    return [Found(hop, rank, confidence, score, asked=hop == "n0")]


def test_a_doubtful_hop_weighs_less() -> None:
    scores = hop_ranking({"a": found(), "b": found("n2", confidence=0.3)})
    assert scores["a"] > scores["b"]


def test_of_what_the_question_itself_found_that_comes_first_which_a_hop_found_too() -> None:
    scores = hop_ranking({"a": found("n0", score=0.5), "b": [*found("n0", score=0.45), *found("n2")]})
    assert scores["b"] > scores["a"]


def test_what_the_question_itself_found_for_sure_comes_before_what_a_hop_found() -> None:
    scores = hop_ranking({"a": found("n0", score=0.9), "b": found("n1")})
    assert scores["a"] > scores["b"]


def test_a_hops_first_passage_is_most_of_what_it_found() -> None:
    scores = hop_ranking({"a": found(), "b": found(rank=2), "c": found(rank=3)})
    assert scores["a"] > scores["b"] > scores["c"]


def test_plain_fusion_looks_at_ranks_alone() -> None:
    scores = hop_fusion({"a": found(confidence=0.1, score=0.1), "b": found()})
    assert scores["a"] == scores["b"] == 1.0
