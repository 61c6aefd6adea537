"""Names of entities, and where they stand in a text. Pure functions; knows nothing about how links are stored.

A passage links to a document when its text names the document's title or one of its other names: whole tokens, any case
and accents, the longest name first. The result depends only on the text and the set of names, never on the order in which
they came.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from stores.records import Document
from stores.sentences import split_sentences

MAX_NAME_TOKENS = 16
MIN_NAME_CHARACTERS = 4

STOPWORDS = frozenset(
    """a about above after again against all also although am among an and another any anyone anything are around as at be
    because been before being below between both but by can could did do does doing down during each early either etc even
    every everyone everything few first for former from further had has have having he her here hers herself him himself his
    home how however i if in indeed into is it its itself just last late later least less like made many may me might more
    most much must my myself near neither never new next no nobody none nor not nothing now of off often on once one only or
    other others our ours ourselves out over own part perhaps same second several shall she should since so some someone
    something soon still such than that the their theirs them themselves then there therefore these they third this those
    though through throughout thus to together too toward towards two under until up upon us very was we well were what
    whatever when where whether which while who whoever whom whose why will with within without would yes yet you your yours
    yourself""".split()
)
"""Words that are no name by themselves, many of them because they stand capitalised at the start of a sentence."""

_WORD = re.compile(r"[^\W_]+")
_PARENTHESIS = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")


@lru_cache(maxsize=200_000)
def fold(word: str) -> str:
    """The word as it is compared: lower case, no accents."""
    if word.isascii():
        return word.lower()
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).casefold()


def words(text: str) -> list[str]:
    """Tokens of a text as they stand there: runs of letters and digits."""
    return _WORD.findall(unicodedata.normalize("NFC", text))


def stands_out(word: str) -> bool:
    """Whether a word could be a name by its looks: it has a capital, or no letter that could be one."""
    return word != word.lower() or word == word.upper()


def name_key(name: str) -> str | None:
    """How a name is compared: its folded tokens joined by blanks; None if it is too short, too long or too common.

    >>> name_key("The Hague (city)"), name_key("The Who"), name_key("It"), name_key("1984")
    ('the hague city', None, None, None)
    """
    keys = [fold(word) for word in words(name)]
    if not 0 < len(keys) <= MAX_NAME_TOKENS or sum(map(len, keys)) < MIN_NAME_CHARACTERS:
        return None
    if all(key in STOPWORDS or key.isdigit() for key in keys):
        return None
    return " ".join(keys)


class Names(Protocol):
    """A set of name keys that can be asked for the longest one."""

    def longest_from(self, token: str) -> int:
        """Upper bound of the tokens of a name that begins with `token`; 0 if none does."""
        ...

    def __contains__(self, key: str, /) -> bool: ...


class NameSet:
    """Name keys with the number of each; only grows or shrinks, never forgets how long names were (an upper bound)."""

    def __init__(self, names: Iterable[tuple[str, int]] = ()) -> None:
        self.ids: dict[str, int] = {}
        self._longest: dict[str, int] = {}
        for key, number in names:
            self.add(key, number)

    def add(self, key: str, number: int = 0) -> None:
        """Add a key as `name_key` makes it."""
        self.ids[key] = number
        first, _, _ = key.partition(" ")
        length = key.count(" ") + 1
        if self._longest.get(first, 0) < length:
            self._longest[first] = length

    def longest_from(self, token: str) -> int:
        return self._longest.get(token, 0)

    def __contains__(self, key: str, /) -> bool:
        return key in self.ids


@dataclass(frozen=True, slots=True)
class ChangedNames:
    """`base` as it will be when the changes are committed."""

    base: NameSet
    added: NameSet
    removed: frozenset[str]

    def longest_from(self, token: str) -> int:
        return max(self.base.longest_from(token), self.added.longest_from(token))

    def __contains__(self, key: str, /) -> bool:
        return key in self.added or (key in self.base and key not in self.removed)


def mentions(tokens: Sequence[str], names: Names, *, question: bool = False) -> list[tuple[int, int, str]]:
    """Names in a text, from left to right, the longest at each place; places do not overlap.

    A name with one word that is not a stopword counts only where that word stands out (`stands_out`), so that "home" or
    "the end" link to no film; in a question, which people type carelessly, only names of a single word need it.

    Args:
        tokens: `words` of the text.
        names: what to look for.
        question: judge capitals leniently.

    Returns:
        (place, number of tokens, key) of each.
    """
    keys = [fold(word) for word in tokens]
    found = []
    place = 0
    while place < len(keys):
        length = _match_at(place, keys, tokens, names, question)
        if length:
            found.append((place, length, " ".join(keys[place : place + length])))
        place += length or 1
    return found


def _match_at(place: int, keys: list[str], tokens: Sequence[str], names: Names, question: bool) -> int:
    longest = names.longest_from(keys[place])
    for length in range(min(longest, len(keys) - place), 0, -1):
        if " ".join(keys[place : place + length]) in names:
            content = [n for n in range(place, place + length) if keys[n] not in STOPWORDS]
            careless = len(content) > 1 or (question and length > 1)
            if careless or stands_out(tokens[content[0]]):
                return length
    return 0


def names_in_question(text: str, names: Names) -> list[tuple[str, str]]:
    """(name as it stands in the text, its key), longest first, each key once."""
    text = unicodedata.normalize("NFC", text)
    spans = [match.span() for match in _WORD.finditer(text)]
    found: dict[str, str] = {}
    for place, length, key in mentions([text[start:end] for start, end in spans], names, question=True):
        found.setdefault(key, text[spans[place][0] : spans[place + length - 1][1]])
    return sorted(((name, key) for key, name in found.items()), key=lambda item: (-len(item[0]), item[1]))


def entity_names(document: Document) -> tuple[str, ...]:
    """What the document is about: title, title without its parenthesis, aliases in metadata, names in its first sentence.

    `metadata["aliases"]` is a list of names or one name. From the first sentence only plain forms are taken: "also known
    as X", "X or Y" after the title, "(born X". Names too short or common to be looked for are left out.
    """
    title = document.title.strip()
    aliases = document.metadata.get("aliases", ())
    if isinstance(aliases, str):
        aliases = (aliases,)
    given = [alias for alias in aliases if isinstance(alias, str)] if isinstance(aliases, Iterable) else []
    names = [title, _PARENTHESIS.sub("", title), *given, *_names_in_first_sentence(title, document.text)]
    kept: dict[str, str] = {}
    for name in names:
        key = name_key(name)
        if key is not None:
            kept.setdefault(key, name.strip())
    return tuple(kept.values())


_SMALL = r"(?:of|the|de|la|le|von|van|der|den|del|da|di|du|al|bin|ibn|y|for|in|on)"
_CAPITALISED = rf"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’.&-]*(?:\s+(?:{_SMALL}\s+){{0,2}}[A-ZÀ-ÖØ-ÞĀ-Ž0-9][\w'’.&-]*){{0,6}}"
_NAME = rf"(?:[\"“']([^\"“”']{{4,60}})[\"”']|({_CAPITALISED}))"
_KNOWN_AS = re.compile(
    r"(?:\b(?:also|better|best|commonly|formerly|originally|previously|sometimes|popularly|officially|simply|widely|"
    r"informally|more commonly|usually)\s+(?:known|called|titled|credited)(?:\s+as)?(?:\s+simply)?|"
    r"\bknown\s+(?:professionally|mononymously|simply|collectively|internationally)\s+as|"
    r"\bknown\s+by\s+(?:his|her|their|the)\s+(?:stage|pen|ring)\s+names?|\ba\.?k\.?a\.?)"
    rf"\s+(?:the\s+)?{_NAME}(?:\s+or\s+(?:as\s+)?(?:the\s+)?{_NAME})?"
)
_BORN = re.compile(rf"\((?:[^()]*?[;,]\s*)?born\s+(?:as\s+)?({_CAPITALISED})")
_NICKNAMED = re.compile(rf"(?:\bnicknamed|\bnée)\s+({_CAPITALISED})")
_MONTHS = frozenset(
    "january february march april may june july august september october november december circa c ca".split()
)


_VERB = re.compile(r"\b(?:is|was|are|were|has|had)\b")


def _names_in_first_sentence(title: str, text: str) -> list[str]:
    """Only from what stands before the verb: behind it, another thing is often meant. A birth name must be a full one."""
    bare = _PARENTHESIS.sub("", title)
    sentences = split_sentences(text[:1500])
    if not sentences or bare.startswith("List of "):
        return []
    sentence = sentences[0][:600]
    subject = sentence[: verb.start()] if (verb := _VERB.search(sentence, len(bare))) else ""
    names = [name for match in _KNOWN_AS.finditer(subject) for name in match.groups() if name]
    full = [*_BORN.findall(subject), *_NICKNAMED.findall(subject)]
    names += [name for name in full if len(words(name)) > 1 and fold(words(name)[0]) not in _MONTHS]
    after_title = re.match(rf"(?:The\s+)?{re.escape(bare)}\s*[,(]?\s*or\s+(?:the\s+)?{_NAME}\s*[,)]", subject)
    if bare and after_title:
        names += [name for name in after_title.groups() if name]
    return [name.rstrip(".,'’") for name in names]
