"""What is asked of each side of a comparison: "When was {} born?", "population of {}", "Is {} a magazine?".

The attribute and the phrase come from `models.comparisons`; {} stands for the side. Knows nothing of plans.
"""

import re

from models.comparisons import Comparison

SINGULAR = {
    "are": "Is",
    "were": "Was",
    "do": "Does",
    "have": "Has",
    "is": "Is",
    "was": "Was",
    "does": "Does",
    "has": "Has",
}
"""The auxiliary for one of two."""

_ASKED = {
    "date_of_birth": "When was {} born?",
    "date_of_death": "When did {} die?",
    "lifespan": "When was {} born and when did {} die?",
}
_ACTIVE = {
    "came out": "come out", "come out": "come out", "took place": "take place", "take place": "take place",
    "occurred": "occur", "happened": "happen", "began": "begin", "begun": "begin", "debuted": "debut",
}  # fmt: skip
"""Verbs of beginning that stand in the active voice; all others in "When was {} ...?"."""

_AGENT = re.compile(r"(?i)\b(\w+ed|written|sung|made) by the same\b")
_PAST = {"written": "wrote", "sung": "sang"}
_PREPOSITION = r"of|for|in|from|on|about|by|during|with"
_BEFORE_VERB = re.compile(
    r"(?i)^(?:(?:in )?between )?(?:who|what|which)(?: one)?(?: of)? (?:[\w'-]+ ){0,4}?"
    r"(?=(?:is|was|are|were|has|had|did|does|can|dealt|won|wrote|made|sang|led|began|came|took|ran|went|plays|stars|\w+ed)\b)"
)


def asked_of_each(found: Comparison, question: str) -> str:
    """Return the query for one side, with {} where the side goes."""
    match found.attribute:
        case "same":
            return _same(found.phrase, question)
        case "date" if found.phrase == "date":
            return "date of {}"
        case "date":
            return (
                f"When did {{}} {_ACTIVE[found.phrase]}?"
                if found.phrase in _ACTIVE
                else f"When was {{}} {found.phrase}?"
            )
        case "number":
            return f"{found.phrase} of {{}}"
        case "both":
            return _claim_of_both(found.phrase, question)
        case "fact":
            return "{} " + re.sub(r"(?i)^(?:who|what|which) ", "", _BEFORE_VERB.sub("", found.phrase))
        case _:
            return _ASKED[found.attribute]


def _same(phrase: str, question: str) -> str:
    agent = _AGENT.search(question)
    if agent:  # "directed by the same person"
        verb = agent.group(1).lower()
        return f"Who {_PAST.get(verb, verb)} {{}}?"
    what = re.match(r"(?:[a-z-]+ ?){1,3}", phrase)
    noun = re.sub(rf" (?:as|at|to|and|or|that|which|{_PREPOSITION})\b.*", "", what.group().strip() if what else "kind")
    born = re.search(r"(?i)\bborn\b", question)
    return "birthplace of {}" if born and noun in ("place", "city", "country", "town") else f"{noun} of {{}}"


def _claim_of_both(phrase: str, question: str) -> str:
    """Return "Is {} a magazine?" for "Are A and B both magazines?"."""
    auxiliary = question.split()[0].lower()
    predicate = re.sub(r"(?i)^both |\bboth (?=\w)", "", phrase).strip()
    if auxiliary == "both":
        return f"{{}} {predicate}"
    if auxiliary in ("are", "were"):
        predicate = re.sub(rf"^((?:[\w-]+ ){{0,3}}?[a-z]{{2,}})ies(?= (?:{_PREPOSITION})\b|$)", r"a \1y", predicate)
        predicate = re.sub(rf"^((?:[\w-]+ ){{0,3}}?[a-z]{{3,}}?)s(?= (?:{_PREPOSITION})\b|$)", r"a \1", predicate)
    return f"{SINGULAR.get(auxiliary, auxiliary.capitalize())} {{}} {predicate}?"
