"""predictions.jsonl and latency.jsonl: what is written is read again, whatever a kill left behind."""

from pathlib import Path

import pytest

from evaluation.predictions import append_row, by_method, read_latency, read_predictions
from stores.errors import InputError, StoreError
from tests.predicted import latency, prediction

SMALL = {"method": "m", "id": "q1", "question": "Who?", "golds": ["Ada"], "answer": "Ada"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "predictions.jsonl"


def test_rows_come_back_as_they_were(path: Path) -> None:
    rows = [prediction(number=1, answer="Zürich\u2028\n東京"), prediction(number=2, right=False)]
    for row in rows:
        append_row(path, row)

    assert read_predictions(path) == (rows, None)


def test_a_lone_surrogate_is_written_as_a_question_mark(path: Path) -> None:
    append_row(path, {**SMALL, "answer": "a\ud800b"})

    assert read_predictions(path).rows[0]["answer"] == "a?b"


def test_a_half_written_last_line_is_dropped_and_said(path: Path) -> None:
    append_row(path, prediction(number=1))
    whole = path.read_bytes()
    append_row(path, prediction(number=2))
    path.write_bytes(path.read_bytes()[:-40])

    found = read_predictions(path)

    assert [row["id"] for row in found.rows] == ["q01"]
    assert found.note is not None
    assert "half-written" in found.note
    append_row(path, prediction(number=3))
    assert path.read_bytes().startswith(whole)
    assert [row["id"] for row in read_predictions(path).rows] == ["q01", "q03"]


def test_a_last_line_that_only_lacks_its_end_is_kept(path: Path) -> None:
    append_row(path, prediction(number=1))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))

    append_row(path, prediction(number=2))

    assert [row["id"] for row in read_predictions(path).rows] == ["q01", "q02"]


def test_the_later_of_two_answers_counts(path: Path) -> None:
    append_row(path, prediction(answer="first"))
    append_row(path, prediction(answer="second"))

    assert [row["answer"] for row in read_predictions(path).rows] == ["second"]


def test_five_keys_are_enough_and_unknown_ones_are_kept(path: Path) -> None:
    append_row(path, {**SMALL, "fingerprint": "7f"})

    found = read_predictions(path).rows[0]

    assert found["answerable"]
    assert found["ranked"] == []
    assert found["fingerprint"] == "7f"  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"method": "m"', "line 1"),
        ("[1]", "line 1"),
        ('{"method": "m", "id": "q", "question": "?", "golds": []}', "answer"),
        ('{"method": "m", "id": "q", "question": "?", "golds": "Ada", "answer": ""}', "golds"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(path: Path, line: str, complaint: str) -> None:
    path.write_text(f"{line}\n")
    append_row(path, SMALL)

    with pytest.raises(InputError, match=complaint):
        read_predictions(path)


def test_files_that_cannot_be_reached(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="run the benchmark first"):
        read_latency(tmp_path / "none.jsonl")
    with pytest.raises(StoreError, match="cannot be written"):
        append_row(tmp_path / "no" / "folder.jsonl", SMALL)


def test_latency_rows_by_method_and_question(tmp_path: Path) -> None:
    path = tmp_path / "latency.jsonl"
    for row in (latency("a", 1), latency("b", 1, None), latency("a", 2)):
        append_row(path, row)

    table = by_method(read_latency(path).rows)

    assert list(table) == ["a", "b"]
    assert table["b"]["q01"]["ms"] is None
