"""What each figure of a report is called, in which unit it stands and which way is better. Holds no figure itself.

The keys are those of results.json; they are stable. Metrics over a cut-off or a budget have one key for each.
"""

from dataclasses import dataclass
from typing import Literal

from evaluation.latency import BUDGETS_MS, RANGE_MS
from evaluation.retrieval_metrics import KS

Unit = Literal["share", "ms", "calls", "tokens", "USD"]
Group = Literal["answer", "retrieval", "evidence", "confidence", "latency", "cost"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of a method over questions."""

    label: str
    """As the head of a column."""
    description: str
    """One line: what it is, and of what it is the mean."""
    group: Group
    higher_is_better: bool | None = True
    """None: neither way."""
    unit: Unit = "share"
    """A share is 0 to 1."""


def _answer() -> dict[str, Metric]:
    return {
        "em": Metric("EM", "Exact match with an accepted answer; abstaining is right where there is none.", "answer"),
        "f1": Metric(
            "F1", "Token F1 with the nearest accepted answer; abstaining is right where there is none.", "answer"
        ),
        "answered": Metric("Answered", "Share of the questions that were given an answer.", "answer", None),
        "em_text": Metric("EM withheld too", "Exact match, also of answers that the method withheld.", "answer"),
        "f1_text": Metric("F1 withheld too", "Token F1, also of answers that the method withheld.", "answer"),
        "judged_correct": Metric("Judged right", "A language model holds the answer for right.", "answer"),
        "key_facts": Metric("Key facts", "Share of the key facts that answer or explanation state.", "answer"),
    }


def _retrieval() -> dict[str, Metric]:
    table = {}
    for k in KS:
        table[f"recall@{k}"] = Metric(f"R@{k}", f"Share of the gold passages among the first {k}.", "retrieval")
        table[f"precision@{k}"] = Metric(f"P@{k}", f"Share of gold passages among the first {k}.", "retrieval")
        table[f"ndcg@{k}"] = Metric(
            f"NDCG@{k}", f"Discounted gain of the first {k} over the best possible.", "retrieval"
        )
        table[f"all_gold@{k}"] = Metric(
            f"All@{k}", f"Questions with every gold passage among the first {k}.", "retrieval"
        )
    return {**table, "mrr": Metric("MRR", "Mean of 1 / rank of the first gold passage.", "retrieval")}


def _evidence() -> dict[str, Metric]:
    return {
        "context_recall": Metric("Context R", "Share of the gold passages that the synthesizer was given.", "evidence"),
        "citation_precision": Metric("Cite P", "Share of the cited passages that are gold.", "evidence"),
        "citation_recall": Metric("Cite R", "Share of the gold passages that are cited.", "evidence"),
        "binding_accuracy": Metric("Bind", "Share of bound entities that are a gold intermediate answer.", "evidence"),
        "binding_accuracy@2": Metric("Bind@2", "As Bind, the second most probable entity counted too.", "evidence"),
    }


def _confidence() -> dict[str, Metric]:
    return {
        "auroc_answers": Metric(
            "AUROC right", "Confidence ranks right answers above wrong ones; 0.5: chance.", "confidence"
        ),
        "auroc_answerable": Metric(
            "AUROC answerable",
            "Confidence ranks answerable questions above unanswerable ones; 0.5: chance.",
            "confidence",
        ),
        "aurc": Metric(
            "AURC", "Mean risk over all coverages of the answers given.", "confidence", higher_is_better=False
        ),
        "ece": Metric(
            "ECE", "Expected calibration error, 15 bins of equal width.", "confidence", higher_is_better=False
        ),
        "ece_mass": Metric("ECE mass", "Expected calibration error, 15 bins of equal number.", "confidence", False),
        "brier": Metric("Brier", "Mean squared error of the confidence.", "confidence", higher_is_better=False),
    }


def _latency() -> dict[str, Metric]:
    low, high = (f"{ms / 1000:g}" for ms in RANGE_MS)
    table = {
        f"p{q}_ms": Metric(f"p{q}", f"Percentile {q} of the time to the whole answer.", "latency", False, "ms")
        for q in (50, 95, 99)
    }
    for t in BUDGETS_MS:
        within = f"{t / 1000:g} s"
        table[f"acc@{t}ms"] = Metric(
            f"Acc@{within}", f"Right and answered within {within}, of all questions.", "latency"
        )
        table[f"acc_answered@{t}ms"] = Metric(
            f"Acc@{within} of answered", f"Right, of those answered within {within}.", "latency"
        )
    area = f"Strict Acc@T averaged over log T from {low} s to {high} s."
    return {**table, "aulc": Metric("AULC", area, "latency")}


def _cost() -> dict[str, Metric]:
    return {
        "llm_calls": Metric("LLM calls", "Language calls for each question.", "cost", False, "calls"),
        "prompt_tokens": Metric("Tokens in", "Prompt tokens for each question.", "cost", False, "tokens"),
        "completion_tokens": Metric("Tokens out", "Completion tokens for each question.", "cost", False, "tokens"),
        "cost_usd": Metric("Cost", "Price of the language calls for each question.", "cost", False, "USD"),
    }


METRICS: dict[str, Metric] = {**_answer(), **_retrieval(), **_evidence(), **_confidence(), **_latency(), **_cost()}
"""Key to metric, in the order in which reports show them."""
