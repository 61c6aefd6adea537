"""Questions of two hops put together of two single ones: what the second asks about is the answer to the first.

"Who wrote Emma?" and "Where was Jane Austen born?" become "Where was the person who wrote Emma born?", with the
passages of both (as MuSiQue was made, Trivedi et al. 2022, arXiv 2108.00573, there with people to write the question).
Pure functions over examples.
"""

import calendar
import random
import re
from collections.abc import Iterator, Sequence

from models.training.reader_examples import Source, Text

FROM = ("squad", "nq", "hop")
"""Sets of single hops."""
LONGEST_NAME = 6
"""Words."""
OFTEN = 12
"""Questions in which one answer stands for what is asked about."""
MOST_WORDS = 40
MONTHS = frozenset(calendar.month_name[1:])
_DO = r"(?:did|does|do)"
_BE = r"(?:is|was|are|were)"
_FORMS = (
    (rf"(?:who|what|which) {_BE} (?P<a>the .+)", "{a}"),
    (rf"who {_DO} (?P<a>.+)", "the person whom {a}"),
    (r"who (?P<a>.+)", "the person who {a}"),
    (rf"where (?P<b>{_BE}) (?P<a>.+) (?P<c>\w+)", "the place where {a} {b} {c}"),
    (rf"where {_DO} (?P<a>.+)", "the place where {a}"),
    (rf"(?:what|which) (?P<n>(?:[a-z]+ ){{1,3}}?){_DO} (?P<a>.+)", "the {n}that {a}"),
    (rf"(?:what|which) (?P<n>(?:[a-z]+ ){{1,3}}?)(?P<a>(?:{_BE}|has|had|[a-z]+ed|[a-z]+s) .+)", "the {n}that {a}"),
)
"""A question about a thing → the thing as a noun phrase."""


def composed(sources: Sequence[Source], rng: random.Random, most: int = 3000) -> list[Source]:
    """Questions of two hops.

    Args:
        sources: questions that may be trained on; those of `FROM` are used.
        rng: which first question goes with which second one.
        most: questions at most.
    """
    single = [one for one in sources if one.set in FROM and one.answers[0] not in ("yes", "no")]
    firsts: dict[str, list[tuple[str, Source]]] = {}
    for one in single:
        phrase = noun_phrase(one.question)
        for name in one.answers[:1]:
            if phrase and _is_name(name):
                firsts.setdefault(name, []).append((phrase, one))
    used: dict[str, int] = {}
    found = []
    for second in rng.sample(single, len(single)):
        pairs = [(name, *pair) for name in _names(second.question, firsts) for pair in firsts[name]]
        fitting = [pair for pair in pairs if used.get(pair[0], 0) < OFTEN and _fit(pair[2], second, pair[0])]
        if fitting:
            name, phrase, first = rng.choice(fitting)
            used[name] = used.get(name, 0) + 1
            found.append(_joined(name, phrase, first, second))
    return [one for one in found if len(one.question.split()) <= MOST_WORDS][:most]


def noun_phrase(question: str) -> str | None:
    """What a question asks for, as a noun phrase; None where no simple form fits.

    >>> noun_phrase("Who wrote Emma?"), noun_phrase("What city did Chopin move to?"), noun_phrase("director of Jaws")
    ('the person who wrote Emma', 'the city that Chopin move to', 'the director of Jaws')
    """
    text = question.strip()
    if not text.endswith("?"):
        return f"the {text}" if re.match(r"[a-z]+ (?:of|[a-z]+ of) ", text) else None
    for form, phrase in _FORMS:
        if found := re.fullmatch(form, text.rstrip("? "), re.IGNORECASE):
            said = phrase.format(**found.groupdict())
            return re.sub(r"\bthe (?=the\b)", "", re.sub(r"\s+", " ", said))
    return None


def _is_name(text: str) -> bool:
    """Whether an answer can be what another question is about: several words or one long one, each a name's."""
    words = text.split()
    if len(words) == 1 and text in MONTHS:
        return False
    return bool(words) and len(text) >= 4 and words[0][0].isupper() and words[-1][0].isupper() and len(words) <= 6


def _names(question: str, known: dict[str, list[tuple[str, Source]]]) -> Iterator[str]:
    """The longest name of `known` that stands in a question by itself, not as a part of a longer one."""
    words = [match.span() for match in re.finditer(r"[^\s?,;:\"]+", question)]
    for length in range(LONGEST_NAME, 0, -1):
        for first in range(1, len(words) - length + 1):
            after = question[words[first + length][0]] if first + length < len(words) else " "
            before = question[words[first - 1][0]] if first > 1 else " "
            name = re.sub(r"'s$", "", question[words[first][0] : words[first + length - 1][1]])
            if name in known and not (before.isupper() or after.isupper()):
                yield name
                return


def _fit(first: Source, second: Source, name: str) -> bool:
    """Whether the two make a question whose second passage tells of the name, and that nothing gives away."""
    told = f"{second.gold[0].title} {second.gold[0].text}"
    return (
        first.gold[0] != second.gold[0]
        and name in told
        and name not in first.question
        and not any(answer in first.question or answer == name for answer in second.answers)
    )


def _joined(name: str, phrase: str, first: Source, second: Source) -> Source:
    question = re.sub(rf"(?:\b[Tt]he )?\b{re.escape(name)}\b", lambda _: phrase, second.question, count=1)
    question = re.sub(r"\s+", " ", question)
    texts: list[Text] = []
    for pair in zip(first.others[:4], second.others[:4], strict=False):
        texts += [text for text in pair if text not in (first.gold[0], second.gold[0])]
    return Source(
        f"{first.id}+{second.id}", "composed", question, second.answers, (first.gold[0], second.gold[0]),
        tuple(dict.fromkeys(texts)), second.family or second.question, first.hops | second.hops,
    )  # fmt: skip
