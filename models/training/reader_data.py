"""Questions with passages and gold answers for fitting the reader, from the official files of the data sets.

It knows the layouts of HotpotQA, 2WikiMultihopQA, SQuAD 1.1 (NQ/QED too) and BoolQ; nothing about models.
"""

import collections
import gzip
import json
import re
import string
from pathlib import Path
from typing import Any, NamedTuple

from stores.records import Passage


class Example(NamedTuple):
    """A question, its accepted answers and the passages it is read from."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[Passage, ...]
    others: tuple[Passage, ...] = ()
    """Passages that do not hold the answer."""


def passage(title: str, text: str, number: int) -> Passage:
    """A passage outside any store."""
    return Passage(id=str(number), document_id=str(number), title=title, text=text, metadata={})


def load(path: Path) -> Any:
    """A gzipped JSON file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def hotpot(path: Path, *, gold: bool = True) -> list[Example]:
    """HotpotQA layout; `gold`: only the supporting paragraphs, else all ten."""
    examples = []
    for record in load(path):
        facts = {title for title, _ in record["supporting_facts"]}
        if not facts:
            continue
        joined = [
            (title, "".join(s) if any(x.startswith(" ") for x in s) else " ".join(s)) for title, s in record["context"]
        ]
        passages = tuple(passage(title, text, number) for number, (title, text) in enumerate(joined))
        others = tuple(p for p in passages if p["title"] not in facts)
        kept = tuple(p for p in passages if not gold or p["title"] in facts)
        examples.append(Example(record["question"], (record["answer"],), kept, others))
    return examples


_HOP_QUERIES = {
    "director": ("director of {}", "Who directed {}?"),
    "date of birth": ("date of birth of {}", "When was {} born?"),
    "date of death": ("date of death of {}", "When did {} die?"),
    "place of birth": ("place of birth of {}", "Where was {} born?"),
    "place of death": ("place of death of {}", "Where did {} die?"),
    "country of citizenship": ("nationality of {}", "What nationality is {}?"),
    "composer": ("composer of {}", "Who composed the music of {}?"),
    "performer": ("performer of {}", "Who performed {}?"),
    "spouse": ("spouse of {}", "Who was the husband or wife of {}?"),
    "father": ("father of {}", "Who was the father of {}?"),
    "mother": ("mother of {}", "Who was the mother of {}?"),
    "publication date": ("release date of {}", "When was {} released?"),
}


def hops(path: Path) -> list[Example]:
    """Single hops as a plan asks them, from the evidence triples of 2WikiMultihopQA, with the subject's paragraph."""
    examples = []
    for number, record in enumerate(load(path)):
        by_title = {title: " ".join(sentences) for title, sentences in record["context"]}
        for subject, relation, value in record["evidences"]:
            if subject in by_title and relation in _HOP_QUERIES:
                query = _HOP_QUERIES[relation][number % 2].format(re.sub(r" \([^)]*\)$", "", subject))
                others = [passage(t, text, n) for n, (t, text) in enumerate(by_title.items()) if t != subject]
                held = passage(subject, by_title[subject], 99)
                kept = (held, *others[:3]) if number % 3 else (held,)
                examples.append(Example(query, (value,), kept, tuple(others[:4])))
    return examples


def squad(path: Path, *, every: int = 1) -> list[Example]:
    """SQuAD 1.1 layout as {title, context, qas}; every n-th question."""
    records = load(path)
    examples = []
    for number, record in enumerate(records):
        held = passage(record["title"].replace("_", " "), record["context"], number)
        other = records[(number + len(records) // 2) % len(records)]
        wrong = passage(other["title"].replace("_", " "), other["context"], number + len(records))
        for asked in record["qas"]:
            answers = tuple(answer["text"] for answer in asked["answers"])
            examples.append(Example(asked["question"], answers, (held,), (wrong,)))
    return examples[::every]


def boolq(path: Path) -> list[Example]:
    """BoolQ: yes/no questions with one passage."""
    return [
        Example(
            r["question"][:1].upper() + r["question"][1:] + "?", (r["answer"],), (passage(r["title"], r["passage"], n),)
        )
        for n, r in enumerate(load(path))
    ]


def normalize(text: str) -> str:
    """As the official scripts of SQuAD and HotpotQA: lowercase, no punctuation, no articles, single blanks."""
    kept = "".join(c for c in text.lower() if c not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def f1(answer: str, gold: str) -> float:
    """Token F1 of two answers; yes and no match only themselves (official HotpotQA rule)."""
    left, right = normalize(answer), normalize(gold)
    if left != right and {"yes", "no", "noanswer"} & {left, right}:
        return 0.0
    one, two = left.split(), right.split()
    common = sum((collections.Counter(one) & collections.Counter(two)).values())
    return 2 * common / (len(one) + len(two)) if common else float(left == right)


def best_f1(answer: str, example: Example) -> float:
    """Best F1 against the accepted answers."""
    return max(f1(answer, gold) for gold in example.answers)


def exact(answer: str, example: Example) -> float:
    """1 when the answer equals an accepted one after normalisation."""
    return float(any(normalize(answer) == normalize(gold) for gold in example.answers))


def without_gold(example: Example) -> Example:
    """The same question with passages that do not answer it."""
    return example._replace(passages=example.others[:4])
