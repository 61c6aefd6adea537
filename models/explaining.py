"""Why the answer is the answer, in one to three sentences that quote and cite the evidence. Pure functions.

It knows the case and the chosen answer; it reads nothing anew but the sentences of the cited passages.
"""

import re

from models.answering import Case, items_of
from models.bound_reading import best_bindings
from models.listing import enumeration
from models.questions import answer_type, choices
from models.reader import Candidate
from models.spans import answer_key
from prompts.answer import Evidence

QUOTE = 220
"""Longest quotation, in characters."""


def explain(case: Case, answer: Candidate) -> list[str]:
    """Sentences: each hop that was read on the way, then what the answer rests on."""
    used: set[str] = set()
    told = _steps(case, answer, used)
    kind = answer_type(case.question)
    if kind in ("yes_no", "choice"):
        told += _both_sides(case, answer, used)
        lead = f"So the answer is {answer['text']}."
        return [*told[-3:], lead]
    items = [item for node in case.sinks() for item in items_of(case, node)]
    if answer["text"] in (str(len(items)), enumeration([item.text for item in items])):
        each = [f"{one.text}, for {_quoted(one.sentence, one.text)} [{one.passage_id}]" for one in items]
        return [*told[-2:], f"{_capital(answer['text'])}: {'; '.join(each)}."]
    cited = _evidence_of(case, answer)
    if cited is None:
        return told
    return [
        *told[-2:],
        f"{_capital(answer['text'])}: {_quoted(answer['sentence'], answer['text'])} [{cited['ids'][0]}].",
    ]


def unanswered(case: Case, best: Candidate | None) -> list[str]:
    """An honest sentence: that the documents do not say it, and what came closest."""
    asked = re.sub(r"\s*\?+\s*$", "", " ".join(case.question.split()))
    told = [f"The documents do not say: {_short(asked, QUOTE)}?"]
    cited = _evidence_of(case, best) if best else (case.evidence[0] if case.evidence else None)
    if cited is None:
        return [*told, "No passage was found."]
    sentence = best["sentence"] if best and best["sentence"] else cited["text"]
    return [*told, f"Closest is {_quoted(sentence, '')} [{cited['ids'][0]}]."]


def _steps(case: Case, answer: Candidate, used: set[str]) -> list[str]:
    """One sentence for each hop whose reading another hop was searched with."""
    told = []
    for hop, bindings in case.bindings.items():
        for parent, best in best_bindings(bindings).items():
            query = case.queries.get(parent, "")
            cited, sentence = _source(case, parent, query, best)
            if (
                cited is None
                or not query
                or hop not in case.queries
                or answer_key(best["text"]) == answer_key(answer["text"])
            ):
                continue
            why = f"{_quoted(sentence, best['text'])} [{_citation(cited, parent)}]"
            step = f"{_label(query)}: {best['text']}, for {why}."
            if parent not in used:
                used.add(parent)
                told.append(step)
    return told


def _source(case: Case, parent: str, query: str, bound: Candidate) -> tuple[Evidence | None, str]:
    """Where it stands what a placeholder was filled with: of the hop's sentences that name it, that nearest its query.

    The reader may have read it elsewhere (on the author's page, say, and not the book's): that is the last resort.
    """
    key = f" {answer_key(bound['text'])} "
    naming = [
        (relevance, cited, sentence)
        for cited in case.evidence
        if any(i.partition(".")[0] == parent for i in cited["ids"])
        for sentence, relevance in case.reader.sentences(query, cited["text"])
        if key in f" {answer_key(sentence)} "
    ]
    if naming and max(naming, key=lambda one: one[0])[0] > 0:
        _, cited, sentence = max(naming, key=lambda one: one[0])
        return cited, sentence
    return _by_passage(case, bound["passage_id"]), bound["sentence"]


def _both_sides(case: Case, answer: Candidate, used: set[str]) -> list[str]:
    """For a comparison or yes/no: the best sentence about each thing compared."""
    told, seen = [], set[str]()
    names = list(choices(case.question) or ()) or [e["title"] for e in case.evidence]
    question = f" {answer_key(case.question)} "
    for name in names:
        key = answer_key(re.sub(r"\s*\([^)]*\)$", "", name))
        cited = next((e for e in case.evidence if key and key in answer_key(e["title"])), None)
        if cited is None or f" {key} " not in question or cited["ids"][0] in seen:
            continue
        seen.add(cited["ids"][0])
        told.append(f"{cited['title']}: {_quoted(_best_sentence(case, cited), '')} [{cited['ids'][0]}].")
    if not told and (cited := _evidence_of(case, answer)):
        told.append(f"{cited['title']}: {_quoted(answer['sentence'] or cited['text'], '')} [{cited['ids'][0]}].")
    return told[:2]


def _best_sentence(case: Case, cited: Evidence) -> str:
    ranked = case.reader.sentences(case.question, cited["text"])
    return max(ranked, key=lambda pair: pair[1])[0] if ranked else cited["text"]


def _evidence_of(case: Case, answer: Candidate) -> Evidence | None:
    """The evidence an answer was read from: its passage id is a citation id."""
    return next((e for e in case.evidence if answer["passage_id"] in e["ids"]), None)


def _by_passage(case: Case, passage_id: str) -> Evidence | None:
    return next((e for e in case.evidence if e["passage_id"] == passage_id), None)


def _citation(cited: Evidence, hop: str) -> str:
    return next((i for i in cited["ids"] if i.partition(".")[0] == hop), cited["ids"][0])


def _label(query: str) -> str:
    return _capital(_short(re.sub(r"\s*\?+\s*$", "", query), 120))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _quoted(sentence: str, around: str) -> str:
    return f"“{_short(' '.join(sentence.split()).rstrip('.'), QUOTE, around)}”"


def _short(text: str, limit: int, around: str = "") -> str:
    """Cut at words to `limit` characters, keeping the part that holds `around`.

    >>> _short("one two three four", 9)
    'one two …'
    """
    if len(text) <= limit:
        return text
    at = max(text.find(around), 0) if around else 0
    start = max(0, min(at + len(around) // 2 - limit // 2, len(text) - limit)) if at + len(around) > limit - 2 else 0
    piece = text[start : start + limit]
    if start:
        piece = "… " + piece.partition(" ")[2]
    return piece if start + limit >= len(text) else piece.rpartition(" ")[0] + " …"
