"""Each official layout, and one's own, read into one form; the records are written for these tests."""

import copy
from typing import Any

import pytest

from evaluation.datasets.loading import READERS, recognise
from evaluation.datasets.records import Layout, Question
from tools.formats import Unreadable

HOTPOTQA = {
    "_id": "h1",
    "question": "Into which river does the river of Bern flow?",
    "answer": "Rhine",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Bern", 1], ["Aare", 0], ["Bern", 0]],
    "context": [
        ["Thun", ["Thun is a town.", " It lies on a lake."]],
        ["Aare", ["The Aare flows into the Rhine.", " It is long."]],
        ["Bern", ["Bern is a city.", " It lies on the Aare."]],
    ],
}
TWO_WIKI = {
    **HOTPOTQA,
    "type": "compositional",
    "context": [["Aare", ["It flows.", "It is long."]], ["Bern", ["A city.", "On the Aare."]]],
    "evidences": [["Bern", "river", "Aare"], ["Aare", "mouth", "Rhine"]],
    "answer_id": "Q584",
}
MUSIQUE = {
    "id": "2hop__12_34",
    "question": "Into which river does the river of Bern flow?",
    "answer": "Rhine",
    "answer_aliases": ["the Rhine"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Aare", "paragraph_text": "It flows into the Rhine.", "is_supporting": True},
        {"idx": 1, "title": "Bern", "paragraph_text": "A street.", "is_supporting": False},
        {"idx": 2, "title": "Bern", "paragraph_text": "It lies on the Aare.", "is_supporting": True},
    ],
    "question_decomposition": [
        {"id": 12, "question": "Bern >> river", "answer": "Aare", "paragraph_support_idx": 2},
        {"id": 34, "question": "Where does #1 flow?", "answer": "Rhine", "paragraph_support_idx": 0},
    ],
}
PARAGRAPH = {
    "context": "Bern lies on the Aare.",
    "qas": [
        {"id": "s1", "question": "Where?", "answers": [{"text": "the Aare"}, {"text": "Aare"}, {"text": "the Aare"}]},
        {"id": "s2", "question": "Who?", "is_impossible": True, "answers": [], "plausible_answers": [{"text": "Bern"}]},
    ],
}
SQUAD = {"title": "Bern_(city)", "paragraphs": [PARAGRAPH]}
SQUAD_ROW = {
    "id": "s1",
    "title": "Bern_(city)",
    "context": "Bern lies on the Aare.",
    "question": "Where?",
    "answers": {"text": ["the Aare", "Aare"], "answer_start": [13, 17]},
}
LMCACHE = {"id": 1, "question": "What is it?", "expected_answer": "A cache.", "key_facts": ["cache"]}


def read(layout: Layout, record: dict[str, Any]) -> list[Question]:
    return list(READERS[layout](copy.deepcopy(record)))


def gold(question: Question) -> list[tuple[str, str, list[str]]]:
    """Title, text and sentences of each supporting paragraph."""
    by_key = {passage["key"]: passage for passage in question["passages"]}
    return [(s["title"], by_key[s["passage"]]["text"], s["sentences"]) for s in question["supporting"]]


def test_hotpotqa() -> None:
    (question,) = read("hotpotqa", HOTPOTQA)
    assert (question["id"], question["answer"], question["type"], question["hops"]) == ("h1", "Rhine", "bridge", 2)
    assert gold(question) == [
        ("Bern", "Bern is a city. It lies on the Aare.", ["Bern is a city.", "It lies on the Aare."]),
        ("Aare", "The Aare flows into the Rhine. It is long.", ["The Aare flows into the Rhine."]),
    ]
    assert [passage["title"] for passage in question["passages"]] == ["Thun", "Aare", "Bern"]


def test_a_fact_without_its_sentence_means_the_whole_paragraph() -> None:
    (question,) = read("hotpotqa", {**HOTPOTQA, "supporting_facts": [["Aare", -1], ["Bern", 9]]})
    assert [(title, sentences) for title, _, sentences in gold(question)] == [("Aare", []), ("Bern", [])]


def test_a_fact_whose_paragraph_was_not_retrieved_keeps_its_title() -> None:
    (question,) = read("hotpotqa", {**HOTPOTQA, "supporting_facts": [["Basel", 0]]})
    assert question["supporting"] == [{"title": "Basel", "passage": "", "sentences": []}]


def test_of_two_paragraphs_with_one_title_the_one_with_the_sentence_is_gold() -> None:
    context = [["Bern", ["A street."]], ["Bern", ["A city.", " On the Aare."]]]
    (question,) = read("hotpotqa", {**HOTPOTQA, "context": context, "supporting_facts": [["Bern", 1]]})
    assert gold(question) == [("Bern", "A city. On the Aare.", ["On the Aare."])]


def test_2wiki_puts_spaces_between_sentences_and_makes_steps_of_the_evidences() -> None:
    (question,) = read("2wiki", TWO_WIKI)
    assert question["passages"][0]["text"] == "It flows. It is long."
    assert [(step["question"], step["answer"]) for step in question["steps"]] == [
        ("Bern >> river", "Aare"),
        ("Aare >> mouth", "Rhine"),
    ]


def test_musique_follows_its_steps() -> None:
    (question,) = read("musique", MUSIQUE)
    assert (question["type"], question["hops"], question["aliases"]) == ("2hop", 2, ["the Rhine"])
    assert [text for _, text, _ in gold(question)] == ["It lies on the Aare.", "It flows into the Rhine."]
    assert [step["passage"] for step in question["steps"]] == [entry["passage"] for entry in question["supporting"]]


def test_an_unanswerable_question_has_no_answer() -> None:
    record: dict[str, Any] = copy.deepcopy({**MUSIQUE, "answerable": False})
    record["question_decomposition"][1]["paragraph_support_idx"] = None
    record["paragraphs"][0]["is_supporting"] = False
    (question,) = read("musique", record)
    assert (question["answerable"], question["answer"], question["aliases"]) == (False, "", [])
    assert question["steps"][0]["answer"] == "Aare"
    assert [text for _, text, _ in gold(question)] == ["It lies on the Aare."], "what is left"


def test_musique_has_no_fixed_number_of_steps() -> None:
    (question,) = read("musique", {**MUSIQUE, "id": "4hop3__1_2_3_4", "question_decomposition": []})
    assert (question["type"], question["hops"], question["steps"]) == ("4hop3", 4, [])


@pytest.mark.parametrize("record", [SQUAD, {**PARAGRAPH, "title": "Bern_(city)"}])
def test_squad_by_article_and_by_paragraph(record: dict[str, Any]) -> None:
    answered, impossible = read("squad", record)
    assert (answered["id"], answered["answer"], answered["aliases"]) == ("s1", "the Aare", ["Aare"])
    assert gold(answered) == [("Bern (city)", "Bern lies on the Aare.", [])]
    assert (impossible["answerable"], impossible["answer"], impossible["supporting"]) == (False, "", [])
    assert impossible["passages"] == answered["passages"]


def test_an_impossible_question_may_have_an_empty_answer() -> None:
    row = {**SQUAD_ROW, "answers": [{"text": ""}], "is_impossible": True}
    assert [q["answerable"] for q in read("squad", row)] == [False]


def test_lmcache() -> None:
    (question,) = read("lmcache", LMCACHE)
    assert (question["id"], question["answer"], question["key_facts"]) == ("1", "A cache.", ["cache"])
    assert question["passages"] == []


def test_rows_of_parquet_files_read_the_same() -> None:
    """HuggingFace's files hold tables as columns, or as JSON in a string."""

    def columns(table: list[list[Any]], *names: str) -> dict[str, list[Any]]:
        return {name: [row[place] for row in table] for place, name in enumerate(names)}

    facts, context = HOTPOTQA["supporting_facts"], HOTPOTQA["context"]
    assert isinstance(facts, list)
    assert isinstance(context, list)
    row = {**HOTPOTQA, "id": "h1", "supporting_facts": columns(facts, "title", "sent_id")}
    row |= {"context": columns(context, "title", "sentences")}
    del row["_id"]
    assert read("hotpotqa", row) == read("hotpotqa", HOTPOTQA)

    wiki: dict[str, Any] = TWO_WIKI
    row = {**wiki, "context": columns(wiki["context"], "title", "content"), "evidences": '[["Bern", "river", "Aare"]]'}
    assert read("2wiki", row)[0]["passages"] == read("2wiki", wiki)[0]["passages"]
    assert len(read("2wiki", row)[0]["steps"]) == 1
    assert read("squad", SQUAD_ROW)[0] == read("squad", SQUAD)[0]


def test_ones_own_questions_may_hold_little_or_much() -> None:
    (least,) = read("jsonl", {"question": "Who?", "answer": "Ada"})
    assert (least["answer"], least["hops"], least["passages"], least["supporting"]) == ("Ada", None, [], [])
    passages = [{"title": "Bern", "text": "A street."}, {"title": "Bern", "text": "A city."}, "Untitled."]
    much = {"answer": ["Aare", "the Aare"], "hops": 2, "passages": passages, "steps": ["Where?", {"question": "Who?"}]}
    (question,) = read(
        "jsonl", {"question": "Q?", **much, "supporting": ["Thun", {"title": "Bern", "text": "A city."}]}
    )
    assert (question["answer"], question["aliases"], question["hops"]) == ("Aare", ["the Aare"], 2)
    assert question["supporting"][0] == {"title": "Thun", "passage": "", "sentences": []}
    assert question["supporting"][1]["passage"] == question["passages"][1]["key"]
    assert [step["question"] for step in question["steps"]] == ["Where?", "Who?"]


@pytest.mark.parametrize(
    ("record", "answer", "aliases"),
    [
        ({"answer": True}, "yes", []),
        ({"answer": 1867}, "1867", []),
        ({"answer": "Ada", "aliases": ["Ada", "A. L."]}, "Ada", ["A. L."]),
        ({"golden_answers": ["Ada", "Lovelace"]}, "Ada", ["Lovelace"]),
        ({"answer": ""}, "", []),
        ({"answer": "Ada", "answerable": False}, "", []),
    ],
)
def test_answers_come_in_many_forms(record: dict[str, Any], answer: str, aliases: list[str]) -> None:
    (question,) = read("jsonl", {"question": "Who?", **record})
    assert (question["answer"], question["aliases"], question["answerable"]) == (answer, aliases, answer != "")


def test_the_passage_of_a_question_with_one_is_gold() -> None:
    (question,) = read("jsonl", {"question": "Is it?", "answer": "yes", "title": "Bern", "passage": "It is."})
    assert gold(question) == [("Bern", "It is.", [])]


LAYOUTS: list[tuple[Layout | None, dict[str, Any]]] = [
    ("hotpotqa", HOTPOTQA),
    ("hotpotqa", {**HOTPOTQA, "supporting_facts": []}),
    ("2wiki", TWO_WIKI),
    ("2wiki", {**HOTPOTQA, "type": "inference"}),
    ("musique", MUSIQUE),
    ("squad", SQUAD),
    ("squad", PARAGRAPH),
    ("squad", SQUAD_ROW),
    ("lmcache", LMCACHE),
    ("jsonl", {"question": "Who?", "golden_answers": ["Ada"]}),
    (None, {"title": "Bern", "text": "A city."}),
    (None, {"question": "Who?"}),
]


@pytest.mark.parametrize(("layout", "record"), LAYOUTS)
def test_a_layout_is_recognised_by_its_fields(layout: Layout | None, record: dict[str, Any]) -> None:
    assert recognise(record) == layout


@pytest.mark.parametrize(
    ("layout", "record", "said"),
    [
        ("hotpotqa", {"question": "Who?", "answer": "Ada"}, "has no 'context' (it has 'question', 'answer')"),
        ("hotpotqa", {**HOTPOTQA, "answer": None}, "has no 'answer'"),
        ("hotpotqa", {**HOTPOTQA, "context": "Bern is a city."}, "has a 'context' that is plain text, not a list"),
        ("hotpotqa", {**HOTPOTQA, "context": [["Bern"]]}, "has 'context' that is not a list of title, sentences"),
        ("hotpotqa", {**HOTPOTQA, "context": [["Bern", [1]]]}, "has sentences of 'Bern' that are not strings"),
        ("hotpotqa", {**HOTPOTQA, "context": {"title": []}}, "has a 'context' without 'title' and 'sentences"),
        ("hotpotqa", {**HOTPOTQA, "supporting_facts": [["Bern", "0"]]}, "has 'supporting_facts' that are not titles"),
        ("2wiki", {**TWO_WIKI, "evidences": [["Bern", "river", 1]]}, "has 'evidences' that are not triples of strings"),
        ("musique", HOTPOTQA, "has 'paragraphs' that is null, not a list of objects"),
        ("musique", {**MUSIQUE, "question_decomposition": ["Who?"]}, "has a 'question_decomposition' with a string"),
        ("squad", {"title": "Bern"}, "has neither 'paragraphs' nor 'context' (it has 'title')"),
        ("squad", {"context": "Bern", "qas": [{"question": "Who?"}]}, "has a question without a list of 'answers'"),
        ("squad", {"context": "Bern", "qas": {}}, "has 'qas' that is an object, not a list of objects"),
        ("lmcache", {"question": "Who?", "answer": "Ada"}, "has no 'key_facts'"),
        ("jsonl", {"question": ["Who?"], "answer": "Ada"}, "has a 'question' that is a list, not a string"),
        ("jsonl", {"question": "Who?", "answer": "Ada", "aliases": "A"}, "has 'aliases' that is not a list of strings"),
        ("jsonl", {"question": "Who?", "answer": "Ada", "passages": [3]}, "has a passage that is a number"),
        ("jsonl", {"question": "Who?", "answer": "Ada", "supporting": [3]}, "has a number in 'supporting'"),
        ("jsonl", {"question": "Who?", "answer": "Ada", "steps": [3]}, "has a step that is a number"),
        ("jsonl", {"question": "Who?", "answer": "Ada", "steps": "Who?"}, "has a 'steps' that is a string, not a list"),
    ],
)
def test_what_does_not_fit_is_said(layout: Layout, record: dict[str, Any], said: str) -> None:
    with pytest.raises(Unreadable) as error:
        read(layout, record)
    assert said in str(error.value)
