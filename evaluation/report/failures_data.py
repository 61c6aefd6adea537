"""What the list of failures shows, cut so that the page stays small: JSON that the page's script puts on the screen.

Every question that at least one method got wrong, with the answers of all methods side by side. Passages are the
greater part by far: each text is kept once, cut to what is left of the budget. Keys are short for the same reason; the
script (report.js) is their only reader.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.aggregating import Scored
from evaluation.failures import CAUSES, failure_cause
from evaluation.machine import without_home
from evaluation.predictions import Prediction, Shown
from evaluation.scoring import Scores, document_key

BUDGET = 11_000_000
"""Bytes of JSON: the whole page stays under 15 MB."""
LENGTHS = (900, 500, 280, 140)
"""Longest passage in characters, tried in this order."""
LONG = 600
"""Longest explanation, answer or warning."""
PASSAGES = 6
"""Passages named for each hop."""
SENTENCE = re.compile(r"(?<=[.!?])\s+")


def failures_data(scored: Mapping[str, Scored], budget: int = BUDGET) -> dict[str, Any]:
    """Methods, causes, texts and questions, in at most `budget` bytes of JSON.

    `cut` says to how many characters passages were cut, `left_out` how many questions found no room.
    """
    wrong = _wrong(scored)
    for length in LENGTHS:
        found = _data(scored, wrong, length)
        if _size(found) <= budget:
            return found
    kept = len(wrong)
    while _size(found) > budget and kept > 1:
        kept = kept * 3 // 4
        found = _data(scored, wrong[:kept], LENGTHS[-1])
    return {**found, "left_out": len(wrong) - kept}


def _wrong(scored: Mapping[str, Scored]) -> list[str]:
    """Questions that a method got wrong; those that the first one did come first."""
    first = next(iter(scored))
    ids = sorted({i for rows in scored.values() for i, pair in rows.items() if failure_cause(*pair)})
    return sorted(ids, key=lambda i: i not in scored[first] or failure_cause(*scored[first][i]) is None)


def _data(scored: Mapping[str, Scored], ids: Sequence[str], length: int) -> dict[str, Any]:
    texts: dict[str, int] = {}
    return {
        "methods": list(scored),
        "causes": CAUSES,
        "questions": [_question(scored, i, texts, length) for i in ids],
        "texts": list(texts),
        "cut": length,
        "left_out": 0,
    }


def _question(scored: Mapping[str, Scored], i: str, texts: dict[str, int], length: int) -> dict[str, Any]:
    rows = [rows.get(i) for rows in scored.values()]
    one = next(row[0] for row in rows if row)
    titles = {document_key(p, one["gold_documents"]): p["title"] for row in rows if row for p in row[0]["evidence"]}
    return {
        "i": i,
        "q": _cut(one["question"]),
        "g": [_cut(gold) for gold in one["golds"][:5]],
        "u": not one["answerable"],
        "t": one["type"],
        "h": one["hop_count"],
        "s": [[_cut(step["question"]), _cut(step["answer"])] for step in one["gold_steps"]],
        "d": [titles.get(key, key) for key in one["gold_documents"]],
        "m": [_answer(*row, texts, length) if row else None for row in rows],
    }


def _answer(prediction: Prediction, scores: Scores, texts: dict[str, int], length: int) -> dict[str, Any]:
    judged = prediction.get("judged")
    found: dict[str, Any] = {
        "c": failure_cause(prediction, scores),
        "a": _cut(prediction["answer"]),
        "x": _cut(prediction["explanation"]),
        "f": round(scores["f1"] or 0.0, 2) or None,
        "p": None if prediction["confidence"] is None else round(prediction["confidence"], 2),
        "b": prediction["abstained"] or None,
        "e": without_home(_cut(prediction["error"] or "")),
        "l": prediction["usage"].get("llm_calls"),
        "n": [_node(node) for node in prediction["plan"].get("nodes", [])],
        "o": [_hop(hop) for hop in prediction["hops"]],
        "v": [_evidence(piece, prediction, texts, length) for piece in prediction["evidence"]],
        "s": [_step(step) for step in prediction["steps"]],
        "w": [without_home(_cut(warning)) for warning in prediction["warnings"]],
        "r": [_cut(" · ".join(map(str, fallback.get("queries", [])))) for fallback in prediction["fallbacks"]],
        "j": _cut(judged["reason"]) if judged else None,
    }
    return {key: value for key, value in found.items() if value is not None and value != "" and value != []}


def _node(node: Mapping[str, Any]) -> list[Any]:
    """Id, operator, query, parents."""
    return [node.get("id", ""), node.get("op", ""), _cut(str(node.get("query", ""))), node.get("depends_on", [])]


def _hop(hop: Mapping[str, Any]) -> list[Any]:
    """Id, query as searched, what was bound from where, titles found, error."""
    best = {b["node"]: b for b in reversed(hop.get("bindings", []))}
    bound = [[node, _cut(b["text"]), round(b.get("probability", 0.0), 2)] for node, b in best.items()]
    titles = [_cut(passage["title"]) for passage in hop.get("passages", [])[:PASSAGES]]
    query = hop.get("bound_query") or hop.get("query", "")
    return [hop.get("id", ""), _cut(query), bound, titles, _cut(hop.get("error") or "")]


def _step(step: Mapping[str, Any]) -> list[str]:
    """What an agent did, with what, why, and what came of it."""
    came = step.get("problem") or " · ".join(step.get("found", [])[:PASSAGES])
    return [_cut(str(text)) for text in (step.get("action", ""), step.get("query", ""), step.get("thought", ""), came)]


def _evidence(piece: Shown, prediction: Prediction, texts: dict[str, int], length: int) -> list[Any]:
    """Ids, title, number of its text, whether it is gold, and the cited places as [start, end]."""
    known = {*prediction["ranked"], *prediction["gold_documents"]}
    gold = document_key(piece, known) in prediction["gold_documents"]
    text = _cut(piece["text"], length)
    cited = [citation["text"] for citation in prediction["citations"] if citation["id"] in piece["ids"]]
    return [
        " ".join(piece["ids"]),
        _cut(piece["title"]),
        texts.setdefault(text, len(texts)),
        int(gold),
        marks(text, cited),
    ]


def marks(text: str, cited: Sequence[str]) -> list[list[int]]:
    """Where cited sentences stand in a text, as [start, end], in order and without overlap; in UTF-16 as scripts count.

    >>> marks("He was born. He died in Rome.", ["He died in Rome."])
    [[13, 29]]
    """
    spans = []
    for sentence in (part for whole in cited for part in ([whole] if whole in text else SENTENCE.split(whole))):
        start = text.find(sentence) if sentence else -1
        if start >= 0:
            spans.append((start, start + len(sentence)))
    found: list[list[int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return [[_utf16(text[:start]), _utf16(text[:end])] for start, end in found]


def _utf16(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _cut(text: str, length: int = LONG) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _size(found: Mapping[str, Any]) -> int:
    return len(json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
