"""HotpotQA, 2WikiMultihopQA and MuSiQue: a question with its own paragraphs, some of which hold the answer.

Each reader takes one record in the official layout, or a row of HuggingFace's parquet file of it. Sources:
https://github.com/hotpotqa/hotpot, https://github.com/Alab-NII/2wikimultihop, https://github.com/StonyBrookNLP/musique
"""

import re
from collections.abc import Iterator
from typing import Any

from evaluation.datasets.fields import kind, optional, rows, text, texts
from evaluation.datasets.records import Paragraph, Question, Step, Supporting, paragraph
from tools.formats import Unreadable

MUSIQUE_KIND = re.compile(r"(([2-9])hop\d?)__")
"""MuSiQue's ids begin with the shape of the reasoning: 2hop, 3hop1 (a chain), 3hop2 (two branches), 4hop1, …"""

Sentences = tuple[Paragraph, list[str]]


def read_hotpotqa(record: dict[str, Any]) -> Iterator[Question]:
    """HotpotQA: {_id, question, answer, type, context, supporting_facts}; a sentence begins with its own space."""
    yield _with_facts(record, "")


def read_2wiki(record: dict[str, Any]) -> Iterator[Question]:
    """2WikiMultihopQA: HotpotQA's layout with `evidences`, triples that become steps; sentences without spaces."""
    question = _with_facts(record, " ")
    triples = rows(record, "evidences", "fact", "relation", "entity", optional=True)
    if not all(isinstance(part, str) for triple in triples for part in triple):
        raise Unreadable("has 'evidences' that are not triples of strings")
    # Written as MuSiQue writes its own: "Free Guy >> director".
    question["steps"] = [{"question": f"{s} >> {r}", "answer": o, "passage": ""} for s, r, o in triples]
    yield question


def read_musique(record: dict[str, Any]) -> Iterator[Question]:
    """MuSiQue: {id, question, answer, answer_aliases, answerable, paragraphs, question_decomposition}."""
    paragraphs = record.get("paragraphs")
    if not isinstance(paragraphs, list) or not all(isinstance(p, dict) for p in paragraphs):
        raise Unreadable(f"has 'paragraphs' that is {kind(paragraphs)}, not a list of objects")
    own = [paragraph(optional(p, "title"), text(p, "paragraph_text", "text")) for p in paragraphs]
    by_number = {p.get("idx", number): passage for number, (p, passage) in enumerate(zip(paragraphs, own, strict=True))}
    steps = [_step(step, by_number) for step in record.get("question_decomposition") or []]
    marked = [passage["key"] for p, passage in zip(paragraphs, own, strict=True) if p.get("is_supporting")]
    gold = list(dict.fromkeys([*(step["passage"] for step in steps if step["passage"] in marked), *marked]))
    titles = {passage["key"]: passage["title"] for passage in own}
    answerable = bool(record.get("answerable", True))
    shape = MUSIQUE_KIND.match(optional(record, "id"))
    yield {
        "id": optional(record, "id"),
        "question": text(record, "question"),
        "answer": text(record, "answer") if answerable else "",
        "aliases": texts(record, "answer_aliases", "aliases") if answerable else [],
        "type": shape[1] if shape else "",
        "hops": len(steps) or (int(shape[2]) if shape else None),
        "supporting": [{"title": titles[key], "passage": key, "sentences": []} for key in gold],
        "passages": own,
        "answerable": answerable,
        "steps": steps,
        "key_facts": [],
    }


def _with_facts(record: dict[str, Any], space: str) -> Question:
    """What HotpotQA and 2WikiMultihopQA share; `space` stands between two sentences."""
    context = [_sentences(title, sentences, space) for title, sentences in _context(record)]
    supporting = _supporting(record, context)
    return {
        "id": optional(record, "_id", "id"),
        "question": text(record, "question"),
        "answer": text(record, "answer"),
        "aliases": texts(record, "aliases", "answer_aliases"),
        "type": optional(record, "type"),
        "hops": len(supporting) or None,
        "supporting": supporting,
        "passages": [own for own, _ in context],
        "answerable": True,
        "steps": [],
        "key_facts": [],
    }


def _context(record: dict[str, Any]) -> list[list[Any]]:
    return rows(record, "context", "title", "sentences|content")


def _sentences(title: Any, sentences: Any, space: str) -> Sentences:
    if not isinstance(title, str) or not isinstance(sentences, list):
        raise Unreadable("has a 'context' that is not a list of titles, each with its list of sentences")
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise Unreadable(f"has sentences of {title!r} that are not strings")
    return paragraph(title, space.join(sentences).strip()), sentences


def _supporting(record: dict[str, Any], context: list[Sentences]) -> list[Supporting]:
    """Facts {title, sentence} put together by paragraph.

    A number without a sentence is passed over: −1 means that only the paragraph is known, and some of HotpotQA's
    numbers are beyond its end.
    """
    numbers: dict[str, list[int]] = {}
    for title, number in rows(record, "supporting_facts", "title", "sent_id", optional=True):
        if not isinstance(title, str) or not isinstance(number, int):
            raise Unreadable("has 'supporting_facts' that are not titles, each with the number of a sentence")
        numbers.setdefault(title, []).append(number)
    return [_supporting_paragraph(title, wanted, context) for title, wanted in numbers.items()]


def _supporting_paragraph(title: str, numbers: list[int], context: list[Sentences]) -> Supporting:
    named = [(own, sentences) for own, sentences in context if own["title"] == title]
    if not named:
        return {"title": title, "passage": "", "sentences": []}
    # Of two paragraphs with one title, the one that has the sentences.
    own, sentences = next((pair for pair in named if max(numbers) < len(pair[1])), named[0])
    found = [sentences[number].strip() for number in sorted(set(numbers)) if 0 <= number < len(sentences)]
    return {"title": title, "passage": own["key"], "sentences": found}


def _step(step: Any, by_number: dict[Any, Paragraph]) -> Step:
    if not isinstance(step, dict):
        raise Unreadable(f"has a 'question_decomposition' with {kind(step)} in it, not objects")
    found = by_number.get(step.get("paragraph_support_idx"))
    return {
        "question": text(step, "question"),
        "answer": optional(step, "answer"),
        "passage": found["key"] if found else "",
    }
