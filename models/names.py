"""Names in a text, found by quotes, capitals and a list of known titles; one pass, no model.

Knows nothing of questions and plans. What matters most to its callers: a name is never cut in two.
"""

import re
from collections.abc import Sequence

_QUOTED = re.compile(r"\"([^\"]{1,200})\"|“([^“”]{1,200})”|(?<!\w)'([^']{1,100}(?:'\w[^']{0,100})?)'(?!\w)")
_NUMBERED = re.compile(r"\b(?i:the|this) (\d[\w–-]* )$")
"""What belongs to the name after it: "the 1997 Cheltenham Gold Cup"."""
_TOKEN = re.compile(r"[^\s]+")
_OPENERS = """a an and are as at be been before both but by can could did do does during each for from given had
    has have he her his how i if in into is it its may of on one or out she should since some such than that the
    their there these they this those to under until was we were what what's when where which while who who's
    whom whose why will with would name list compare tell give explain describe find show please enumerate
    between after besides according near along across within beside"""
_NO_NAME = frozenset(_OPENERS.split())
"""Words that open a sentence with a capital without opening a name."""
_OFFICES = frozenset({"CEO", "CFO", "CTO", "COO", "VP"})
_INNER = "of the de del della der den di da du la le las los van von y et al bin ibn ben & n' 'n' n’ 'n"
_PARTICLES = frozenset(_INNER.split())
"""Words in small letters that stand inside names."""
_OPENING = '"“‘('
_ABBREVIATION = re.compile(r"(?:\w|[A-Z]\w{0,2}|(?:\w\.)+\w)\.$")


def named_entities(text: str, titles: Sequence[str] = ()) -> list[str]:
    r"""Return the names in a text, in order, each once.

    >>> named_entities('Did the Earl of Derby see "The Good Dinosaur" with Guns N\' Roses?')
    ['Earl of Derby', 'The Good Dinosaur', "Guns N' Roses"]
    """
    return list(dict.fromkeys(text[start:end].strip("\"“”'") for start, end in name_spans(text, titles)))


def name_spans(text: str, titles: Sequence[str] = ()) -> list[tuple[int, int]]:
    """Return where names stand, as (start, end), in order and apart; quoted names with their quotes.

    Args:
        text: Any text; time is linear in its length.
        titles: Names known to stand in the text, as they stand in it. Small letters count as a name only in a text
            without capitals, and only with several words: there is a page called "date of birth".
    """
    spans = [found.span() for found in _QUOTED.finditer(text)]
    all_small = text[1:] == text[1:].lower()
    for title in titles[:100]:
        if title[1:] != title[1:].lower() or title[:1].isupper() or (all_small and " " in title):
            found = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", text)]
            spans += [span for span in found if span[0] > 0 or title.lower() not in _NO_NAME]
    return _joined([(start, _with_parenthesis(text, end)) for start, end in _joined(spans + _capitalised(text))])


def _with_parenthesis(text: str, end: int) -> int:
    """Return the end of a name with the parenthesis that tells it from its namesakes: "Seenu (1999 film)"."""
    found = re.compile(r" \([^()]{1,40}\)").match(text, end)
    return found.end() if found and text[end - 1] not in ')"' else end


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join overlapping spans."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _capitalised(text: str) -> list[tuple[int, int]]:
    """Return runs of capitalised words, with the particles and numbers inside them."""
    spans: list[tuple[int, int]] = []
    start = end = -1
    opens_sentence = True
    for found in _TOKEN.finditer(text):
        token = found.group()
        core, closes = _core(token)
        if token[0] in _OPENING and start >= 0:
            spans.append((start, end))
            start = -1
        if _is_name_word(core, opens_sentence, inside=start >= 0):
            begin = found.start() + token.find(core)
            numbered = _NUMBERED.search(text, max(0, begin - 25), begin) if start < 0 else None
            begin_name = numbered.start(1) if numbered else begin
            start, end = (start if start >= 0 else begin_name), begin + len(core)
        elif core.lower() != core or core not in _PARTICLES:
            closes = True
        if closes and start >= 0:
            spans.append((start, end))
            start = -1
        opens_sentence = token.endswith(("?", "!")) or (token.endswith(".") and not _ABBREVIATION.search(token))
    return _joined_by_comma(text, [*spans, (start, end)] if start >= 0 else spans)


def _core(token: str) -> tuple[str, bool]:
    """Strip punctuation and the possessive; tell whether a name must end after the token.

    A possessive ends a name only when a small word follows: "Franklin's wife", but "Miss Peregrine's Home".
    """
    core = token.strip(',;?!"“”‘').rstrip(":")
    if core.count("(") != core.count(")"):
        core = core.strip("()")
    if core.endswith(".") and not _ABBREVIATION.search(core):
        core = core.rstrip(".")
    closes = token[-1] in ",;?!" or (token.endswith(".") and not core.endswith("."))
    possessive = re.search(r"(?:(?<=[^'’])['’]s|(?<=s)['’])$", core)
    return (core[: possessive.start()] if possessive else core), closes


def _is_name_word(core: str, opens_sentence: bool, *, inside: bool) -> bool:
    if re.match(r"[a-z]+[A-Z]", core):
        return True  # iPhone
    if not core or not (core[0].isupper() or core[0].isdigit()) or (core in _OFFICES and not inside):
        return False
    if core[0].isdigit():
        return inside
    opener = opens_sentence and core.lower() in _NO_NAME
    return inside or not (opener or core.lower() in ("i", "what", "which"))


def _joined_by_comma(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join "Odessa, Texas" and "Raffles (1958 film)": names with nothing but a comma or a colon between them."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and text[joined[-1][1] : start] in (", ", ": "):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
