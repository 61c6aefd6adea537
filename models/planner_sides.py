"""Questions with two sides: comparisons, "both", and what two things have in common, turned into one query for each.

Knows the shape of such questions and the words of `models.comparisons`; what a side itself hides ("the director of
film X") is for the planner to take apart.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.comparisons import Comparison, comparison
from models.planner_attributes import SINGULAR, asked_of_each
from models.planner_patterns import NAME, Masked, mask

_PERSONAL = re.compile(
    r"(?i)\b(director|performer|composer|author|writer|singer|producer|founder|creator|husband|wife|father|mother|spouse|"
    r"screenwriter|artist|inventor|designer)s?\b"
)
_WORK = re.compile(r"(?i)^(?:the )?(?:films?|movies?|songs?|albums?|books?|novels?|bands?|magazines?|both)[:,]? (?=\S)")

_COMPARE = re.compile(
    r"(?i)(?:compare|(?:what(?:['’]s| is| are) )?the differences? (?:in|between)) ?(?:the )?"
    r"(?:(?P<what>[\w -]{3,40}?) (?:of|between) )?(?:the )?"
    rf"(?P<a>{NAME}) (?:and|with|to) (?:the )?(?P<b>{NAME})[?. ]*"
)
_MEASURE = {
    "bigger": "size", "larger": "size", "smaller": "size", "older": "age", "younger": "age", "taller": "height",
    "higher": "height", "longer": "length", "shorter": "length", "faster": "speed",
    "cheaper": "price", "heavier": "weight",
}  # fmt: skip
_THAN = re.compile(
    rf"(?i)(?:is|are|was|were) (?:the )?(?P<a>{NAME}) (?P<how>{'|'.join(_MEASURE)}) than (?:the )?(?P<b>{NAME})[?. ]*"
)
_COMMON = re.compile(
    r"(?i)(?:in |to |of |from )?(?:what|which) (?P<what>(?:[\w.'-]+ ){1,5}?)"
    rf"(?:do|does|did|have|has|is|are|was|were) (?:both )?(?:(?:shared|held) (?:by|between) )?(?:both )?(?:the )?"
    rf"(?P<a>{NAME}) and (?:the )?(?P<b>{NAME}) ?(?:both |each )?(?:have in common|share|hold|in common|have|)\??"
)
_BOTH = re.compile(rf"(?i)(?<!\w)(?:both )?(?P<t>the |of )?(?P<a>{NAME}) and (?:the )?(?P<b>{NAME})(?: both\b)?")
_TWO_PREDICATES = re.compile(
    r"(?P<asked>(?i:(?:in|on|at|from|to|for|by) )?(?i:which|what) (?:[a-z]+ ){0,2}?[a-z]+) "
    rf"(?P<one>(?:was|were|is|are|did|does|do) [^?,]*{NAME}[^?,]*?) and "
    rf"(?P<two>(?:was|were|is|are|did|does|do) [^?,]*{NAME}[^?,]*)[? ]*"
)
_CONTINUES = re.compile(r"(?: [a-z]+){1,4} (?:whose|that|who)\b")
"""After "A and the American": the name was only the beginning of a description."""
_IN_COMMON = re.compile(r"(?i)^what (?:do|does|did) .*\bin common\b")
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
    return _side_by_side(masked) or _common(masked) or _two_predicates(masked) or _coordinated(masked)


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
    query = asked_of_each(found, text)
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


def _side_by_side(masked: Masked) -> tuple[list[Side], str, float] | None:
    """Read "Compare the population of A and B", "the difference between A and B" and "Is A bigger than B?"."""
    found = _COMPARE.fullmatch(masked.text) or _THAN.fullmatch(masked.text)
    if found is None:
        return None
    parts = found.groupdict()
    what = parts.get("what") or _MEASURE.get((parts.get("how") or "").lower(), "")
    query = f"{what} of {{}}" if what else "{}"
    return [Side(masked.plain(found[k]), query) for k in ("a", "b")], "verify" if "how" in parts else "compare", 0.7


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
        before, after = masked.text[: found.start()], masked.text[found.end() :]
        things = [masked.plain(found["a"]), masked.plain(found["b"])]
        both = _says_both(found.group(), before + after, things)
        if _CONTINUES.match(after) or not _ASKS.search(before + after) or not (both or _PLURAL.search(before + after)):
            continue
        query = "{}" if _IN_COMMON.search(before + after) else _asked_of_one(masked, before, after)
        return [Side(thing, query) for thing in things], "aggregate", 0.75 if both else 0.6
    return None


def _two_predicates(masked: Masked) -> tuple[list[Side], str, float] | None:
    """Read "In which city did A die and was B made?": one thing of which two things are said."""
    found = _TWO_PREDICATES.fullmatch(masked.text)
    if found is None:
        return None
    asked = [f"{found['asked']} {found[part].strip()}?" for part in ("one", "two")]
    return [Side("", masked.plain(query)) for query in asked], "aggregate", 0.7


def _says_both(pair: str, around: str, things: list[str]) -> bool:
    """Tell whether each of the two is meant: "both", or "did" with two full names."""
    if re.search(r"(?i)\bboth\b", pair + around):
        return True
    return all(" " in thing for thing in things) and bool(re.search(r"(?i)\bdid\b", around))


def _asked_of_one(masked: Masked, before: str, after: str) -> str:
    """Put the question in the singular, with {} where the two stood."""
    plural = re.search(r"(?i)\b(are|were|do|have)( the)? ?$", before)
    if plural:
        before = before[: plural.start()] + SINGULAR[plural.group(1).lower()].lower() + " "
    if not re.search(r"(?i)\b(?:do|does|did|can|will)\b", before):
        after = re.sub(r"(?i)^,? (are|were|have|do|share)\b", _to_singular, after)
    after = masked.plain(re.sub(r"(?i) both\b", "", after))
    return f"{masked.plain(before)} {{}}{'' if after[:1] in '?,’' else ' '}{after}".strip()


def _to_singular(found: re.Match[str]) -> str:
    word = found.group(1).lower()
    return " shares" if word == "share" else " " + SINGULAR[word].lower()
