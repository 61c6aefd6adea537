"""Names and passages: which passages speak of something, and by which document's name a candidate is known."""

from collections.abc import Sequence
from typing import TypeVar

from models.reader import Candidate
from models.spans import answer_key, bare_title
from stores.records import Passage

PassageT = TypeVar("PassageT", bound=Passage)


def mentioning(passages: Sequence[PassageT], names: Sequence[str]) -> list[PassageT]:
    """The passages whose title or text names one of `names`, in order; all of them when none does.

    "Where was George Eliot born?" is not answered by a passage about T. S. Eliot, however much alike they are.
    """
    keys = [f" {key} " for name in names if (key := answer_key(name))]
    found = [p for p in passages if any(key in f" {answer_key(p['title'])} {answer_key(p['text'])} " for key in keys)]
    return found or list(passages)


def named_as_documents(candidates: Sequence[Candidate], names: Sequence[str]) -> list[Candidate]:
    """Candidates spelled as the documents that they name; equal ones joined, probabilities added, best first.

    "George Grey" in "a son of George Grey, 2nd Earl of Kent" is that document's subject, and searched by his full name
    it is found among all of that name.

    Args:
        candidates: what a reader found.
        names: titles of the documents that their passages name or are, the longest match is taken.
    """
    titles = sorted({bare_title(name) for name in names}, key=lambda title: (-len(title), title))
    joined: dict[str, Candidate] = {}
    for one in candidates:
        key = f" {answer_key(one['text'])} "
        holds = [t for t in titles if t in one["sentence"] and key.strip() and key in f" {answer_key(t)} "]
        text = holds[0] if holds else one["text"]
        same = joined.setdefault(answer_key(text), Candidate(**{**one, "text": text, "probability": 0.0}))
        same["probability"] = round(min(1.0, same["probability"] + one["probability"]), 4)
    return sorted(joined.values(), key=lambda one: -one["probability"])
