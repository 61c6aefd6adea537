"""Scores of one prediction, under the keys of `evaluation.metric_table`; None where a score has no meaning.

What is decided here, since the metrics leave it open:

- A question is declined where the method says so (`abstained`), or its answer is blank. Declining an answerable one
  scores 0 and declining one that has no answer scores 1, whatever text was withheld. `em_text` and `f1_text` score
  that text all the same, on answerable questions: the difference is what abstaining cost.
- A run that raised has neither answered nor declined: it scores 0, also on a question without an answer.
- Retrieval, evidence and bindings are scored on answerable questions only: of the others the gold is not complete.
- The first candidate of a placeholder is what stands in the bound query. A placeholder that nothing was found for is
  not counted. Gold are the answers of the decomposition's steps, without the question's own answer.
- Cost is None as soon as one call has no known price: a partial sum would pass for a low one.

Figures that need all questions of a method at once (latency, confidence) are in `evaluation.aggregating`.
"""

from collections.abc import Iterable, Sequence

from evaluation.answer_metrics import exact_match, f1, normalize_answer, score_answer
from evaluation.citation_metrics import binding_accuracy, citation_precision, citation_recall
from evaluation.predictions import Cited, Prediction, Shown
from evaluation.retrieval_metrics import context_recall, found_by_hop, retrieval_scores

Scores = dict[str, float | None]
FOUND_AT = 5
"""Cut-off of recall by hop."""


def score(prediction: Prediction) -> Scores:
    """All scores of one prediction."""
    return {
        **_answer(prediction),
        **_retrieval(prediction),
        **_evidence(prediction),
        **_judged(prediction),
        **_cost(prediction),
    }


def is_declined(prediction: Prediction) -> bool:
    """Whether the method gave no answer, by its own word or by saying nothing; a run that raised has not declined."""
    return prediction["error"] is None and (prediction["abstained"] or not prediction["answer"].strip())


def is_answered(prediction: Prediction) -> bool:
    """Whether there is an answer: the run neither raised nor declined."""
    return prediction["error"] is None and not is_declined(prediction)


def document_key(piece: Shown | Cited, known: Iterable[str]) -> str:
    """The document key of a passage: its document's id or title, whichever `ranked` and `gold_documents` use.

    >>> document_key({"ids": ["n1.1"], "document_id": "7f", "title": "Aare", "text": ""}, ["Aare", "Rhine"])
    'Aare'
    """
    keys = set(known)
    if piece["document_id"] not in keys and piece["title"] in keys:
        return piece["title"]
    return piece["document_id"]


def document_keys(pieces: Sequence[Shown] | Sequence[Cited], prediction: Prediction) -> list[str]:
    """Document keys of evidence or citations, in order, each once."""
    known = {*prediction["ranked"], *prediction["gold_documents"]}
    return list(dict.fromkeys(document_key(piece, known) for piece in pieces))


def bound_texts(prediction: Prediction) -> list[list[str]]:
    """What each placeholder may stand for: of each hop, the bindings of each parent, the most probable first."""
    texts: list[list[str]] = []
    for hop in prediction["hops"]:
        of_parent: dict[str, list[str]] = {}
        for binding in hop.get("bindings", []):
            of_parent.setdefault(binding["node"], []).append(binding["text"])
        texts += of_parent.values()
    return texts


def inner_answers(prediction: Prediction) -> list[str]:
    """Answers of the gold decomposition on the way to the question's own."""
    final = {normalize_answer(gold) for gold in prediction["golds"]}
    steps = [step["answer"] for step in prediction["gold_steps"] if step["answer"].strip()]
    return [answer for answer in steps if normalize_answer(answer) not in final]


def hops_found(prediction: Prediction, k: int = FOUND_AT) -> list[float | None]:
    """For each hop in order, whether its gold document is among the first k; empty where the order is not known."""
    if not (prediction["answerable"] and prediction["gold_steps"] and len(prediction["gold_documents"]) > 1):
        return []
    return found_by_hop(list(dict.fromkeys(prediction["ranked"]))[:k], prediction["gold_documents"])


def _answer(prediction: Prediction) -> Scores:
    golds, answerable = prediction["golds"], prediction["answerable"]
    text = prediction["answer"] if prediction["error"] is None else ""
    withheld: Scores = {
        "em_text": exact_match(text, golds) if answerable else None,
        "f1_text": f1(text, golds) if answerable else None,
    }
    answered = float(is_answered(prediction))
    if prediction["error"] is not None:
        return {"em": 0.0, "f1": 0.0, "answered": answered, **withheld}
    em, token_f1 = score_answer(text, golds, answerable=answerable, abstained=prediction["abstained"])
    return {"em": em, "f1": token_f1, "answered": answered, **withheld}


def _retrieval(prediction: Prediction) -> Scores:
    gold = prediction["gold_documents"] if prediction["answerable"] else []
    return retrieval_scores(prediction["ranked"], gold)


def _evidence(prediction: Prediction) -> Scores:
    gold = prediction["gold_documents"] if prediction["answerable"] else []
    cited = document_keys(prediction["citations"], prediction)
    bound = bound_texts(prediction) if prediction["answerable"] else []
    inner = inner_answers(prediction)
    return {
        "context_recall": context_recall(document_keys(prediction["evidence"], prediction), gold),
        "citation_precision": citation_precision(cited, gold),
        "citation_recall": citation_recall(cited, gold),
        "binding_accuracy": binding_accuracy(bound, inner),
        "binding_accuracy@2": binding_accuracy(bound, inner, k=2),
    }


def _judged(prediction: Prediction) -> Scores:
    judged = prediction.get("judged")
    if judged is None:
        return {"judged_correct": None, "key_facts": None}
    facts = judged["key_facts"].values()
    return {
        "judged_correct": None if judged["correct"] is None else float(judged["correct"]),
        "key_facts": sum(facts) / len(facts) if facts else None,
    }


def _cost(prediction: Prediction) -> Scores:
    usage = prediction["usage"]
    priced = not usage.get("unpriced_calls")
    return {
        "llm_calls": float(usage.get("llm_calls", 0)),
        "prompt_tokens": float(usage.get("prompt_tokens", 0)),
        "completion_tokens": float(usage.get("completion_tokens", 0)),
        "cost_usd": float(usage.get("cost_usd", 0.0)) if priced else None,
    }
