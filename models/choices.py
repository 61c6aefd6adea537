"""The two things a question offers or puts side by side: "A or B", "between A and B", "are both A and B ...".

Regular expressions with bounded repetition over one tidied line; knows nothing of what is compared.
"""

import re

from models.names import name_spans

AUXILIARY = re.compile(
    r"(?i)(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might)(?:n't)?\b(?=[^?]{3})"
)
"""The first word of a yes/no question."""


_ASKS = re.compile(r"(?i)(?:\b(?:who|which|what|whose|where)\b|^(?:in|on|at|of|between|out) )")
_FIRST = r"first|earlier|later|last|older|younger|longer|recently"
_COMPARATIVE = re.compile(rf"(?i)\b(?:{_FIRST}|larger|higher|taller|bigger|more [a-z]+(?: [a-z]+)?)\b")
_BETWEEN = re.compile(r"(?i)(?:in )?between (.{2,150}?),? (?:and|or) ([^,]{2,150}?),? (?=which|who|what)")
_OUT_OF = re.compile(rf"\b(?:{_FIRST}|more \w+)[ ,]+out of (?:the )?(.{{2,150}}) (?:and|or) (?:the )?(.{{2,150}})$")
_IN_MIDDLE = re.compile(
    r"(?i)(?:who|which|what)(?: [\w'-]+){0,5},? ([^,]{2,100}?) or ([^,]{2,100}?),? "
    r"(?=(?:is|was|were|has|had|did|does)\b)"
)
_AFTER_OPTIONS = re.compile(r"(?i),? (?=(?:is|are|was|were|has|had|have|did|does|do)\b)")


def choices(question: str) -> tuple[str, str] | None:
    """Return the two things to choose between, as they stand in the question; None when it offers no choice.

    >>> choices("Which magazine was started first, Arthur's Magazine or First for Women?")
    ("Arthur's Magazine", 'First for Women')
    """
    text = tidy(question)
    if len(text) > 1_000 or not re.search(r" (?:or|and) ", text):
        return None
    found = _options_between(text)
    if not found and " or " in text:
        found = _options_at_end(text) or _options_in_middle(text) or _options_of_auxiliary(text)
    return found if found and all(0 < len(side) <= 200 for side in found) else None


def tidy(question: str) -> str:
    """Return the question on one line, without the marks at its end, at most 2,000 characters."""
    return " ".join(question[:2_000].split()).rstrip(" ?.!")


def _options_between(text: str) -> tuple[str, str] | None:
    """Read "Between A and B, which one ..." and "Which ... first out of A and B"."""
    found = _BETWEEN.match(text) or _OUT_OF.search(text)
    return (found.group(1), found.group(2)) if found else None


def _options_at_end(text: str) -> tuple[str, str] | None:
    """Read "Which ... first, A or B" and "Who is older A or B"."""
    if not _ASKS.search(text[:60]):
        return None
    for mark in (", ", ": ", " - ", "--", "; ", " between ", " out of ", "? "):
        head, found, tail = text.partition(mark)
        while found:
            if _splits(tail) and _ASKS.search(head):
                return _split(tail)
            more, found, tail = tail.partition(mark)
            head += mark + more
    if not re.match(r"(?i)(?:\w+,? )?(?:who|which|what|whose|where)\b", text):
        return None
    # without a comma: the options begin after the comparative, or with the first capital after lower-case words
    left, _, right = text.rpartition(" or ")
    comparatives = list(_COMPARATIVE.finditer(left))
    start = comparatives[-1].end() if comparatives else _last_lower_case(left)
    option = left[start:].strip(" ,:") if start else ""
    named = re.match(r"[\"“'A-Z0-9À-ÞĀ-ɏ]|the ", option) or (comparatives and text == text.lower())
    return (option, right.strip()) if option and named else None


def _last_lower_case(text: str) -> int:
    """Return where the last run of capitalised words begins, after at least two lower-case words; 0 when unclear."""
    found = re.search(
        r"(?:^|\s)((?:[\"“(]?[A-Z0-9À-Þ][^\s]*|of|the|and|de|&|in)(?: (?:[\"“(]?[A-Z0-9À-Þ][^\s]*|of|the|de|&))*)$",
        text,
    )
    if not found or not re.search(
        r" (?:is|was|are|were|has|had|have|did|does|do|\w+ed) .*$", " " + text[: found.start(1)]
    ):
        return 0
    return found.start(1)


def _splits(tail: str) -> bool:
    left, found, right = tail.rpartition(" or ")
    return (
        bool(found and left and right)
        and ", " not in re.sub(r", (?=[A-Z(])", " ", left)
        and not _AFTER_OPTIONS.search(right)
    )


def _split(tail: str) -> tuple[str, str]:
    left, _, right = tail.rpartition(" or ")
    left = re.sub(r"(?i)^(?:either|between) ", "", left.strip(" ,:;-"))
    return left, right.strip(" ,:;-")


def _options_in_middle(text: str) -> tuple[str, str] | None:
    """Read "Which musician, A or B, is a member of C"."""
    found = _IN_MIDDLE.match(text)
    return (found.group(1), found.group(2)) if found else None


def _options_of_auxiliary(text: str) -> tuple[str, str] | None:
    """Read "Did A or B originate in a more southern location" and "Is A or B larger"."""
    if not AUXILIARY.match(text):
        return None
    if re.match(r"(?i)\w+ both\b", text):
        return None
    found = re.search(r" ([a-z]{3,20}) or ((?!more|less|not|fewer)[a-z]{3,20})(?: |$)", text)
    if found:
        return found.group(1), found.group(2)
    found = re.match(r"(?:\w+) (?:the )?([^,]{2,100}?) or ((?:[A-Z0-9\"“À-Þ]\S* ?|of |the |and ){1,8})(?=[a-z])", text)
    return (found.group(1).strip(), found.group(2).strip()) if found else None


_VERBS = (
    r"both|each|located|situated|based|found|from|of the|the same|in the|in|on|at|have|has|had|share|shared|born|die|"
    r"died|belong|belonging|originate|originated|hail|play|played|occur|occurred|work|worked|appear|involved|considered|known|"
    r"native|directed|written|published|released|produced|made|used|named|members|connected|"
    r"start|contain|include|come|came|feature|featured|live|lived|serve|served|attend|attended|get|take|receive|win|won|"
    r"[a-z]+(?:s|ed|ing|ly|al|an)|(?:[A-Z][a-z]+(?:an|ish|ese|ch)|cities|people|men|women|films?|types?|genus|genera)$"
)

_PREDICATE = re.compile(rf",? (?=(?:{_VERBS})\b(?! [A-Z]\w+ (?:and|or)\b))")


def pair_of(text: str) -> tuple[str, str, str] | None:
    """Split "Are both A and B from C" into A, B and "from C"; None when there are no two names."""
    body = re.sub(r"(?i)^(?:\w+n't|\w+) ", "", text) if not re.match(r"(?i)both\b", text) else text
    body = re.sub(r"(?i)^both(?: of)?(?: the)? ", "", body)
    body = re.sub(r"^(?:the )?(?:[a-z]+ ){0,3}[a-z]+s(?:[,:] ?| (?=[A-Z\"“]))", "", body)
    best: tuple[str, str, str] | None = None
    for found in re.finditer(r",? and (?:the )?", body):
        left, rest = body[: found.start()].strip(" ,:"), body[found.end() :]
        named = name_spans(rest)
        if named and named[0][0] == 0 and rest[named[0][1] :].strip(" ,") and left:
            return left, rest[: named[0][1]], rest[named[0][1] :].strip(" ,")
        ends = _PREDICATE.search(rest)
        if not left or not ends or ends.start() == 0:
            continue
        candidate = (left, rest[: ends.start()].strip(" ,"), rest[ends.end() :])
        if best is None and re.match(r"[\"“A-Z0-9À-ÞĀ-ɏ]|(?:the )?[a-z]+s? ", candidate[1]):
            best = candidate
    return best
