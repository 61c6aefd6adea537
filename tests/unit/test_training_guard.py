import gzip
import json
from pathlib import Path

import pytest

from evaluation.datasets.loading import question_key
from models.training.guard import REPORTING, musique_hop, reporting_hops, reporting_keys
from stores.errors import InputError


def lay_out(folder: Path) -> None:
    """One question in each reporting file, SQuAD's nested as its layout has it."""
    for number, name in enumerate(REPORTING):
        asked = {"question": f"Who wrote “Émile {number}”?", "answer": "Rousseau"}
        record = {"title": "Émile", "context": "…", "qas": [asked]} if "squad" in name else asked
        if "musique" in name:
            record = {**asked, "question_decomposition": [{"id": number, "question": f"Émile {number} >> author"}]}
        text = json.dumps(record) if "jsonl" in name else json.dumps([record])
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(gzip.compress(text.encode()))


def test_the_questions_of_every_reporting_file_are_known(tmp_path: Path) -> None:
    lay_out(tmp_path)
    asked = {f"who wrote emile {number}" for number in range(len(REPORTING))}
    hops = {f"emile {number} author" for number, name in enumerate(REPORTING) if "musique" in name}
    assert reporting_keys(tmp_path) == asked | hops
    assert len(hops) == 2


def test_the_single_hops_of_reporting_questions_are_known(tmp_path: Path) -> None:
    lay_out(tmp_path)
    assert reporting_hops(tmp_path) == {musique_hop(n) for n, name in enumerate(REPORTING) if "musique" in name}


def test_a_question_is_known_however_it_is_spelt(tmp_path: Path) -> None:
    lay_out(tmp_path)
    assert question_key(' Who wrote  "EMILE 4"') in reporting_keys(tmp_path)


def test_no_training_without_a_reporting_file(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / REPORTING[3]).unlink()
    with pytest.raises(InputError, match=r"lacks musique/unanswerable.jsonl.gz.*--data"):
        reporting_keys(tmp_path)


def test_the_files_for_reporting_are_those_of_the_data_sets() -> None:
    assert {Path(name).name.split(".")[0] for name in REPORTING} == {"bench", "dev", "unanswerable"}
    assert len(REPORTING) == 6
