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
        if text[start:end] in _DEMONYMS and re.match(r" [a-z]", text[end : end + 2]):
            continue  # "an American actor" names nobody
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


def _any(words: str) -> str:
    return "|".join(
        sorted((re.escape(word).replace(r"\-", "[- ]") for word in set(words.split())), key=len, reverse=True)
    )


_W = "[^\\s,;:?!\ue000-\ue8ff]+"
_SMALL = "[a-z][a-z’'-]*"
_STOP = "the|a|an|where|who|whose|that|which|what|when|in|on|at|by|of|for|is|was|are|were|did|does|do|has|had|to|and|or|from|with"
_NOUN = rf"(?!(?:{_STOP})\b){_W}"
_LOW = rf"(?!(?:{_STOP})\b){_SMALL}"
_KIN = "paternal|maternal|main|first|original|current|lead|former|eldest|oldest|youngest|older|younger|great|elder|half|only|second|co"
_OF = rf"(?:of|for|to|behind)(?: the| a)?(?: {_SMALL}){{0,2}}?(?: (?:{_any(TYPES)}))?"
_IN = rf"(?: (?:in|on|at|from|for|of) (?:the )?(?:{_SMALL} ){{0,2}}?{NAME})"

PATTERNS = (
    _Pattern(
        "name's relation",
        re.compile(
            rf"(?P<d>{NAME}['’]s? (?:{_LOW} ){{0,2}}?(?:{_any(RELATIONS)})(?: of (?:birth|death|origin))?)(?!\w)"
        ),
        "{d}",
        0.85,
    ),
    _Pattern(
        "relation of name",
        re.compile(
            rf"(?:\b(?i:the|a|an) )?(?P<d>(?:(?:{_KIN})[- ]){{0,2}}\b(?:{_any(RELATIONS)})(?: of (?:birth|death|origin))? {_OF} {NAME}"
            rf"(?: (?:film|movie|song|album|novel))?)(?!\w|['’])"
        ),
        "{d}",
        0.85,
    ),
    _Pattern(
        "thing done by name",
        re.compile(
            rf"\b(?i:the|a|an) (?P<h>(?:{_NOUN} ){{0,4}}?{_NOUN}) (?P<v>(?:{_any(PARTICIPLES)})"
            rf"(?: (?:by|in|on|at|for|from|with|as|to|after))?(?: (?:the|a|an))?(?: {_SMALL}){{0,3}}? {NAME}"
            rf"(?: and {NAME})?{_IN}{{0,2}})(?!\w|['’])"
        ),
        "{h} {v}",
        0.75,
    ),
    _Pattern(
        "name and role",
        re.compile(rf"\b(?i:the) (?P<d>{NAME} (?:{_LOW} )?(?:{_any(ROLES)}))\b(?! (?:{NAME}))"),
        "{d}",
        0.7,
    ),
    _Pattern(
        "thing of name",
        re.compile(
            rf"\b(?i:the) (?P<d>(?:{_LOW} ){{0,3}}?(?!(?:{_any(VAGUE_HEADS)})\b){_LOW} (?:of|for) (?:the )?(?:{_SMALL} )?{NAME})(?!\w|['’])"
        ),
        "{d}",
        0.6,
    ),
)


def descriptions(text: str) -> Iterator[Description]:
    """Find all descriptions in a masked text; they may overlap."""
    for pattern in PATTERNS:
        for found in pattern.regex.finditer(text):
            query = pattern.template.format(**found.groupdict())
            yield Description(found.start(), found.end(), query, pattern.confidence, pattern.name)
    for clause in relative_clauses(text, NAME):
        yield Description(clause.start, clause.end, clause.query, clause.confidence, "relative clause")


_TRIVIAL = re.compile(
    rf"(?i)(?:(?:who|what|which|whom)(?:['’]s| is| was| are| were)?(?: the| a)?(?: (?:full )?(?:name|title|identity) of(?: the)?)?)? ?"
    rf"{NAME}(?: called| named| known as)?[ ?.!]*|(?:when|why|how) (?:is|was|are|were|did|do|does) {NAME}[ ?.!]*"
)


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


@dataclass(frozen=True, slots=True)
class Statement:
    """A question put as a statement: "X is named after a book that sold how many copies?"."""

    first: str
    """"X is named after which book?"; empty when the thing is named and only the rest is asked."""
    rest: str
    """"sold how many copies?", asked of the first's answer."""
    restricts: bool
    """The rest asks nothing: it says which of the first's answers is meant."""
    confidence: float


_ASK = r"(?:what|which|who|whom|where|when|how (?:many|much|old|long))"
_STATEMENT = re.compile(
    rf"(?P<clause>[^?]{{0,200}}?{NAME}[^?]{{1,200}}?) (?:an?|the|one of the) (?P<head>(?:(?!(?:{_STOP})\b)\S+ ){{0,6}}?{_LOW}),? "
    rf"(?P<rel>that|which|who|(?:{_any(PARTICIPLES)}|{_SMALL}ed)|from|with) (?P<rest>[^?]{{3,300}})\??"
)
_NAMED = re.compile(
    rf"[^?]{{0,200}}?\b(?:is|was|are|were|in|at|by|from|of|on|for|with|[a-z]+ed|[a-z]+s)\b[^?]{{0,60}}? (?P<name>{NAME})"
    rf"(?:,? (?P<rel>which|who)|, (?P<part>{_any(PARTICIPLES)})) (?P<rest>[^?]{{0,100}}\b{_ASK}\b[^?]*)\??"
)
_OPENS_QUESTION = re.compile(
    rf"(?i)(?:\w+ )?{_ASK}\b|(?:is|are|was|were|do|does|did|has|have|can|could|will|would)\b|whose\b"
)


def statement(text: str) -> Statement | None:
    """Take a masked question in the form of a statement apart; None for other questions."""
    if _OPENS_QUESTION.match(text):
        return None
    named = _NAMED.fullmatch(text)
    if named:
        return Statement("", f"{named['name']} {_finite(named['rel'] or named['part'])}{named['rest']}?", False, 0.7)
    found = _STATEMENT.fullmatch(text.strip())
    if found is None:
        return None
    asks = re.search(rf"(?i)(?<!\w){_ASK}\b", found["rest"])
    if not asks and re.search(rf"(?i)\b{_ASK}\b", found["clause"]):
        return None
    first = f"{found['clause']} which {found['head']}?"
    if asks:
        return Statement(first, f"{_finite(found['rel'])}{found['rest']}?", False, 0.7)
    return Statement(first, f"{found['head']} {found['rel']} {found['rest']}", True, 0.55)


def _finite(relative: str) -> str:
    """Turn what joins a description to its noun into the beginning of a predicate."""
    if relative in ("that", "which", "who"):
        return ""
    return {"with": "has ", "from": "is from "}.get(relative, f"was {relative} ")
