import json
from typing import Any

from models.completeness import WEIGHTS, completeness, completeness_features
from nodes.check import judge, searched
from prompts.answer import Evidence
from tests.fakes import FakeReader

QUESTION = "Where was the director of Big Stone Gap born?"


def evidence(title: str, text: str) -> Evidence:
    return Evidence(ids=["n1.1"], passage_id="p", document_id="d", title=title, text=text, compressed=False, score=1.0)


FILM = evidence("Big Stone Gap (film)", "Big Stone Gap is a film directed by Adriana Trigiani.")


def test_a_question_of_two_steps_lacks_something_when_its_second_passage_is_doubtful() -> None:
    both = completeness(QUESTION, [[0.95, 0.9, 0.05], [0.9], [0.9]], [FILM])
    one = completeness(QUESTION, [[0.9, 0.1, 0.05], [0.9], [0.3]], [FILM])
    assert both > 0.8 > 0.7 > one


def test_a_single_question_may_need_one_passage_only() -> None:
    scores = [[0.9, 0.2]]
    alone = completeness("Who directed Big Stone Gap?", [*scores, [0.9]], [FILM])
    of_two = completeness("Who directed Big Stone Gap?", [*scores, [0.9], [0.9]], [FILM])
    assert alone > of_two


def test_names_of_the_question_that_stand_nowhere_tell_that_something_is_missing() -> None:
    features = dict(completeness_features("Did Ann Lee direct Big Stone Gap?", [[0.9]], [FILM]))
    assert (features["unnamed"], features["untitled"]) == (0.5, 0.5)
    weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    assert weights["unnamed"] < 0


def test_nothing_found_is_met_with_a_probability() -> None:
    assert 0 <= completeness("", [], []) < completeness(QUESTION, [[0.9, 0.9]], [FILM])


def test_the_weights_are_of_features_that_there_are() -> None:
    told = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    known = {
        name for found in ([[0.5]], [[0.5], [0.5], [0.5]]) for name, _ in completeness_features(QUESTION, found, [FILM])
    }
    assert set(told) <= known


def state(*hops: dict[str, Any], **changes: Any) -> Any:
    nodes = [{"id": hop["id"], "query": hop["query"]} for hop in hops if hop["id"] != "n0"]
    whole = {
        "question": QUESTION,
        "answer": "Big Stone Gap",
        "hops": {hop["id"]: hop for hop in hops},
        "plan_graph": {"nodes": nodes},
        "fallbacks": [],
        "explanation": "It was Big Stone Gap [n1.1].",
        "evidence": [FILM],
        "citations": [{"id": "n1.1", "document_id": "d", "title": "Big Stone Gap (film)", "text": ""}],
    }
    return {**whole, **changes}


def hop(name: str, *scores: float, query: str = "Big Stone Gap", ranked: bool = True) -> dict[str, Any]:
    why = {"why": {"bm25": 1.0}} if ranked else {}
    hits = [{"id": f"p{n}", "score": score, **why} for n, score in enumerate(scores)]
    return {"id": name, "query": query, "bound_query": query, "bindings": [], "passages": hits}


def test_the_questions_own_search_comes_first_then_what_was_planned() -> None:
    assert searched(state(hop("n1", 0.7), hop("n0", 0.9, 0.4))) == [[0.9, 0.4], [0.7]]


def test_without_a_search_of_its_own_all_that_was_found_stands_for_it() -> None:
    assert searched(state(hop("n1", 0.7, 0.2), hop("n2", 0.6))) == [[0.7, 0.2], [0.7, 0.2], [0.6]]


def test_searches_of_a_second_round_do_not_count() -> None:
    tried = [{"trigger": ["unsupported"], "queries": ["Big Stone"]}]
    assert searched(state(hop("n0", 0.9), hop("n1", 0.1, query="Big Stone"), fallbacks=tried)) == [[0.9]]


def test_scores_that_are_no_probabilities_leave_the_confidence_alone() -> None:
    plain = state(hop("n0", 0.03, 0.02, ranked=False))
    assert searched(plain) == []
    assert judge(plain, FakeReader(supported=0.8))[1] == 0.8


def test_a_missing_passage_makes_an_answer_less_sure_but_no_less_supported() -> None:
    whole, lacking = (state(hop("n0", 0.95, second), hop("n1", 0.9), hop("n2", 0.9)) for second in (0.9, 0.02))
    checks = [judge(one, FakeReader(supported=0.8)) for one in (whole, lacking)]
    assert checks[0][1] > checks[1][1] > 0
    assert checks[0][0] == checks[1][0]
