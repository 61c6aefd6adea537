"""Files of questions: their forms, their errors, samples, pools, and the guard against training on what is reported."""

import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import evaluation.datasets.json_stream as json_stream
from evaluation.datasets.json_stream import json_values
from evaluation.datasets.loading import load_dataset, question_key, question_keys, read_questions
from evaluation.datasets.pooling import given_passages, gold_documents, gold_titles, pooled_passages
from evaluation.datasets.records import Question
from evaluation.datasets.sampling import sample
from evaluation.datasets.summary import summarize
from stores.errors import InputError
from tools.formats import Unreadable

PLAIN = [{"id": f"q{n}", "question": f"Who is {n}?", "answer": str(n)} for n in range(1, 4)]
BERN, AARE, THUN = ["Bern", ["A city."]], ["Aare", ["A river."]], ["Thun", ["A town."]]


def hotpot(identity: str, *context: list[Any], gold: tuple[str, ...] = ()) -> dict[str, Any]:
    """A record of HotpotQA with these paragraphs."""
    facts = [[title, 0] for title in gold]
    return {
        "_id": identity,
        "question": f"{identity}?",
        "answer": "x",
        "context": list(context),
        "supporting_facts": facts,
    }


def written(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def ids(path: Path, layout: str = "auto") -> list[str]:
    return [question["id"] for question in read_questions(path, layout)]


LINES = "\n".join(map(json.dumps, PLAIN))


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(PLAIN),
        json.dumps(PLAIN, indent=2),
        json.dumps({"version": "1.0", "data": PLAIN}),
        json.dumps({"data": PLAIN, "version": "1.0"}),
        LINES,
        f"\n{LINES}\n\n",
        LINES.replace("\n", "\r\n"),
        f"\ufeff{LINES}",
        gzip.compress(LINES.encode(), mtime=0),
        gzip.compress(json.dumps(PLAIN).encode(), mtime=0),
    ],
)
def test_every_form_of_json_reads_the_same(content: str | bytes) -> None:
    """Whatever the file is called: it is told by its content."""
    assert ids(written("questions.data", content)) == ["q1", "q2", "q3"]


@pytest.mark.parametrize("block", [*range(1, 40), 1000])
def test_json_is_read_in_pieces_of_any_size(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "BLOCK", block)
    values = [{"a": 'é"\\', "b": [1, 2.5, True, None]}, {}, 1234567890123, "x\n"]
    assert list(json_values(io.StringIO(json.dumps(values)))) == values
    assert list(json_values(io.StringIO('{"a": 1}\n{"a": 2}\n'))) == [{"a": 1}, {"a": 2}]


def test_half_characters_are_replaced() -> None:
    assert list(json_values(io.StringIO(r'[{"a": "\ud800!", "b": "\ud83d\ude00"}]'))) == [{"a": "�!", "b": "😀"}]


def test_a_dataset_says_what_was_read() -> None:
    path = written("dev.json.gz", gzip.compress(LINES.encode(), mtime=0))
    dataset = load_dataset(path)
    assert (dataset["name"], dataset["layout"], len(dataset["questions"])) == ("dev", "jsonl", 3)
    assert dataset["path"] == "dev.json.gz"
    assert len(dataset["sha256"]) == 64
    assert json.loads(json.dumps(dataset)) == dataset, "plain values: fit for a state and a cache"


def test_a_named_layout_is_taken() -> None:
    path = written("q.json", json.dumps([hotpot("a", BERN)]))
    assert load_dataset(path)["layout"] == "hotpotqa"
    assert load_dataset(path, "2wiki")["layout"] == "2wiki"
    with pytest.raises(InputError, match=r"there is no layout 'hotpot': did you mean 'hotpotqa'\?"):
        load_dataset(path, "hotpot")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (LINES.replace('"answer": "2"', '"x": 1'), "read as jsonl: record 2 has no 'answer' (it has 'id', 'question'"),
        (LINES.replace('"answer": "2"}', ""), "read as jsonl: record 2 is broken JSON: Expecting"),
        (json.dumps(PLAIN)[:-9], "read as jsonl: record 3 is broken JSON"),
        (json.dumps(PLAIN)[:-1], "record 4 is missing: the file breaks off in the middle of its list"),
        (json.dumps(PLAIN) + "[]", "record 4 comes after the end of the list"),
        (f"[{json.dumps(PLAIN[0])} {json.dumps(PLAIN[1])}]", "record 2 has '{' before it, where a comma should be"),
        (json.dumps([*PLAIN, 4]), "record 4 is a number, not an object"),
        (LINES.replace('"1"', "NaN"), "record 1 is broken JSON: NaN is not a JSON value"),
        ("", "record 1 is empty"),
        ("question,answer", "record 1 is not JSON: it begins with 'question,answer'"),
        ("[]", "holds no questions"),
        ('{"title": "Bern", "text": "A city."}', "is no question set known here"),
        (LINES.encode("utf-16"), "is not UTF-8"),
        (gzip.compress(LINES.encode(), mtime=0)[:-12], "is a broken gzip file"),
        (b"PAR1 and no more", "parquet"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(content: str | bytes, said: str) -> None:
    with pytest.raises(InputError) as error:
        ids(written("bad.json", content))
    assert str(error.value).startswith("datasets: 'bad.json'")
    assert said in str(error.value)


def test_a_value_without_an_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "BLOCK", 10)
    monkeypatch.setattr(json_stream, "MAX_VALUE", 50)
    with pytest.raises(Unreadable, match="its end is missing"):
        list(json_values(io.StringIO('["' + "x" * 1000)))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"'none.json' cannot be read \(No such file"):
        load_dataset("none.json")


def test_parquet_asks_for_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'lookahead-rag\[parquet\]'"):
        load_dataset(written("q.parquet", b"PAR1....PAR1"))


def test_ids_are_unique_and_made_where_there_are_none() -> None:
    twice = [*PLAIN[:1] * 3, {"question": "Who?", "answer": "x"}]
    found = ids(written("q.json", json.dumps(twice)))
    assert found[:3] == ["q1", "q1#2", "q1#3"]
    assert found[3] == ids(written("r.json", json.dumps(twice[3:])))[0], "the same wherever the question stands"


def test_2wiki_takes_the_aliases_that_lie_beside_it() -> None:
    record = {**hotpot("a", BERN), "evidences": [], "answer_id": "Q1", "answer": "France"}
    path = written("dev.json", json.dumps([record, {**record, "_id": "b", "answer_id": None}]))
    assert [q["aliases"] for q in read_questions(path)] == [[], []]
    written("id_aliases.json", '{"Q_id": "Q1", "aliases": ["FR", "France"], "demonyms": ["French"]}\n')
    assert [q["aliases"] for q in read_questions(path)] == [["FR", "French"], []]
    written("id_aliases.json", '{"Q_id": "Q1"}\n')
    with pytest.raises(InputError, match=r"'id_aliases.json', line 1 is not"):
        list(read_questions(path))


def numbered(*numbers: int) -> list[Question]:
    path = written("n.jsonl", "\n".join(json.dumps({"id": n, "question": "Who?", "answer": "x"}) for n in numbers))
    return load_dataset(path)["questions"]


def test_a_sample_is_the_same_everywhere_and_the_start_of_a_larger_one() -> None:
    def drawn(questions: list[Question], n: int | None, seed: int = 0) -> list[str]:
        return [question["id"] for question in sample(questions, n, seed)]

    questions = numbered(*range(100))
    assert drawn(questions, 5) == ["17", "1", "0", "74", "53"]
    assert drawn(questions[::-1], 5) == drawn(questions, 5) == drawn(questions, 20)[:5]
    assert drawn(questions, 5, seed=1) != drawn(questions, 5)
    assert drawn(questions, None) == drawn(questions, 100) == [str(n) for n in range(100)]
    with pytest.raises(InputError, match="a sample of 0 questions"):
        sample(questions, 0)


def test_pooled_passages_are_all_paragraphs_once() -> None:
    records = [
        hotpot("a", BERN, AARE, BERN, gold=("Aare", "Bern", "Basel")),
        hotpot("b", ["Bern", ["A street."]], AARE, THUN, gold=("Thun",)),
    ]
    first, second = load_dataset(written("q.json", json.dumps(records)))["questions"]
    pool = pooled_passages([first, second])
    assert [(document.title, document.text) for document in pool] == [
        ("Bern", "A city."),
        ("Aare", "A river."),
        ("Bern", "A street."),
        ("Thun", "A town."),
    ]
    by_key = {document.key: document.title for document in pool}
    assert [by_key[key] for key in gold_documents(first)] == ["Aare", "Bern"]
    assert gold_titles(first) == ["Aare", "Bern", "Basel"], "also what the question came without"
    assert [document.title for document in given_passages(first)] == ["Bern", "Aare"]
    assert set(gold_documents(second)) <= {document.key for document in given_passages(second)}


def test_a_summary_counts() -> None:
    records = [hotpot("a", BERN, AARE, gold=("Aare", "Basel")), hotpot("b", BERN, THUN), hotpot("c", THUN)]
    summary = summarize(read_questions(written("q.json", json.dumps(records))))
    assert (summary["questions"], summary["hops"]) == (3, {"2": 1, "?": 2})
    assert summary["passages"] == {"given": 5, "pooled": 3, "longest": 8}
    assert summary["supporting"] == {"paragraphs": 2, "missing": 1, "questions_without": 2}
    assert summary["example"] is not None
    assert summary["example"]["id"] == "a"


def test_a_question_is_known_again_in_another_file() -> None:
    article = {"title": "T", "paragraphs": [{"context": "c", "qas": [{"question": "Where IS  it?", "answers": []}]}]}
    path = written("mixed.json", json.dumps([PLAIN[0], {"question": "Without an answer?"}, article]))
    assert question_keys(path) == {"who is 1", "without an answer", "where is it"}
    assert question_key("“Where is it”") in question_keys(path)
