"""Questions with two sides: comparisons, "both", and what two things have in common, turned into one query for each.

Knows the shape of such questions and the words of `models.comparisons`; what a side itself hides ("the director of
film X") is for the planner to take apart.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.comparisons import Comparison, comparison
from models.planner_patterns import NAME, Masked, mask
from models.planner_words import RELATIONS

_RELATION = re.compile(
    rf"(?i)\b({'|'.join(w.replace('-', '[- ]') for w in sorted(RELATIONS.split(), key=len)[::-1])})s?\b"
)
_PERSONAL = re.compile(
    r"(?i)\b(director|performer|composer|author|writer|singer|producer|founder|creator|husband|wife|father|mother|spouse|"
    r"screenwriter|artist|inventor|designer)s?\b"
)
_WORK = re.compile(r"(?i)^(?:the )?(?:films?|movies?|songs?|albums?|books?|novels?|bands?|magazines?|both)[:,]? (?=\S)")

_ASKED = {
    "date_of_birth": "When was {} born?",
    "date_of_death": "When did {} die?",
    "lifespan": "When was {} born and when did {} die?",
    "number": "%s of {}",
    "same": "%s of {}",
}
"""The query for one side of a comparison, by attribute; %s is what is measured."""

_SINGULAR = {
    "are": "Is",
    "were": "Was",
    "do": "Does",
    "have": "Has",
    "is": "Is",
    "was": "Was",
    "does": "Does",
    "has": "Has",
}

_COMMON = re.compile(
    r"(?i)(?:in |to |of |from )?(?:what|which) (?P<what>(?:[\w.'-]+ ){1,5}?)"
    rf"(?:do|does|did|have|has|is|are|was|were) (?:both )?(?:(?:shared|held) (?:by|between) )?(?:both )?(?:the )?"
    rf"(?P<a>{NAME}) and (?:the )?(?P<b>{NAME}) ?(?:both |each )?(?:have in common|share|hold|in common|have|)\??"
)
_BOTH = re.compile(rf"(?i)(?<!\w)(?:both )?(?P<t>the |of )?(?P<a>{NAME}) and (?:the )?(?P<b>{NAME})(?: both\b)?")
_CONTINUES = re.compile(r"(?: [a-z]+){1,4} (?:whose|that|who)\b")
"""After "A and the American": the name was only the beginning of a description."""
_PLURAL = re.compile(r"(?i)\b(?:are|were|do|both|have|share|common|each|shared)\b")
_ASKS = re.compile(r"(?i)\b(?:what|which|who|whose|where|when|how)\b")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two things, and what is asked of it."""

    thing: str
    query: str
    """With {} where the thing, or the placeholder of its node, goes."""
    described: bool = False
    """The thing is a description ("director of film X") and must be looked up first."""
    claim: bool = False
    """The query is a claim to be verified."""


def sides(text: str, titles: Sequence[str]) -> tuple[list[Side], str, float] | None:
    """Return the two sides, the operator that brings them together and the confidence; None for other questions."""
    safe, names = _stand_ins(text, titles)
    compared = comparison(safe)
    if compared is not None and not (compared.attribute == "fact" and compared.options[0].islower()):
        asked, op, confidence = _compared(compared, safe)
        return (
            [replace(s, thing=_restored(s.thing, names), query=_restored(s.query, names)) for s in asked],
            op,
            confidence,
        )
    masked = mask(text, titles)
    return _common(masked) or _coordinated(masked)


def _stand_ins(text: str, titles: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Put one word in place of each known title, so that "and", "or" and commas in titles divide nothing."""
    names: dict[str, str] = {}
    for title in sorted(titles[:50], key=len, reverse=True):
        if title[:1].isupper() and " " in title and title in text:
            names[f"Zq{len(names)}qz"] = title
            text = text.replace(title, f"Zq{len(names) - 1}qz")
    return text, names


def _restored(text: str, names: dict[str, str]) -> str:
    return re.sub(r"Zq\d+qz", lambda found: names.get(found.group(), found.group()), text)


def _compared(found: Comparison, text: str) -> tuple[list[Side], str, float]:
    relation = _shared_relation(found, text)
    query = _query(found, text)
    claim = found.attribute in ("both", "fact")
    asked = []
    for option in found.options:
        thing = _WORK.sub("", option) if relation or not claim else option
        described = bool(relation) or bool(re.match(rf"(?i)(?:the )?{_PERSONAL.pattern[4:]} (?:of|for) ", option))
        asked.append(Side(f"{relation} of {thing}" if relation else thing, query, described, claim))
    return asked, "compare", {"fact": 0.55, "both": 0.75}.get(found.attribute, 0.85)


def _shared_relation(found: Comparison, text: str) -> str:
    """Return "director" for "Which film has the director who died first, A or B?", else nothing."""
    if found.attribute in ("both", "fact") or any(_PERSONAL.search(option) for option in found.options):
        return ""
    around = text.replace(found.options[0], "").replace(found.options[1], "")
    relation = re.search(rf"(?i)\b(?:has|have|whose|with)\b.{{0,30}}?{_PERSONAL.pattern[4:]}", around)
    relation = relation or re.search(rf"(?i){_PERSONAL.pattern[4:]} of\b", around)
    return relation.group(1).lower() if relation else ""


def _query(found: Comparison, text: str) -> str:
    if found.attribute == "same":
        what = re.match(r"(?:[a-z-]+ ?){1,3}", found.phrase)
        noun = re.sub(r"(?: (?:as|of|in|for|by|at|from|to)\b.*)", "", what.group().strip() if what else "kind")
        agent = re.search(r"(?i)\b(\w+ed|written|sung|made) by the same\b", text)
        if agent:
            return f"Who {agent[1].lower().replace('written', 'wrote').replace('sung', 'sang')} {{}}?"
        born = re.search(r"(?i)\bborn\b", text)
        return "birthplace of {}" if born and noun in ("place", "city", "country", "town") else f"{noun} of {{}}"
    if found.attribute == "date":
        verb = found.phrase
        if verb.startswith(("c", "t", "o", "h")) and re.match(r"(?:came|come|took|take|occurred|happened)\b", verb):
            base = {"came": "come", "took": "take", "occurred": "occur", "happened": "happen"}
            first, _, more = verb.partition(" ")
            return f"When did {{}} {base.get(first, first)} {more}".strip() + "?"
        return "date of {}" if verb == "date" else f"When was {{}} {verb}?"
    if found.attribute in ("both", "fact"):
        return _claim(found, text)
    query = _ASKED[found.attribute]
    return query.replace("%s", found.phrase)


def _claim(found: Comparison, text: str) -> str:
    """Return the claim about one side: "Is {} a magazine?", "{} is based in Switzerland"."""
    if found.attribute == "both":
        auxiliary = text.split()[0].lower()
        predicate = re.sub(r"(?i)^both |\bboth (?=\w)", "", found.phrase).strip()
        if auxiliary == "both":
            return f"{{}} {predicate}"
        if auxiliary in ("are", "were"):
            predicate = re.sub(
                r"^((?:[\w-]+ ){0,3}?[a-z]{3,}?)s(?= (?:of|for|in|from|on|by|during|with)\b|$)", r"a \1", predicate
            )
        return f"{_SINGULAR.get(auxiliary, auxiliary.capitalize())} {{}} {predicate}?"
    predicate = re.sub(
        r"(?i)^(?:(?:in )?between )?(?:who|what|which)(?: one)?(?: of)? "
        r"(?:[\w'-]+ ){0,4}?(?=(?:is|was|are|were|has|had|did|does|can|dealt|won|wrote|made|"
        r"sang|led|began|came|plays|stars|\w+ed)\b)",
        "",
        found.phrase,
    )
    return "{} " + re.sub(r"(?i)^(?:who|what|which) ", "", predicate)


def _common(masked: Masked) -> tuple[list[Side], str, float] | None:
    """Read "What profession do A and B have in common?"."""
    found = _COMMON.fullmatch(masked.text)
    if found is None:
        return None
    what = masked.plain(found["what"])
    return [Side(masked.plain(found[k]), f"{what} of {{}}") for k in ("a", "b")], "aggregate", 0.8


def _coordinated(masked: Masked) -> tuple[list[Side], str, float] | None:
    """Read "Which actor starred in both A and B?" and "A and B are both what?": the question is asked of each."""
    for found in _BOTH.finditer(masked.text):
        around = masked.text[: found.start()] + masked.text[found.end() :]
        both = " both" in found.group().lower() or found.group().lower().startswith("both") or "both" in around.lower()
        if (
            _CONTINUES.match(masked.text, found.end())
            or not _ASKS.search(around)
            or not (both or _PLURAL.search(around))
        ):
            continue
        before, after = masked.text[: found.start()], masked.text[found.end() :]
        if re.search(r"(?i)\bin common\b", around) and not re.search(r"(?i)\bwhat \w+ (?:do|does|did)\b", before):
            return [Side(masked.plain(found[k]), "{}") for k in ("a", "b")], "aggregate", 0.6
        plural = re.search(r"(?i)\b(are|were|do|have)( the)? ?$", before)
        if plural:
            before = before[: plural.start()] + _SINGULAR[plural.group(1).lower()].lower() + " "
        if not re.search(r"(?i)\b(?:do|does|did|can|will)\b", before):
            after = re.sub(r"(?i)^,? (are|were|have|do|share)\b", _to_singular, after)
        after = re.sub(r"(?i) both\b", "", after)
        query = (
            masked.plain(before)
            + (" " if before else "")
            + "{}"
            + ("" if after[:1] in "?,'" else " ")
            + masked.plain(after)
        )
        return [Side(masked.plain(found[k]), query.strip()) for k in ("a", "b")], "aggregate", 0.75 if both else 0.6
    return None


def _to_singular(found: re.Match[str]) -> str:
    word = found.group(1).lower()
    return " shares" if word == "share" else " " + _SINGULAR[word].lower()
