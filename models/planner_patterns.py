"""The planner's patterns: how English packs one question into another, as a table of regular expressions.

They run over a *masked* question, in which every name is a single character, so that no pattern can cut a name in two
and "of" in a title is no chain. A description ("the director of film X", "the state where Y died") is a part of the
question that can be asked first. Repetition is bounded everywhere: time is linear in the question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.names import name_spans
from models.planner_clauses import relative_clauses
from models.planner_words import DEMONYMS, PARTICIPLES, RELATIONS, ROLES, TYPES, VAGUE_HEADS

_FIRST_NAME, _FIRST_NODE = 0xE000, 0xE800
"""Private-use characters stand for names (from the first) and for answers of nodes (from the second)."""

_DEMONYMS = frozenset(DEMONYMS.split())

NAME = "[\ue000-\ue8ff]"


@dataclass(frozen=True, slots=True)
class Masked:
    """A question whose names are single characters."""

    text: str
    names: tuple[str, ...]

    def plain(self, text: str) -> str:
        """Put names and placeholders back into a piece of masked text."""

        def back(found: re.Match[str]) -> str:
            number = ord(found.group())
            return f"{{n{number - _FIRST_NODE}}}" if number > _FIRST_NODE else self.names[number - _FIRST_NAME]

        return " ".join(re.sub(NAME, back, text).split())


def mask(text: str, titles: Sequence[str] = ()) -> Masked:
    """Replace each name (quoted, capitalised or a known title) by one character."""
    text = re.sub("[\ue000-\uf8ff{}]", "", text)
    pieces: list[str] = []
    names: list[str] = []
    at = 0
    for start, end in name_spans(text, titles)[:500]:
        if text[start:end] in _DEMONYMS and re.match(
            r" (?!war|empire|army|navy|league|open|cup)[a-z]", text[end : end + 9]
        ):
            continue  # "an American actor" names nobody
        *whole, last = text[start:end].split(" ")
        if whole and last in _DEMONYMS and text[start:end] not in titles and not text[end:].strip(" ?.!"):
            end -= len(last) + 1  # "Is the director of Jaws American?"
        pieces += [text[at:start], chr(_FIRST_NAME + len(names))]
        names.append(text[start:end])
        at = end
    return Masked("".join([*pieces, text[at:]]), tuple(names))


def node_mark(number: int) -> str:
    """Return the character that stands for the answer of node n<number>."""
    return chr(_FIRST_NODE + number)


@dataclass(frozen=True, slots=True)
class Description:
    """A part of a masked question that can be asked before the rest."""

    start: int
    end: int
    query: str
    confidence: float
    pattern: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One row: its name, what it matches, how its query reads, how far it is trusted."""

    name: str
    regex: re.Pattern[str]
    template: str
    confidence: float


def any_of(words: str) -> str:
    """Return an alternation of words, longest first; "-" stands for a hyphen or a space."""
    return "|".join(
        sorted((re.escape(word).replace(r"\-", "[- ]") for word in set(words.split())), key=len, reverse=True)
    )


_W = "[^\\s,;:?!\ue000-\ue8ff]+"
_SMALL = "[a-z][a-z’'-]*"
STOP = (
    "the|a|an|where|who|whose|that|which|what|when|in|on|at|by|of|for|is|was|are|were|did|does|do|has|had|to|and|or|"
    "from|with"
)
"""Words that no noun phrase runs across."""
_NOUN = rf"(?!(?:{STOP})\b){_W}"
LOW = rf"(?!(?:{STOP})\b){_SMALL}"
_WHICH_KIN = (
    "paternal|maternal|main|first|original|current|lead|former|eldest|oldest|youngest|older|younger|great|elder|half|only|"
    "second|co"
)
_RELATION = f"(?i:{any_of(RELATIONS)})"
_YEAR = r"(?: 1\d{3}| 20\d\d)?"
_EVENT = r"(?: (?:competition|contest|race|battle|fight|search) (?:for|of|in)(?: the)?)?"
_OF = rf"(?:of|for|to|behind)(?: the| a)?{_EVENT}{_YEAR}(?: {_SMALL}){{0,2}}?(?: (?:{any_of(TYPES)}))?"
_IN = rf"(?: (?:in|on|at|from|for|of) (?:the )?(?:{_SMALL} ){{0,2}}?{NAME})"

PATTERNS = (
    _Pattern(
        "name's relation",
        re.compile(rf"(?P<d>{NAME}['’]s? (?:{LOW} ){{0,2}}?(?:{_RELATION})(?: of (?:birth|death|origin))?)(?!\w)"),
        "{d}",
        0.85,
    ),
    _Pattern(
        "relation of name",
        re.compile(
            rf"(?:\b(?i:the|a|an) (?P<adjective>(?:{LOW} ){{0,2}}?))?"
            rf"(?P<d>(?:(?:{_WHICH_KIN})[- ]){{0,2}}\b(?:{_RELATION})(?: of (?:birth|death|origin))? {_OF} {NAME}"
            rf"(?: (?:film|movie|song|album|novel|(?:programming )?language))?)(?!\w| (?:team|series|show|band)\b)"
        ),
        "{adjective}{d}",
        0.85,
    ),
    _Pattern(
        "thing done by name",
        re.compile(
            rf"\b(?i:the|a|an) (?P<h>(?:{_NOUN} ){{0,4}}?{_NOUN}) (?P<v>(?:{any_of(PARTICIPLES)}|[a-z]+ed(?= by))"
            rf"(?: (?:by|in|on|at|for|from|with|as|to|after))?(?: (?:the|a|an))?(?: {_SMALL}){{0,3}}? {NAME}"
            rf"(?: and {NAME})?{_IN}{{0,2}})(?!\w|['’])"
        ),
        "{h} {v}",
        0.75,
    ),
    _Pattern(
        "name and role",
        re.compile(rf"\b(?i:the) (?P<d>{NAME} (?:{LOW} )?(?:{any_of(ROLES)}))\b(?! (?:{NAME}|who\b|that\b|whose\b))"),
        "{d}",
        0.7,
    ),
    _Pattern(
        "thing of name",
        re.compile(
            rf"\b(?i:the) (?P<d>(?:{LOW} ){{0,3}}?(?!(?:{any_of(VAGUE_HEADS)})\b){LOW} "
            rf"(?:of|for)(?: the)?{_YEAR} (?:{_SMALL} )?{NAME})(?!\w|['’])"
        ),
        "{d}",
        0.6,
    ),
)


_ASKS_INSIDE = re.compile(r"(?i)\b(?:what|how (?:many|much|old|long)|(?:by|to|of|as|for) (?:which|who(?:m|se)?))\b")
"""What holds the question itself is no description."""


_ASKS = re.compile(r"(?i)(?:\w+ )?(?:who|what|which|where|when|how|whose)\b")
_BY_PREPOSITION = re.compile(r"[a-z]+(?: [a-z]+){1,4} (?:to|for|of|as|by) (?:which|whom|whose) (?!is |was |are |were )")
"""A clause that opens with a preposition, in a sentence that asks already: "the country to which X belongs"."""


def descriptions(text: str) -> Iterator[Description]:
    """Find all descriptions in a masked text; they may overlap."""
    for pattern in PATTERNS:
        for found in pattern.regex.finditer(text):
            query = pattern.template.format(**{k: v or "" for k, v in found.groupdict().items()})
            if not _ASKS_INSIDE.search(query):
                yield Description(found.start(), found.end(), query, pattern.confidence, pattern.name)
    for clause in relative_clauses(text, NAME):
        opened = _BY_PREPOSITION.match(text[clause.start : clause.end]) if _ASKS.match(text) else None
        if _ASKS_INSIDE.search(text[clause.start + (opened.end() if opened else 0) : clause.end]):
            continue
        yield Description(clause.start, clause.end, clause.query, clause.confidence, "relative clause")


_TRIVIAL = re.compile(
    rf"(?i)(?:(?:(?:in|according to|as of|at|on|during|name|tell me)\b[^?]{{0,60}} )?(?:who|what|which|whom)"
    rf"(?:['’]s| is| was| are| were)?(?: the| a)?(?: (?:full )?(?:name|title|identity) of(?: the)?)? |name )?"
    rf"{NAME}(?: called| named| known as)?[ ?.!]*|(?:when|why|how) (?:is|was|are|were|did|do|does) {NAME}[ ?.!]*"
    rf"|who (?:is|was|were) {NAME} (?:when|while|during) [^?]*[ ?.!]*"
)
"""Rests that ask nothing more; "Who was the mayor of X when ...?" asks for the mayor at that time."""


_KINSHIP = {
    "paternal grandfather": "father of {}'s father",
    "paternal grandmother": "mother of {}'s father",
    "maternal grandfather": "father of {}'s mother",
    "maternal grandmother": "mother of {}'s mother",
    "father-in-law": "father of {}'s spouse",
    "mother-in-law": "mother of {}'s spouse",
    "parent-in-law": "parent of {}'s spouse",
    "son-in-law": "husband of {}'s daughter",
    "daughter-in-law": "wife of {}'s son",
    "child-in-law": "spouse of {}'s child",
    "stepfather": "husband of {}'s mother",
    "stepmother": "wife of {}'s father",
    "stepson": "son of {}'s spouse",
    "stepdaughter": "daughter of {}'s spouse",
    "stepchild": "child of {}'s spouse",
}
"""Relations that texts seldom state, by those that they do."""
_KIN = "|".join(_KINSHIP)
_KIN_OF = re.compile(rf"(?P<x>{NAME})['’]s (?P<a>{_KIN})\b|(?:\bthe )?\b(?P<b>{_KIN}) of (?P<y>{NAME})")


def expand_kinship(text: str) -> str:
    """Say "paternal grandmother" in two steps.

    >>> expand_kinship("Who is \ue000's paternal grandmother?")
    "Who is the mother of \ue000's father?"
    """
    return _KIN_OF.sub(lambda m: "the " + _KINSHIP[m["a"] or m["b"]].format(m["x"] or m["y"]), text)


def innermost(text: str) -> tuple[Description, str] | None:
    """Return the description that is to be asked first, and a format with one {} for the rest; None when there is none.

    The one that starts last is the innermost: "the mother of the director of X" holds "the director of X". A
    description whose rest asks nothing more ("Who is ...?") is the question itself.
    """
    found = sorted(descriptions(text), key=lambda d: (-d.start, d.end))
    for description in found:
        rest = text[: description.start] + "{}" + text[description.end :]
        if not _TRIVIAL.fullmatch(rest.replace("{}", "\ue8ff").strip()):
            return description, rest
    return None
