"""What is in a question set, counted in one pass, for `lookahead datasets show`."""

from collections import Counter
from collections.abc import Iterable

from typing_extensions import TypedDict

from evaluation.datasets.records import Question


class PassageCounts(TypedDict):
    """Of the paragraphs that the questions came with."""

    given: int
    """All of them, a paragraph of two questions twice."""
    pooled: int
    """Different ones: what the pooled corpus holds."""
    longest: int
    """Characters of the longest."""


class GoldCounts(TypedDict):
    """Of the supporting paragraphs."""

    paragraphs: int
    missing: int
    """Those that their question came without."""
    questions_without: int
    """Answerable questions that name none at all."""


class Summary(TypedDict):
    """Counts over all questions of a file."""

    questions: int
    unanswerable: int
    with_aliases: int
    with_steps: int
    with_key_facts: int
    types: dict[str, int]
    """By the question's type, most frequent first; the empty one stands for none."""
    hops: dict[str, int]
    """By the number of hops, `?` where it is not known."""
    passages: PassageCounts
    supporting: GoldCounts
    example: Question | None
    """The first question."""


def summarize(questions: Iterable[Question]) -> Summary:
    """Count; the questions may come one at a time and need not be kept."""
    counts: Counter[str] = Counter()
    types: Counter[str] = Counter()
    hops: Counter[str] = Counter()
    pool: set[bytes] = set()
    example, longest = None, 0
    for question in questions:
        example = example or question
        counts.update(_counts(question))
        types[question["type"]] += 1
        hops["?" if question["hops"] is None else str(question["hops"])] += 1
        pool.update(bytes.fromhex(passage["key"]) for passage in question["passages"])
        longest = max([longest, *(len(passage["text"]) for passage in question["passages"])])
    return {
        "questions": counts["questions"],
        "unanswerable": counts["unanswerable"],
        "with_aliases": counts["aliases"],
        "with_steps": counts["steps"],
        "with_key_facts": counts["key_facts"],
        "types": dict(types.most_common()),
        "hops": dict(sorted(hops.items())),
        "passages": {"given": counts["given"], "pooled": len(pool), "longest": longest},
        "supporting": {
            "paragraphs": counts["gold"],
            "missing": counts["missing"],
            "questions_without": counts["no_gold"],
        },
        "example": example,
    }


def _counts(question: Question) -> dict[str, int]:
    """How much one question adds to each count."""
    gold = question["supporting"]
    return {
        "questions": 1,
        "unanswerable": int(not question["answerable"]),
        "aliases": int(bool(question["aliases"])),
        "steps": int(bool(question["steps"])),
        "key_facts": int(bool(question["key_facts"])),
        "given": len(question["passages"]),
        "gold": len(gold),
        "missing": sum(not entry["passage"] for entry in gold),
        "no_gold": int(question["answerable"] and not gold),
    }
