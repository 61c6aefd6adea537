"""Passages for the steps of questions that came without any: out of the corpus and the files that may be trained on.

A step names its passage by title and carries an answer: a passage of that title which holds the answer is taken for
it. Near ones are what BM25 finds for the step's question: they stand beside it as a search would put them there.
"""

import gzip
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from models.training.reader_data import load
from models.training.reader_examples import Text
from stores.text_index import TextIndex, write_text

FEW = 12
"""Near passages of a step."""
LONGEST = 1500
"""Characters of a passage; the corpus has pages in one piece."""


class StepPassages:
    """The passages of the corpus and of SQuAD's training file, by title and by words.

    Args:
        data: the folder of the data sets.
    """

    def __init__(self, data: Path) -> None:
        self._texts = corpus(data)
        self._titled: dict[str, list[Text]] = {}
        for text in self._texts:
            self._titled.setdefault(text.title, []).append(text)
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        write_text(folder, ((n, text.title, text.text) for n, text in enumerate(self._texts)), (), many=True)
        self._index = TextIndex(folder)

    def holding(self, document: str, answer: str) -> Text | None:
        """A passage that holds the answer, of the title in a document id ("Nanjing_13"); None without one."""
        found = self._titled.get(document.rpartition("_")[0], [])
        return next((text for text in found if answer.lower() in text.text.lower()), None)

    def near(self, question: str, answer: str) -> list[Text]:
        """What a search for the question finds first and does not hold the answer."""
        found = [self._texts[row] for row, _ in self._index.search(question, 2 * FEW)]
        return [text for text in found if answer.lower() not in f"{text.title} {text.text}".lower()][:FEW]


def corpus(data: Path) -> list[Text]:
    """The passages of the corpus and of SQuAD's training file, each once; those of a whole page are left out."""
    return list(dict.fromkeys(text for text in _texts(data) if len(text.text) <= LONGEST))


def _texts(data: Path) -> Iterator[Text]:
    with gzip.open(data / "corpus/wikipedia_multihop.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield Text(record["title"], record["text"])
    for record in load(data / "squad/train_part.json.gz"):
        yield Text(record["title"].replace("_", " "), record["context"])
