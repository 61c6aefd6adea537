"""Relative clauses of a masked question: "the state where X died", "the man who wrote X", "the city X played for".

A small scanner over tokens, without grammar: a clause begins at its article, and ends at a comma, at the verb of the
sentence around it, or with the question. It knows verbs by list and by "-ed".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.planner_words import AUXILIARIES, VERBS, WORKS

_TOKEN = re.compile(r"[,;:?!]|[^\s,;:?!]+")
_AUX = frozenset(AUXILIARIES.split())
_VERB = frozenset(VERBS.split())
_ARTICLES = frozenset({"the", "a", "an", "this"})
_PRONOUNS = frozenset({"he", "she", "it", "they", "his", "her", "its", "their"})
_PREPOSITIONS = frozenset(
    {"in", "on", "at", "by", "for", "from", "to", "of", "with", "under", "during", "as", "after", "before", "near"}
)
_ADVERBS = frozenset(
    {
        "also",
        "first",
        "now",
        "currently",
        "originally",
        "once",
        "later",
        "not",
        "then",
        "recently",
        "mostly",
        "mainly",
        "best",
    }
)
_PARTICIPLE = re.compile(
    r"[a-z-]+(?:ed|en|ing)|born|found|built|made|held|set|known|won|led|sung|fought|cast|shot|based|said"
)
_NO_NOUN = frozenset(WORKS.split()) | frozenset(
    {"first", "last", "next", "new", "old", "largest", "second", "third", "same", "other", "only"}
)
_CUT_BEFORE = (_PREPOSITIONS | {","}) - {"to", "as", "by", "of"}
_JOINERS = (
    frozenset({"and", "or", "to", "the", "a", "an", "by", "when", "where", "who", "that", "which", "while"}) | _PRONOUNS
)
_MAX_HEAD = 7


_INVERTIBLE = re.compile(r"((?:(?!(?:is|was|are|were|will)\b)\S+ ){0,8}?\S+) (is|was|are|were|will) (\S.*)")

_PLACED = re.compile(r" (?:born|raised|buried|located|situated|based|fought|formed|held)$")


@dataclass(frozen=True, slots=True)
class Clause:
    """A noun with its relative clause: where it stands, and the query it makes."""

    start: int
    end: int
    query: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Tokens:
    """A masked text in tokens, with their places."""

    words: list[str]
    spans: list[tuple[int, int]]
    name: re.Pattern[str]

    def is_name(self, i: int) -> bool:
        return 0 <= i < len(self.words) and bool(self.name.match(self.words[i]))

    def holds_name(self, start: int, end: int) -> bool:
        """Tell whether a name stands there; in a question without any names (small letters) it may be anything."""
        return any(map(self.is_name, range(start, end))) or not any(map(self.is_name, range(len(self.words))))

    def is_verb(self, i: int) -> bool:
        if not 0 <= i < len(self.words):
            return False
        word = self.words[i]
        return word in _AUX or word in _VERB or bool(re.fullmatch(r"[a-z-]{2,}ed", word))


def relative_clauses(text: str, name: str) -> Iterator[Clause]:
    """Find nouns with a relative clause that holds a name.

    Args:
        text: Masked text.
        name: Regular expression of a masked name.
    """
    found = list(_TOKEN.finditer(text))
    tokens = _Tokens([m.group().lower() for m in found], [m.span() for m in found], re.compile(name))
    for i in range(1, len(tokens.words)):
        opened = _opens_clause(tokens, i)
        head = _head_start(tokens, opened[0]) if opened else None
        if opened is None or head is None:
            continue
        body, kind = opened[1], opened[2]
        end = _clause_end(tokens, head, body, kind)
        if end is not None and tokens.holds_name(body, end):
            yield _clause(text, tokens, (head, opened[0], body, end), kind)


def _opens_clause(tokens: _Tokens, i: int) -> tuple[int, int, str] | None:
    """Tell whether token i opens a relative clause: (end of the noun before, begin of the clause, its kind)."""
    if tokens.words[i - 1] in ("and", "or", "but"):
        return None
    word, following = tokens.words[i], tokens.words[i + 1] if i + 1 < len(tokens.words) else ""
    before = i - 1 if tokens.words[i - 1] == "," else i
    finite = tokens.is_verb(i + 1) or following in _ADVERBS
    subject = tokens.is_name(i + 1) or following in _ARTICLES | _PRONOUNS
    if word == "whose" and following.isalpha():
        return before, i + 1, "whose"
    if word in ("who", "that", "whom") and tokens.words[i - 1] not in _PREPOSITIONS | _AUX and (finite or subject):
        return before, i + 1, "subject" if finite else "object"
    if (
        word in ("which", "whom")
        and tokens.words[i - 1] in _PREPOSITIONS
        and i >= 2
        and (subject or finite or word == "whom")
    ):
        before = i - 2 if tokens.words[i - 2] == "," else i - 1
        return before, i + 1, "place"
    if word == "which" and (subject or finite):
        return before, i + 1, "subject" if finite else "object"
    if word == "where" and (subject or tokens.is_verb(i + 1) or following):
        return before, i + 1, "place"
    noun_end = i - 1 if tokens.words[i - 1] == "the" else i
    if tokens.is_name(i) and _ends_noun(tokens, noun_end) and tokens.is_verb(i + 1):
        return noun_end, noun_end, "object"  # "the city X played for"
    return None


def _ends_noun(tokens: _Tokens, i: int) -> bool:
    """Tell whether "the noun" stands right before token i."""
    return (
        i >= 2
        and tokens.words[i - 2] in _ARTICLES
        and (i < 3 or tokens.words[i - 3] not in ("which", "whom", "where", "whose", "that"))
        and (re.fullmatch(r"[a-z]{3,}", tokens.words[i - 1]) is not None and tokens.words[i - 1] not in _NO_NOUN)
    )


def _head_start(tokens: _Tokens, end: int) -> int | None:
    """Return where the noun phrase that ends before `end` begins: at its article, with no verb in between."""
    for k in range(end - 1, max(-1, end - 1 - _MAX_HEAD), -1):
        word = tokens.words[k]
        if word in _ARTICLES:
            return k if k < end - 1 else None
        if word in (",", "?", ";", "which", "what", "who", "whose") or word in _AUX:
            return None
    return None


def _clause_end(tokens: _Tokens, head: int, body: int, kind: str) -> int | None:
    """Return the token after the clause; None when the sentence around it needs a verb and has none."""
    pending = _verb_pending(tokens, head)
    i, seen_name, verbs = body, tokens.holds_name(0, 0), 0
    while i < len(tokens.words):
        word = tokens.words[i]
        if word in "?!;" or (seen_name and verbs and (word == "," or (kind == "place" and _begins_other(tokens, i)))):
            return i
        seen_name = seen_name or tokens.is_name(i)
        if tokens.is_verb(i):
            around = pending or (kind == "subject" and word in _AUX)
            if verbs and seen_name and around and tokens.words[i - 1] not in _JOINERS:
                return i - 1 if tokens.words[i - 1] in _ADVERBS else i
            i = _verb_group_end(tokens, i)
            verbs += 1
            if kind == "place" and seen_name and i < len(tokens.words) and tokens.words[i] in _CUT_BEFORE:
                follows_verb = i + 1 < len(tokens.words) and (tokens.is_verb(i + 1) or tokens.words[i] == ",")
                return i if not follows_verb or tokens.words[i] == "," else i + 1
            continue
        i += 1
    return len(tokens.words)


def _begins_other(tokens: _Tokens, i: int) -> bool:
    """Tell "the country where X is and the city ...": another noun phrase begins beside this one."""
    return (
        tokens.words[i] == "and"
        and i + 1 < len(tokens.words)
        and (tokens.words[i + 1] in _ARTICLES or tokens.is_name(i + 1))
    )


def _verb_group_end(tokens: _Tokens, i: int) -> int:
    """Return the token after "is", "is located", "was originally recorded", "played"."""
    auxiliary = tokens.words[i] in _AUX
    i += 1
    while i < len(tokens.words) and tokens.words[i] in _ADVERBS:
        i += 1
    while auxiliary and i < len(tokens.words) and tokens.words[i] in ("be", "been", "being", *_ADVERBS):
        i += 1
    return i + 1 if auxiliary and i < len(tokens.words) and _PARTICIPLE.fullmatch(tokens.words[i]) else i


def _verb_pending(tokens: _Tokens, head: int) -> bool:
    """Tell whether the sentence still waits for its verb where the noun phrase begins ("When did the ...")."""
    words = tokens.words[:head]
    if words and words[-1] == ",":
        words = []
    asks = bool(words) and words[0] in (
        "who",
        "what",
        "which",
        "where",
        "when",
        "how",
        "why",
        "in",
        "on",
        "at",
        "to",
        "from",
    )
    start = 0
    for k, word in enumerate(words):
        if word in _AUX and (asks or k == 0):
            start = k + 1
            break
    else:
        start = 0
    return not any(tokens.is_verb(k) for k in range(start, len(words)))


def _clause(text: str, tokens: _Tokens, places: tuple[int, int, int, int], kind: str) -> Clause:
    """Make the query: "Which woman portrayed X?" for a subject clause, else the noun phrase as it stands."""
    head, head_end, body, end = places
    start, stop = tokens.spans[head][0], tokens.spans[end - 1][1]
    noun = text[tokens.spans[head + 1][0] : tokens.spans[head_end - 1][1]]
    clause = text[tokens.spans[body][0] : stop]
    if kind == "subject":
        return Clause(start, stop, f"Which {noun} {clause}?", 0.75)
    confidence = 0.75 if kind == "place" else 0.7
    inverted = _INVERTIBLE.fullmatch(clause)
    if inverted is None or kind == "whose":
        return Clause(start, stop, text[tokens.spans[head + 1][0] : stop], confidence)
    by_preposition = tokens.words[body - 1] in ("which", "whom")
    opening = f"{text[slice(*tokens.spans[body - 2])]} which" if by_preposition else "In which"
    placed = kind == "place" or (body == head_end and _PLACED.search(clause))  # "the city X was born"
    opening = opening[0].upper() + opening[1:] if placed else "Which"
    return Clause(start, stop, f"{opening} {noun} {inverted[2]} {inverted[1]} {inverted[3]}?", confidence)
