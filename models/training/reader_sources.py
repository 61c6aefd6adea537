"""The questions that the reader may be trained on, out of the files of the data sets.

Knows the layouts of HotpotQA, 2WikiMultihopQA, MuSiQue, SQuAD 1.1 (NQ/QED too), BoolQ and StrategyQA. Questions kept
for reporting, and those that share a hop with one, never come out of here (`models.training.guard`).
"""

import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.datasets.loading import question_key
from models.training.composing import composed
from models.training.guard import musique_hop, reporting_hops, reporting_keys
from models.training.reader_data import between, hops, load, wiki_hop
from models.training.reader_examples import Source, Text, split
from models.training.step_passages import StepPassages

MOST_HOLDERS = 3
"""Paragraphs that may hold the answer of a question that does not say which ones support it."""


def sources(data: Path, seed: int) -> list[Source]:
    """Every question that may be trained on, as it stands in its file.

    Args:
        data: the folder of the data sets.
        seed: for the hops made from the triples of 2WikiMultihopQA.

    Raises:
        InputError: a file of questions kept for reporting is missing.
    """
    keys, hops_kept_back = reporting_keys(data), reporting_hops(data)
    return [one for one in _all(data, seed) if question_key(one.question) not in keys and not one.hops & hops_kept_back]


def training_set(data: Path, seed: int) -> tuple[list[Source], list[Source]]:
    """(what is trained on, questions put together among it; what is held out).

    Args:
        data: the folder of the data sets.
        seed: as for `sources`, and for the putting together.

    Raises:
        InputError: a file of questions kept for reporting is missing.
    """
    kept, held = split(sources(data, seed))
    return [*kept, *composed(kept, random.Random(seed))], held


def _all(data: Path, seed: int) -> Iterator[Source]:
    for name in ("tune", "train", "dev_fullwiki_retrieved"):
        yield from _hotpot(data / f"hotpotqa/{name}.json.gz", "hotpotqa")
    yield from _hotpot(data / "2wikimultihopqa/train.json.gz", "2wiki")
    yield from _wiki_hops(data / "2wikimultihopqa/train.json.gz", random.Random(seed))
    yield from _musique(data / "musique/train.jsonl.gz")
    yield from _decomposed(data)
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
    """Questions whose supporting paragraphs are all there; where none is named, those that hold the answer."""
    for record in load(path):
        texts = {title: sentences for title, sentences in record["context"]}
        facts: dict[str, set[int]] = {}
        for title, number in record["supporting_facts"] or _holding(texts, record["answer"]):
            facts.setdefault(title, set()).add(number)
        if not facts or not facts.keys() <= texts.keys():
            continue
        joined = {title: _joined(title, sentences, facts.get(title)) for title, sentences in texts.items()}
        gold = tuple(text for title, text in joined.items() if title in facts)
        others = tuple(text for title, text in joined.items() if title not in facts)
        told = frozenset(wiki_hop(subject, relation) for subject, relation, _ in record.get("evidences", ()))
        yield Source(record["_id"], name, record["question"], (record["answer"],), gold, others, hops=told)


def _holding(texts: Mapping[str, Sequence[str]], answer: str) -> list[tuple[str, int]]:
    """(title, −1) of the paragraphs that hold the answer, unless it stands in many."""
    if answer in ("yes", "no"):
        return []
    found = [title for title, sentences in texts.items() if answer.lower() in " ".join(sentences).lower()]
    return [(title, -1) for title in found] if len(found) <= MOST_HOLDERS else []


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


def _wiki_hops(path: Path, rng: random.Random) -> Iterator[Source]:
    for number, made in enumerate(hops(path, rng)):
        texts = {p["title"]: Text(p["title"], p["text"]) for p in (*made.passages, *made.others)}
        held = next(p["title"] for p in made.passages if p["id"] == "99")
        others = tuple(text for title, text in texts.items() if title != held)
        yield Source(
            f"hop{number}", "hop", made.question, made.answers, (texts[held],), others, made.parent,
            frozenset({made.hop}),
        )  # fmt: skip


def _musique(path: Path) -> Iterator[Source]:
    for record in _lines(path):
        texts = [Text(p["title"], p["paragraph_text"]) for p in record["paragraphs"]]
        steps = record["question_decomposition"]
        gold = [texts[step["paragraph_support_idx"]] for step in steps]
        others = [text for text in texts if text not in gold]
        yield from _stepwise(record, steps, gold, [others] * len(steps), others)


def _decomposed(data: Path) -> Iterator[Source]:
    """MuSiQue questions that come without passages: their steps, and they themselves, where passages can be found."""
    passages = StepPassages(data)
    for record in load(data / "qdmr/musique_dev_decompositions.json.gz"):
        steps = record["decomposition"]
        found = [passages.holding(step["document_id"], step["answer"]) for step in steps]
        if not any(found):
            continue
        filled = [_filled(step["question"], [s["answer"] for s in steps]) for step in steps]
        near = [passages.near(question, step["answer"]) for question, step in zip(filled, steps, strict=True)]
        yield from _stepwise(record, steps, found, near, [text for texts in near for text in texts[:6]])


def _stepwise(
    record: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    gold: Sequence[Text | None],
    near: Sequence[Sequence[Text]],
    others: Sequence[Text],
) -> Iterator[Source]:
    """A question of MuSiQue, where the passages of all its steps are known, and each step whose passage is."""
    names = [musique_hop(step["id"]) for step in steps]
    known = tuple(dict.fromkeys(text for text in gold if text is not None))
    if None not in gold:
        answers = (record["answer"], *record.get("answer_aliases", ()))
        beside = tuple(dict.fromkeys(text for text in others if text not in known))
        yield Source(record["id"], "musique", record["question"], answers, known, beside, hops=frozenset(names))
    for number, (step, held, around) in enumerate(zip(steps, gold, near, strict=True)):
        question = _filled(step["question"], [s["answer"] for s in steps])
        if question and held is not None:
            beside = tuple(dict.fromkeys(text for text in around if text != held))
            yield Source(
                f"{record['id']}.{number}", "hop", question, (step["answer"],), (held,), beside, record["question"],
                frozenset({names[number]}),
            )  # fmt: skip


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


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
            told = frozenset({f"{name} {asked['id']}"})
            yield Source(f"{name}{asked['id']}", name, asked["question"], answers, (texts[number],), others, hops=told)
