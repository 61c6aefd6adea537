"""Question sets of one's own, one object {question, answer, …} each, and the LMCache ten.

What else an object may hold: `id`, `aliases`, `type`, `hops`, `answerable`, `supporting` (titles, or {title, text}),
`passages` ({title, text}, or strings), `steps` ({question, answer}), `key_facts`. An empty answer means that the
question cannot be answered. Several names that other sets use for the same are understood too.
"""

from collections.abc import Iterator
from typing import Any

from evaluation.datasets.fields import kind, listed, optional, text, texts
from evaluation.datasets.records import Paragraph, Question, Step, Supporting, paragraph
from tools.formats import Unreadable

SINGLE = ("answer", "expected_answer")
SEVERAL = ("answers", "golden_answers", "gold_answers")


def read_lmcache(record: dict[str, Any]) -> Iterator[Question]:
    """The LMCache ten: {id, question, expected_answer, key_facts}. Source: https://github.com/vpakspace/rag-2.0."""
    if not texts(record, "key_facts"):
        raise Unreadable(f"has no 'key_facts' ({listed(record)})")
    yield from read_plain(record)


def read_plain(record: dict[str, Any]) -> Iterator[Question]:
    """One object with at least `question` and `answer`."""
    answers = _answers(record)
    answerable = bool(answers) and record.get("answerable") is not False
    passages = _passages(record)
    hops = record.get("hops")
    yield {
        "id": optional(record, "id", "_id", "qid"),
        "question": text(record, "question", "query"),
        "answer": answers[0] if answerable else "",
        "aliases": answers[1:] if answerable else [],
        "type": optional(record, "type"),
        "hops": hops if isinstance(hops, int) and not isinstance(hops, bool) else None,
        "supporting": _supporting(record, passages),
        "passages": passages,
        "answerable": answerable,
        "steps": [_step(item) for item in _list(record, "steps", "decomposition")],
        "key_facts": texts(record, "key_facts"),
    }


def _answers(record: dict[str, Any]) -> list[str]:
    several = next((name for name in SEVERAL if record.get(name) is not None), None)
    if several and not any(record.get(name) is not None for name in SINGLE):
        found = [text({several: value}, several) for value in _list(record, several)]
    elif isinstance(record.get("answer"), list):
        found = texts(record, "answer")
    else:
        found = [text(record, *SINGLE)]
    answers = [answer for answer in found if answer]
    return list(dict.fromkeys([*answers, *texts(record, "aliases", "answer_aliases")])) if answers else []


def _passages(record: dict[str, Any]) -> list[Paragraph]:
    if record.get("passage") is not None:
        return [paragraph(optional(record, "title"), text(record, "passage"))]
    return [_paragraph(item) for item in _list(record, "passages", "paragraphs", "contexts")]


def _paragraph(item: Any) -> Paragraph:
    if isinstance(item, str):
        return paragraph("", item.strip())
    if isinstance(item, dict):
        return paragraph(optional(item, "title"), text(item, "text", "paragraph_text", "contents"))
    raise Unreadable(f"has a passage that is {kind(item)}, not {{title, text}}")


def _supporting(record: dict[str, Any], passages: list[Paragraph]) -> list[Supporting]:
    """What the record says, else the one passage of a question that has one (BoolQ)."""
    if record.get("passage") is not None and record.get("supporting") is None:
        return [{"title": own["title"], "passage": own["key"], "sentences": []} for own in passages]
    return [_gold(item, passages) for item in _list(record, "supporting", "supporting_titles")]


def _gold(item: Any, passages: list[Paragraph]) -> Supporting:
    """A title, or {title, text}; its passage is the question's own of that title, the one with the text if several."""
    entry = {"title": item} if isinstance(item, str) else item
    if not isinstance(entry, dict):
        raise Unreadable(f"has {kind(item)} in 'supporting', where a title or {{title, text}} should be")
    title, said = text(entry, "title"), optional(entry, "text", "sentence")
    named = [own for own in passages if own["title"] == title]
    own = next((own for own in named if said in own["text"]), named[0] if named else None)
    part = said and not (own and own["text"] == said)
    return {"title": title, "passage": own["key"] if own else "", "sentences": [said] if part else []}


def _step(item: Any) -> Step:
    if isinstance(item, str):
        return {"question": item.strip(), "answer": "", "passage": ""}
    if isinstance(item, dict):
        return {"question": text(item, "question"), "answer": optional(item, "answer"), "passage": ""}
    raise Unreadable(f"has a step that is {kind(item)}, not {{question, answer}}")


def _list(record: dict[str, Any], *names: str) -> list[Any]:
    name = next((name for name in names if record.get(name) is not None), None)
    value = record[name] if name else []
    if isinstance(value, list):
        return value
    raise Unreadable(f"has a {name!r} that is {kind(value)}, not a list")
