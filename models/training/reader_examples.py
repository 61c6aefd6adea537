"""Examples for training the reader: questions with passages, where their answers stand, and which sentences carry them.

Knows the layouts of HotpotQA, 2WikiMultihopQA, MuSiQue, SQuAD 1.1 (NQ/QED too), BoolQ and StrategyQA. Questions kept
for reporting never come out of here (`models.training.guard`).
"""

import gzip
import hashlib
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from evaluation.datasets.loading import question_key
from models.training.guard import reporting_keys
from models.training.reader_data import between, hops, load

Kind = Literal["span", "yes", "no", "none"]
KINDS: tuple[Kind, ...] = ("span", "yes", "no", "none")
"""Classes of the reader's first head, in the order of its logits."""


@dataclass(frozen=True, slots=True)
class Text:
    """A passage with the characters that support the answer; `facts` is None where nobody has marked them."""

    title: str
    text: str
    facts: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A question before its passages are drawn."""

    id: str
    set: str
    question: str
    answers: tuple[str, ...]
    gold: tuple[Text, ...]
    others: tuple[Text, ...] = field(default=(), repr=False)
    """Passages without the answer, the nearest first."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question as it is read: passages in their order, those of `gold` hold the answer."""

    source: str
    set: str
    question: str
    answers: tuple[str, ...]
    kind: Kind
    passages: tuple[Text, ...]
    gold: frozenset[int]


def sources(data: Path, seed: int) -> list[Source]:
    """Every question that may be trained on.

    Args:
        data: the folder of the data sets.
        seed: for the hops made from the triples of 2WikiMultihopQA.
    """
    kept_back = reporting_keys(data)
    found = [*_all(data, seed)]
    return [one for one in found if question_key(one.question) not in kept_back]


def is_held_out(question: str, share: float = 0.12) -> bool:
    """Whether a question is kept for choosing and calibrating: by its words, so that no other copy is trained on."""
    digest = hashlib.blake2b(question_key(question).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32 < share


def _all(data: Path, seed: int) -> Iterator[Source]:
    for name in ("tune", "train"):
        yield from _hotpot(data / f"hotpotqa/{name}.json.gz", "hotpotqa")
    yield from _hotpot(data / "2wikimultihopqa/train.json.gz", "2wiki")
    yield from _musique(data / "musique/train.jsonl.gz")
    for number, made in enumerate(hops(data / "2wikimultihopqa/train.json.gz", random.Random(seed))):
        texts = {p["title"]: Text(p["title"], p["text"]) for p in (*made.passages, *made.others)}
        held = next(p["title"] for p in made.passages if p["id"] == "99")
        others = tuple(text for title, text in texts.items() if title != held)
        yield Source(f"hop{number}", "hop", made.question, made.answers, (texts[held],), others)
    yield from _squad(data / "squad/train_part.json.gz", "squad")
    yield from _squad(data / "nq_qed/train.json.gz", "nq")
    for number, record in enumerate(load(data / "boolq/part.json.gz")):
        question = record["question"][:1].upper() + record["question"][1:] + "?"
        yield Source(
            f"boolq{number}", "boolq", question, (record["answer"],), (Text(record["title"], record["passage"]),)
        )
    for number, record in enumerate(load(data / "strategyqa/part.json.gz")):
        gold = tuple(Text("", fact) for fact in record["facts"])
        yield Source(f"strategyqa{number}", "strategyqa", record["question"], (record["answer"],), gold)


def _hotpot(path: Path, name: str) -> Iterator[Source]:
    for record in load(path):
        facts: dict[str, set[int]] = {}
        for title, number in record["supporting_facts"]:
            facts.setdefault(title, set()).add(number)
        if not facts:
            continue
        texts = {title: _joined(title, sentences, facts.get(title)) for title, sentences in record["context"]}
        gold = tuple(text for title, text in texts.items() if title in facts)
        others = tuple(text for title, text in texts.items() if title not in facts)
        yield Source(record["_id"], name, record["question"], (record["answer"],), gold, others)


def _joined(title: str, sentences: list[str], facts: set[int] | None) -> Text:
    """The paragraph of some sentences; facts named −1 mark the whole paragraph, not its sentences."""
    text, places = "", []
    for sentence in sentences:
        text += between(sentences) if text else ""
        places.append((len(text), len(text) + len(sentence)))
        text += sentence
    if facts is None:
        return Text(title, text, ())
    marked = tuple(places[n] for n in sorted(facts) if 0 <= n < len(places))
    return Text(title, text, marked if marked and -1 not in facts else None)


def _musique(path: Path) -> Iterator[Source]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            texts = [Text(p["title"], p["paragraph_text"]) for p in record["paragraphs"]]
            steps = record["question_decomposition"]
            needed = [step["paragraph_support_idx"] for step in steps]
            gold = tuple(texts[n] for n in needed)
            others = tuple(text for n, text in enumerate(texts) if n not in needed)
            answers = (record["answer"], *record["answer_aliases"])
            yield Source(record["id"], "musique", record["question"], answers, gold, others)
            for number, step in enumerate(steps):
                question = _filled(step["question"], [s["answer"] for s in steps])
                if question:
                    yield Source(
                        f"{record['id']}.{number}", "hop", question, (step["answer"],),
                        (texts[step["paragraph_support_idx"]],), others,
                    )  # fmt: skip


def _filled(question: str, answers: list[str]) -> str:
    """A step of a decomposition with the answers before it, "X >> relation" made a noun phrase."""
    filled = re.sub(r"#(\d+)", lambda m: answers[int(m[1]) - 1] if int(m[1]) <= len(answers) else m[0], question)
    subject, arrow, relation = filled.partition(" >> ")
    return f"{relation} of {subject}" if arrow else filled


def _squad(path: Path, name: str) -> Iterator[Source]:
    """Others: the paragraphs around it, of the same article, nearest first."""
    records = load(path)
    texts = [Text(record["title"].replace("_", " "), record["context"]) for record in records]
    for number, record in enumerate(records):
        near = sorted(range(max(0, number - 6), min(len(texts), number + 7)), key=lambda n: abs(n - number))
        others = tuple(texts[n] for n in near[1:] if texts[n].title == texts[number].title)
        for asked in record["qas"]:
            answers = tuple(dict.fromkeys(answer["text"] for answer in asked["answers"]))
            yield Source(f"{name}{asked['id']}", name, asked["question"], answers, (texts[number],), others)


def draw(source: Source, rng: random.Random, *, none: float = 0.15) -> Example:
    """Passages for one reading of a question.

    Several gold passages come together, with one to three others for questions of many hops and fewer for one; all
    shuffled. With chance `none` a passage that is needed is left out, and the question cannot be answered here.
    """
    others = [text for text in source.others if not _holds(text, source.answers)]
    gold = list(source.gold)
    kind: Kind = "span"
    if source.answers[0] in ("yes", "no"):
        kind = "yes" if source.answers[0] == "yes" else "no"
    if others and rng.random() < none:
        holders = [text for text in gold if kind != "span" or _holds(text, source.answers)]
        gold = [text for text in gold if text not in (holders if kind == "span" else holders[:1])]
        kind = "none"
    wanted = rng.choice((0, 1, 1, 2, 3)) if len(source.gold) > 1 else rng.choice((0, 0, 0, 1, 2))
    wanted = max(wanted, int(not gold))
    nearest = others[: max(4, wanted)]
    drawn = [(text, False) for text in rng.sample(nearest, min(wanted, len(nearest)))]
    mixed = [(text, kind != "none") for text in gold] + drawn
    rng.shuffle(mixed)
    passages = tuple(text if needed or kind != "none" else _unmarked(text) for text, needed in mixed)
    held = frozenset(n for n, (_, needed) in enumerate(mixed) if needed)
    return Example(source.id, source.set, source.question, source.answers, kind, passages, held)


def _holds(text: Text, answers: tuple[str, ...]) -> bool:
    whole = f"{text.title} {text.text}".lower()
    return any(answer.lower() in whole for answer in answers if answer not in ("yes", "no"))


def _unmarked(text: Text) -> Text:
    """A passage of a question that has no answer here: nobody says what its sentences are worth."""
    return Text(text.title, text.text)
