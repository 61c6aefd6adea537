"""Question sets as HuggingFace keeps them, in parquet files; needs the extra."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.datasets.loading import load_dataset, question_keys
from stores.errors import InputError

pyarrow = pytest.importorskip("pyarrow", reason="needs `pip install 'lookahead-rag[parquet]'`")

HOTPOTQA: dict[str, Any] = {
    "id": "h1",
    "question": "Into which river does the river of Bern flow?",
    "answer": "Rhine",
    "type": "bridge",
    "supporting_facts": {"title": ["Bern", "Aare"], "sent_id": [1, 0]},
    "context": {"title": ["Bern", "Aare"], "sentences": [["A city.", " On the Aare."], ["Into the Rhine."]]},
}
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Into which river does the river of Bern flow?",
    "answer": "Rhine",
    "answer_aliases": [],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Bern", "paragraph_text": "On the Aare.", "is_supporting": True},
        {"idx": 1, "title": "Aare", "paragraph_text": "Into the Rhine.", "is_supporting": True},
    ],
    "question_decomposition": [{"id": 1, "question": "Bern >> river", "answer": "Aare", "paragraph_support_idx": 0}],
}
SQUAD: dict[str, Any] = {
    "id": "s1",
    "title": "Bern",
    "context": "On the Aare.",
    "question": "Where?",
    "answers": {"text": ["on the Aare"], "answer_start": [0]},
}


def parquet(rows: list[dict[str, Any]]) -> Path:
    import pyarrow.parquet

    path = Path("dev.parquet")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize(("layout", "row"), [("hotpotqa", HOTPOTQA), ("musique", MUSIQUE), ("squad", SQUAD)])
def test_a_row_reads_like_the_json_record(layout: str, row: dict[str, Any]) -> None:
    dataset = load_dataset(parquet([row]))
    Path("dev.json").write_text(json.dumps([row]))
    assert (dataset["layout"], dataset["name"]) == (layout, "dev")
    assert dataset["questions"] == load_dataset("dev.json")["questions"]
    assert all(entry["passage"] for entry in dataset["questions"][0]["supporting"])


def test_rows_come_in_batches_and_in_order() -> None:
    rows = [{**HOTPOTQA, "id": f"h{n}", "question": f"Question {n}?"} for n in range(1200)]
    assert [q["id"] for q in load_dataset(parquet(rows))["questions"]] == [f"h{n}" for n in range(1200)]
    assert len(question_keys("dev.parquet")) == 1200


def test_a_row_that_does_not_fit_is_named() -> None:
    with pytest.raises(InputError, match=r"'dev.parquet' read as hotpotqa: record 2 has no 'answer'"):
        load_dataset(parquet([HOTPOTQA, {**HOTPOTQA, "answer": None}]))


def test_a_broken_file() -> None:
    path = parquet([HOTPOTQA])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="is a broken parquet file"):
        load_dataset(path)
