"""Names of entities, and where they stand in a text. Pure functions; knows nothing about how links are stored.

A passage links to a document when its text names the document's title or one of its other names: whole tokens, any
case and accents, the longest name first. The result depends only on the text and the set of names, never on the order
in which they came.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Self

from stores.records import Document
from stores.sentences import split_sentences

MAX_NAME_TOKENS = 16
MIN_NAME_CHARACTERS = 4

STOPWORDS = frozenset(
    """
    a about above after again against all also although am among an and another any anyone anything are around
    as at be because been before being below between both but by can could did do does doing down during each
    early either etc even every everyone everything few first for former from further had has have having he her
    here hers herself him himself his home how however i if in indeed into is it its itself just last late later
    least less like made many may me might more most much must my myself near neither never new next no nobody
    none nor not nothing now of off often on once one only or other others our ours ourselves out over own part
    perhaps same second several shall she should since so some someone something soon still such than that the
    their theirs them themselves then there therefore these they third this those though through throughout thus
    to together too toward towards two under until up upon us very was we well were what whatever when where
    whether which while who whoever whom whose why will with within without would yes yet you your yours
    yourself
    """.split()  # noqa: SIM905
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
    return " ".join(keys) if may_be_name(keys) else None


def may_be_name(keys: Sequence[str]) -> bool:
    """Whether folded tokens are neither too few, too many nor too common to be a name."""
    if not 0 < len(keys) <= MAX_NAME_TOKENS or sum(map(len, keys)) < MIN_NAME_CHARACTERS:
        return False
    return not all(key in STOPWORDS or key.isdigit() for key in keys)


class NameSet:
    """Name keys, each with a number, arranged to find the longest one that begins at a token."""

    def __init__(self, names: Iterable[tuple[str, int]] = ()) -> None:
        self.ids: dict[str, int] = {}
        self.longest: dict[str, int] = {}
        """For the first two tokens of names: upper bound of the tokens of a name that begins so."""
        for key, number in names:
            self.add(key, number)

    def add(self, key: str, number: int = 0) -> None:
        """Add a key as `name_key` makes it."""
        self.ids[key] = number
        tokens = key.split(" ")
        if len(tokens) > 1:
            head = f"{tokens[0]} {tokens[1]}"
            self.longest[head] = max(len(tokens), self.longest.get(head, 0))

    def changed(self, added: Iterable[str], removed: Iterable[str]) -> Self:
        """A copy with some names more and some fewer."""
        copy = type(self)()
        copy.ids, copy.longest = self.ids.copy(), self.longest.copy()
        for key in removed:
            copy.ids.pop(key, None)
        for key in added:
            copy.add(key)
        return copy


def mentions(tokens: Sequence[str], names: NameSet, *, question: bool = False) -> list[tuple[int, int, str]]:
    """Names in a text, from left to right, the longest at each place; places do not overlap.

    A name with only one word that is not a stopword counts where that word stands out (`stands_out`), so that "home" or
    "the end" link to no film; in a question, which people type carelessly, only names of a single word need it.

    Args:
        tokens: `words` of the text.
        names: what to look for.
        question: judge capitals leniently.

    Returns:
        (place, number of tokens, key) of each.
    """
    keys = list(map(fold, tokens))
    heads = [f"{first} {second}" for first, second in pairwise(keys)]
    heads.append("")
    longest, ids = names.longest.get, names.ids
    found = []
    behind = 0
    for place, head in enumerate(heads[: len(keys)]):
        bound = longest(head) or (1 if keys[place] in ids else 0)
        if bound and place >= behind and (length := _match_at(place, bound, keys, tokens, ids, question)):
            found.append((place, length, " ".join(keys[place : place + length])))
            behind = place + length
    return found


def _match_at(
    place: int, bound: int, keys: list[str], tokens: Sequence[str], ids: Container[str], question: bool
) -> int:
    for length in range(min(bound, len(keys) - place), 0, -1):
        if " ".join(keys[place : place + length]) in ids:
            content = [n for n in range(place, place + length) if keys[n] not in STOPWORDS]
            careless = len(content) > 1 or (question and length > 1)
            if careless or stands_out(tokens[content[0]]):
                return length
    return 0


def names_in_question(text: str, names: NameSet) -> list[tuple[str, str]]:
    """(name as it stands in the text, its key), longest first, each key once."""
    text = unicodedata.normalize("NFC", text)
    spans = [match.span() for match in _WORD.finditer(text)]
    found: dict[str, str] = {}
    for place, length, key in mentions([text[start:end] for start, end in spans], names, question=True):
        found.setdefault(key, text[spans[place][0] : spans[place + length - 1][1]])
    return sorted(((name, key) for key, name in found.items()), key=lambda item: (-len(item[0]), item[1]))


def entity_names(document: Document) -> tuple[str, ...]:
    """What the document is about: its title, also without parenthesis, aliases in metadata and first sentence.

    `metadata["aliases"]` is a list of names or one name. From the first sentence only plain forms are taken: "also
    known as X", "X or Y" after the title, "(born X". Names too short or common to be looked for are left out.
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


_SMALL = r"(?:of|the|de|la|le|von|van|der|den|del|da|di|du|al|bin|ibn|y)"
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
    """
    january february march april may june july august september october november december circa c ca
    """.split()  # noqa: SIM905
)
_OR = re.compile(rf"\s*[,(]?\s*or\s+(?:the\s+)?{_NAME}\s*[,)]")
_VERB = re.compile(r"\b(?:is|was|are|were|has|had)\b")


def _names_in_first_sentence(title: str, text: str) -> list[str]:
    """From what stands before the verb: behind it, another thing is often meant. A birth name must be a full one."""
    bare = _PARENTHESIS.sub("", title)
    sentences = split_sentences(text[:1500])
    if not sentences or bare.startswith("List of "):
        return []
    sentence = sentences[0][:600]
    subject = sentence[: verb.start()] if (verb := _VERB.search(sentence, len(bare))) else ""
    names = [name for match in _KNOWN_AS.finditer(subject) for name in match.groups() if name]
    full = [*_BORN.findall(subject), *_NICKNAMED.findall(subject)]
    names += [name for name in full if len(words(name)) > 1 and fold(words(name)[0]) not in _MONTHS]
    if bare and (at := subject.find(bare)) in (0, 4) and (after_title := _OR.match(subject, at + len(bare))):
        names += [name for name in after_title.groups() if name]
    return [name.rstrip(".,'’") for name in names]
