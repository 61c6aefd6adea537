"""Questions with passages and gold answers for fitting the reader, from the official files of the data sets.

It knows the layouts of HotpotQA, 2WikiMultihopQA, SQuAD 1.1 (NQ/QED too) and BoolQ; nothing about models.
"""

import gzip
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.answer_metrics import exact_match, f1
from stores.records import Passage


class Example(NamedTuple):
    """A question, its accepted answers and the passages it is read from."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[Passage, ...]
    others: tuple[Passage, ...] = ()
    """Passages that do not hold the answer."""
    parent: str = ""
    """The question that this is a hop of."""
    hop: str = ""
    """Name of the hop; equal for equal hops of several questions."""


def passage(title: str, text: str, number: int) -> Passage:
    """A passage outside any store."""
    return Passage(id=str(number), document_id=str(number), title=title, text=text, metadata={})


def load(path: Path) -> Any:
    """A gzipped JSON file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def between(sentences: Sequence[str]) -> str:
    """What stands between the sentences of a paragraph: nothing where they bring their blanks with them."""
    return "" if any(sentence.startswith(" ") for sentence in sentences) else " "


def hotpot(path: Path, *, gold: bool = True) -> list[Example]:
    """HotpotQA layout; `gold`: only the supporting paragraphs, else all ten."""
    examples = []
    for record in load(path):
        facts = {title for title, _ in record["supporting_facts"]}
        if not facts:
            continue
        joined = [(title, between(s).join(s)) for title, s in record["context"]]
        passages = tuple(passage(title, text, number) for number, (title, text) in enumerate(joined))
        others = tuple(p for p in passages if p["title"] not in facts)
        kept = tuple(p for p in passages if not gold or p["title"] in facts)
        examples.append(Example(record["question"], (record["answer"],), kept, others))
    return examples


_RELATIONS = {
    "director": ("director of {s}", "Who directed {s}?", "Did {v} direct {s}?"),
    "date of birth": ("date of birth of {s}", "When was {s} born?", "Was {s} born on {v}?"),
    "date of death": ("date of death of {s}", "When did {s} die?", "Did {s} die on {v}?"),
    "place of birth": ("place of birth of {s}", "Where was {s} born?", "Was {s} born in {v}?"),
    "place of death": ("place of death of {s}", "Where did {s} die?", "Did {s} die in {v}?"),
    "country of citizenship": ("nationality of {s}", "What nationality is {s}?", "Is {s} {v}?"),
    "composer": ("composer of {s}", "Who composed the music of {s}?", "Did {v} compose the music of {s}?"),
    "performer": ("performer of {s}", "Who performed {s}?", "Was {s} performed by {v}?"),
    "spouse": ("spouse of {s}", "Who was the husband or wife of {s}?", "Was {s} married to {v}?"),
    "father": ("father of {s}", "Who was the father of {s}?", "Was {v} the father of {s}?"),
    "mother": ("mother of {s}", "Who was the mother of {s}?", "Was {v} the mother of {s}?"),
    "publication date": ("release date of {s}", "When was {s} released?", "Was {s} released on {v}?"),
}
"""Relation of 2WikiMultihopQA → a hop as a noun phrase, as a question, and as a claim."""


def hops(path: Path, rng: random.Random, *, claims: bool = False) -> list[Example]:
    """Single hops as a plan asks them, from the evidence triples of 2WikiMultihopQA.

    Beside the subject's paragraph stand those of others with the same relation, as a search would find them. As claims,
    half of them are false: with the value of another subject.
    """
    triples = []
    for record in load(path):
        by_title = {title: " ".join(sentences) for title, sentences in record["context"]}
        asked = record["question"]
        triples += [
            (s, r, v, by_title[s], asked) for s, r, v in record["evidences"] if s in by_title and r in _RELATIONS
        ]
    examples = []
    for subject, relation, value, text, asked in triples:
        same = [t for t in rng.sample(triples, min(150, len(triples))) if t[1] == relation and t[0] != subject]
        others = tuple(passage(t[0], t[3], n) for n, t in enumerate(same[:5]))
        truth = not claims or not same or rng.random() < 0.5
        told = value if truth else same[0][2]
        query = _RELATIONS[relation][2 if claims else rng.randrange(2)].format(
            s=re.sub(r" \([^)]*\)$", "", subject), v=told
        )
        kept = [passage(subject, text, 99), *others[: rng.randrange(5)]]
        rng.shuffle(kept)
        answers = ("yes" if truth else "no",) if claims else (value,)
        examples.append(Example(query, answers, tuple(kept), others, asked, wiki_hop(subject, relation)))
    return examples


def wiki_hop(subject: str, relation: str) -> str:
    """The name of a single hop of 2WikiMultihopQA."""
    return f"2wiki {subject}: {relation}"


def squad(path: Path, *, every: int = 1, mixed: bool = False) -> list[Example]:
    """SQuAD 1.1 layout as {title, context, qas}; every n-th question; `mixed`: with its neighbours."""
    records = load(path)
    examples = []
    for number, record in enumerate(records):
        held = passage(record["title"].replace("_", " "), record["context"], number)
        other = records[(number + len(records) // 2) % len(records)]
        wrong = passage(other["title"].replace("_", " "), other["context"], number + len(records))
        beside = [records[n] for n in (number - 1, number + 1) if mixed and 0 <= n < len(records)]
        near = tuple(passage(r["title"].replace("_", " "), r["context"], -n - 1) for n, r in enumerate(beside))
        for asked in record["qas"]:
            answers = tuple(answer["text"] for answer in asked["answers"])
            examples.append(Example(asked["question"], answers, (held, *near), (wrong,)))
    return examples[::every]


def boolq(path: Path) -> list[Example]:
    """BoolQ: yes/no questions with one passage."""
    return [
        Example(
            r["question"][:1].upper() + r["question"][1:] + "?", (r["answer"],), (passage(r["title"], r["passage"], n),)
        )
        for n, r in enumerate(load(path))
    ]


def best_f1(answer: str, example: Example) -> float:
    """Best F1 against the accepted answers."""
    return f1(answer, example.answers)


def exact(answer: str, example: Example) -> float:
    """1 when the answer equals an accepted one after normalisation."""
    return exact_match(answer, example.answers)


def without_gold(example: Example) -> Example:
    """The same question with passages that do not answer it."""
    return example._replace(passages=example.others[:4])
