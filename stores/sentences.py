"""Splits English text into sentences without losing a character that is not white space.

Knows abbreviations, initials, decimals and quotes; knows nothing about documents.
"""

import re

_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st rev hon gen col lt sgt capt cmdr maj adm gov sen rep pres supt mt ft no nos vol
    vols pp p ed eds fig figs eq ch sec art al cf viz vs v e.g i.e etc inc ltd co corp bros dept univ est approx
    ca c b d fl feat r.i.p ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec ph.d m.d b.a m.a b.sc
    m.sc messrs mme mlle op
    """.split()  # noqa: SIM905
)
_ENDS_SENTENCE_TOO = frozenset(
    """
    etc inc ltd co corp jr sr al ph.d m.d b.a m.a b.sc m.sc r.i.p
    """.split()  # noqa: SIM905
)
"""Abbreviations that also end sentences: the next word decides."""

_BOUNDARY = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？]+[」』”’]*|\n[ \t]*\n")
_LAST_WORD = re.compile(r"[\w.&'’-]*$")
_INITIAL = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_STARTS = re.compile(r"\s*[\"'“‘«(\[]*([^\W_]|[#$€£¿¡])")
_STARTERS = frozenset(
    """
    the a an in on at he she it they we his her its their this that these those there after before as but and
    when while since for from by with during however although both one some many who if
    """.split()  # noqa: SIM905
)
"""Words that begin a sentence when capitalised, so that "the U.S. The" is two sentences and "the U.S. Army" one."""


def split_sentences(text: str) -> list[str]:
    """Sentences of a text in order, stripped; joined again they hold every character that is not white space.

    >>> split_sentences('Dr. J. R. Smith left the U.S. in 1.5 days. "Why?" he asked. So it ends.')
    ['Dr. J. R. Smith left the U.S. in 1.5 days.', '"Why?" he asked.', 'So it ends.']
    """
    sentences = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if _is_end(text, start, match):
            sentences.append(text[start : match.end()].strip())
            start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _is_end(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group()
    if mark[0] == "\n" or mark[0] in "。！？":
        return True
    following = _STARTS.match(text, match.end())
    if following is None:
        return not text[match.end() :].strip()
    first = following.group(1)
    if first.islower():
        return False
    if mark[0] != "." or mark.startswith(".."):
        return True
    return _full_stop_ends(text, start, match, following.start(1))


def _full_stop_ends(text: str, start: int, match: re.Match[str], next_word_at: int) -> bool:
    """Whether a single full stop ends a sentence although an abbreviation or initial may stand before it."""
    before = _LAST_WORD.search(text, max(start, match.start() - 30), match.start())
    word = before.group().lstrip("'’-.") if before else ""
    next_word = re.compile(r"[^\W_]*").match(text, next_word_at)
    starter = next_word is not None and next_word.group().lower() in _STARTERS
    if word.lower() in _ABBREVIATIONS:
        return word.lower() in _ENDS_SENTENCE_TOO and starter
    if _INITIAL.fullmatch(word) and word not in ("I",):
        return starter and ("." in word or word.islower())
    return True
