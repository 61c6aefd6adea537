from tools.evidence import attention_order, choose_covering, compress, distinct, jaccard, share, tokens


def test_near_copies_point_to_the_better_one() -> None:
    assert distinct([{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}, {"x"}], 0.8) == {0: 0, 1: 0, 2: 2}
    assert distinct([{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}], 0.9) == {0: 0, 1: 1}


def test_coverage_prefers_the_new_to_the_relevant() -> None:
    covers = [{"a", "b"}, {"a", "b"}, {"c"}]
    chosen = choose_covering([1.0, 0.9, 0.5], covers, {"a", "b", "c"}, alpha=0.3, min_gain=0.0)
    assert chosen == [0, 2, 1]


def test_alpha_of_one_is_the_ranking() -> None:
    assert choose_covering([0.2, 1.0, 0.5], [set(), set(), {"x"}], {"x"}, alpha=1.0, min_gain=0.0) == [1, 2, 0]


def test_it_stops_when_little_is_gained_but_keeps_what_is_required() -> None:
    relevance, covers = [1.0, 0.001, 0.001], [{"a"}, set[str](), set[str]()]
    assert choose_covering(relevance, covers, {"a"}, alpha=0.5, min_gain=0.1) == [0]
    assert choose_covering(relevance, covers, {"a"}, alpha=0.5, min_gain=0.1, required={2}) == [0, 2]


def test_nothing_is_chosen_from_nothing() -> None:
    assert choose_covering([], [], {"a"}, alpha=0.5, min_gain=0.1) == []


def test_a_greedy_hop_leaves_tokens_to_the_other() -> None:
    fits = share([50, 50, 50], ["n1", "n1", "n2"], {"n1": 0.9, "n2": 0.9}, 100)
    assert fits == [True, False, True]


def test_what_is_required_comes_before_all_shares() -> None:
    assert share([60, 60], ["n1", "n2"], {"n1": 0.9, "n2": 0.1}, 100, [False, True]) == [False, True]


def test_never_more_than_the_budget() -> None:
    costs = [40, 70, 30, 20]
    fits = share(costs, ["n1", "n2", "n1", "n3"], {"n1": 0.1, "n2": 0.8, "n3": 0.3}, 100)
    assert sum(c for c, fit in zip(costs, fits, strict=True) if fit) <= 100


def test_the_best_stand_at_the_ends() -> None:
    assert attention_order(["1st", "2nd", "3rd", "4th"]) == ["1st", "3rd", "4th", "2nd"]
    assert attention_order([]) == []


def test_compression_keeps_the_subject_and_what_is_relevant() -> None:
    scored = [("Ada was a countess. ", 0.0), ("She liked horses. ", 0.1), ("She was born in London.", 0.9)]
    assert compress("…", lambda _: scored, 0.5) == "Ada was a countess. She was born in London."


def test_small_measures() -> None:
    assert jaccard([], []) == 0.0
    assert tokens("") == 0
