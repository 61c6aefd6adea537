"""The shipped sample is what its README says: every answer stands in the supporting passages, every hop is a link."""

import json
import re
from collections import Counter
from itertools import pairwise
from typing import Any, get_args

import pytest

from evaluation.sample import Question, QuestionType, passages_path, questions
from prompts.plan import Operator, placeholders, repair

PASSAGES: list[dict[str, Any]] = [json.loads(line) for line in passages_path().read_text(encoding="utf-8").splitlines()]
QUESTIONS = questions()
ANSWERABLE = [q for q in QUESTIONS if q["type"] != "unanswerable"]


def each(chosen: list[Question]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("question", chosen, ids=[q["id"] for q in chosen])


def of_type(*types: str) -> list[Question]:
    return [q for q in QUESTIONS if q["type"] in types]


def titled(title: str) -> list[dict[str, Any]]:
    return [p for p in PASSAGES if p["title"] == title]


def names(title: str) -> set[str]:
    aliases = {alias for p in titled(title) for alias in p.get("aliases", [])}
    return {title, re.sub(r" \(.*\)$", "", title)} | aliases


def stands_in(phrase: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text) is not None


def text_of(titles: list[str]) -> str:
    return "\n".join(p["text"] for title in titles for p in titled(title))


def names_one_of(title: str, other: str) -> bool:
    return any(stands_in(name, p["text"]) for name in names(other) for p in titled(title))


def test_ids_are_unique() -> None:
    for rows in (PASSAGES, QUESTIONS):
        assert [i for i, n in Counter(row["id"] for row in rows).items() if n > 1] == []


def test_passages_have_the_promised_form() -> None:
    for passage in PASSAGES:
        assert set(passage) - {"aliases"} == {"id", "title", "text"}, passage["id"]
        assert 250 <= len(passage["text"]) <= 600, passage["id"]
        assert passage["title"] not in passage.get("aliases", []), passage["id"]


def test_some_titles_occur_twice() -> None:
    twice = {title for title, n in Counter(p["title"] for p in PASSAGES).items() if n == 2}

    assert twice == {"Europa", "Pluto", "Paris, Texas", "Elizabeth Taylor"}


def test_counts() -> None:
    counts = Counter(q["type"] for q in QUESTIONS)

    assert len(PASSAGES) >= 150
    assert counts == Counter(
        bridge=20, comparison=10, yes_no=8, three_hop=8, unanswerable=7, intersection=4, aggregate=3
    )
    assert set(counts) == set(get_args(QuestionType))
    assert len({q["question"] for q in QUESTIONS}) == len(QUESTIONS)


@each(ANSWERABLE)
def test_supporting_passages_exist(question: Question) -> None:
    assert question["supporting"]
    assert [title for title in question["supporting"] if not titled(title)] == []


@each(of_type("bridge", "three_hop", "comparison", "intersection"))
def test_the_answer_stands_in_a_supporting_passage(question: Question) -> None:
    assert stands_in(question["answer"], text_of(question["supporting"]))


@each(of_type("aggregate"))
def test_every_item_stands_in_a_passage_of_its_own(question: Question) -> None:
    if question["answer"].isdigit():
        assert int(question["answer"]) == len(question["supporting"])
        return
    items = re.split(r", | and ", question["answer"])
    assert len(items) == len(question["supporting"])
    assert all(stands_in(item, text_of([title])) for item, title in zip(items, question["supporting"], strict=True))


@each(of_type("yes_no"))
def test_yes_no_questions_answer_yes_or_no(question: Question) -> None:
    assert question["answer"] in ("yes", "no")


def test_no_answer_form_is_the_majority() -> None:
    assert Counter(q["answer"] for q in of_type("yes_no")) == {"yes": 4, "no": 4}
    first = [q for q in of_type("comparison") if re.search(rf", (the )?{re.escape(q['answer'])} or ", q["question"])]
    assert len(first) == len(of_type("comparison")) / 2


@each(of_type("bridge", "three_hop"))
def test_every_hop_is_a_link(question: Question) -> None:
    for one, other in pairwise(question["supporting"]):
        assert names_one_of(one, other) or names_one_of(other, one), f"{one} does not lead to {other}"


@each(of_type("bridge", "three_hop"))
def test_the_last_hop_is_needed(question: Question) -> None:
    assert not stands_in(question["answer"], text_of(question["supporting"][:-1]))
    assert stands_in(question["answer"], text_of(question["supporting"][-1:]))


@each(of_type("bridge", "three_hop"))
def test_the_question_does_not_name_the_last_passage(question: Question) -> None:
    assert [name for name in names(question["supporting"][-1]) if stands_in(name, question["question"])] == []


@each(of_type("unanswerable"))
def test_unanswerable_questions_have_neither_answer_nor_support(question: Question) -> None:
    assert (question["answer"], question["aliases"], question["supporting"]) == ("", [], [])


def test_some_hops_are_found_only_by_another_name() -> None:
    hops = [hop for q in of_type("bridge", "three_hop") for hop in pairwise(q["supporting"])]
    plain = {title: {title, re.sub(r" \(.*\)$", "", title)} for hop in hops for title in hop}
    named = [(one, other) for one, other in hops if names_one_of(one, other)]
    by_alias = [hop for hop in named if not any(stands_in(name, text_of([hop[0]])) for name in plain[hop[1]])]

    assert len(by_alias) >= 4


def test_the_demo_asks_three_kinds() -> None:
    assert [q["type"] for q in QUESTIONS if q.get("demo")] == ["bridge", "comparison", "three_hop"]


def test_each_operator_has_one_question() -> None:
    assert sorted(q["operator"] for q in QUESTIONS if "operator" in q) == sorted(get_args(Operator))


@each([q for q in QUESTIONS if "operator" in q])
def test_a_plan_needs_no_repair_and_ends_in_its_operator(question: Question) -> None:
    plan, repaired = repair(question["plan"], question["question"], max_nodes=8)

    assert repaired == []
    assert plan.nodes[-1].op == question["operator"]
    assert all(set(placeholders(node.query)) <= set(node.depends_on) for node in plan.nodes)
