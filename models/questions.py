"""What a question asks for, read from its words: the type of its answer, its names, its content terms.

Pure functions over English text, shared by the planner, the reader and the checks; regular expressions and word lists,
no model. They know nothing of plans and passages. Choices ("A or B"), comparisons and names have files of their own and
are exported here too.
"""

import re
import threading
from typing import Literal

import Stemmer

from models.choices import AUXILIARY, choices
from models.comparisons import Comparison, comparison
from models.names import named_entities

__all__ = [
    "STOPWORDS",
    "AnswerType",
    "Comparison",
    "answer_type",
    "choices",
    "comparison",
    "content_terms",
    "head_type",
    "named_entities",
]

AnswerType = Literal["yes_no", "choice", "person", "place", "date", "number", "organization", "entity"]
"""What the answer is; entity = anything else, or not known."""

_STOPWORDS = """a about after again all also am an and any are as at be because been before being between both
    but by can could did do does doing done during each few for from further had has have having he her here
    hers him his how i if in into is it its itself just me more most my no nor not now of off on once only or
    other our out over own s same she should so some such t than that the their them then there these they this
    those through to too under until up very was we were what when where which while who whom whose why will
    with would you your"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""English words that say nothing about what a question is about."""

_HEADS: dict[AnswerType, str] = {
    "person": """actor actress architect artist astronaut author boxer brother captain ceo chairman champion character
        chief child coach commander composer creator cricketer daughter designer director drummer duke editor emperor
        explorer father footballer founder general golfer governor grandfather grandmother grandson guitarist head hero
        host husband illustrator inventor journalist judge king lawyer leader lyricist man manager mayor minister model
        monarch mother musician narrator novelist officer owner painter parent partner performer person philosopher
        photographer physicist pianist player playwright poet politician pope predecessor president prince princess
        producer professor queen rapper ruler scholar scientist screenwriter sculptor secretary senator sibling singer
        sister soldier son songwriter spouse star stepfather stepmother student successor teacher uncle aunt victim
        vocalist wife winner woman wrestler writer bassist engineer biologist economist historian mathematician
        filmmaker egyptologist tycoon comedian magician industrialist prime chancellor general premier
        astronomer botanist chemist conqueror discoverer engineer loser sculptor statesman sultan""",
    "place": """address airport area birthplace borough bridge building capital castle cathedral cemetery city coast
        continent country county district headquarters hometown hotel island lake location mountain municipality
        neighborhood neighbourhood park place port province region residence river sea state station stadium street
        suburb territory town valley venue village community settlement hamlet nation""",
    "date": "birthdate birthday century date day decade month season time timeframe year years",
    "number": """age altitude amount area-code area capacity count depth distance elevation height length many mileage
        number numbers percentage population price rank ranking salary score size speed temperature width weight
        budget gross seats""",
    "organization": """academy agency airline army association band bank brand broadcaster brewery bureau channel church
        club college company conference corporation department employer federation firm foundation group
        institute institution label league manufacturer ministry museum network newspaper organisation organization
        orchestra party publisher restaurant retailer school studio team union university""",
}
_TYPE_OF: dict[str, AnswerType] = {word: kind for kind, words in _HEADS.items() for word in words.split()}
_TYPE_OF["area"] = "place"

_HOW_MANY = re.compile(
    r"\bhow (?:many|much|old|long|tall|high|far|deep|large|big|wide|fast|often|heavy)\b|\bnumber of\b", re.IGNORECASE
)
_WH = re.compile(r"\b(who|whom|whose|what|which|when|where|how|why)\b", re.IGNORECASE)
_DETERMINERS = "is was are were 's be been does did do has had the a an one of these those this that"
_DETERMINER = frozenset(_DETERMINERS.split())
_NAME_OF = re.compile(
    r"^(?:the |a )?(?:full |real |first |last |stage |birth )?(?:name|identity) (?:of|for) (?:the |one of the |a )?"
)
_ENDS = """of in on at for from by with to who that which whose where when is was are were be been being do does
    did has have had can could will would should and or as into during after before located called named known
    born based both not than under over about through between its his her their your my"""
_END_OF_HEAD = frozenset(_ENDS.split())
_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_stemmer = threading.local()


def answer_type(question: str) -> AnswerType:
    """Return what the answer to a question, or to a noun phrase like "director of Jaws", is.

    >>> answer_type("Who directed Jaws?"), answer_type("date of death of {n1}"), answer_type("Is Jaws a film?")
    ('person', 'date', 'yes_no')
    """
    text = " ".join(question[:2_000].split()).strip(" ?.!")
    if choices(text):
        return "choice"
    if AUXILIARY.match(text) or re.match(r"(?i)both\b(?!.*\b(?:what|which|who|where|when|how)\b)", text):
        return "yes_no"
    found = _asking_word(text)
    if found is None:
        return head_type(text)
    word, rest = found.group(1).lower(), text[found.end() :]
    if re.match(r"(?i) (?:(?:is|was|are|were) (?:the )?)?(?:other )?(?:kind|type|sort|form)s? of\b", rest):
        return "entity"
    if word == "how":
        return "number" if _HOW_MANY.match(text[found.start() :]) else "entity"
    by_word: dict[str, AnswerType] = {"who": "person", "whom": "person", "when": "date", "where": "place"}
    if word in by_word:
        return by_word[word]
    return "entity" if word == "why" else head_type(rest)


def _asking_word(text: str) -> re.Match[str] | None:
    """Find the word that asks: the first, unless it only opens a relative clause ("the man who ... which city?")."""
    found = list(_WH.finditer(text))
    if not found:
        return None
    start = found[0].start()
    preposition = re.match(
        r"(?i)(?:in|on|at|by|for|from|to|of|with|under|during|along|near|within|after|against|through|past|into|across)$",
        text[:start].strip(),
    )
    after_phrase = text[:start].rstrip().endswith(",") and found[0].group(1).lower() not in ("which", "who", "where")
    if start == 0 or preposition or after_phrase:
        return found[0]
    asked = [m for m in found if re.match(r"(?i)(?:what|which|how)$", m.group(1)) and not _is_relative(text, m)]
    return asked[-1] if asked else (found[-1] if text.endswith(found[-1].group()) else None)


def _is_relative(text: str, found: re.Match[str]) -> bool:
    """Tell "the film which won" and "in which he died" from "by which band?" and "known as what?"."""
    if found.group(1).lower() != "which":
        return False
    following = text[found.end() :].split()[:1]
    before = text[: found.start()].split()[-2:]
    if following and following[0].lower() in _END_OF_HEAD | {"the", "a", "an", "he", "she", "it", "they"}:
        return True
    return bool(before) and before[-1].endswith(",")


def head_type(phrase: str) -> AnswerType:
    """Return the type of a noun phrase by its head noun.

    >>> head_type("American indie rock group that formed in 1996"), head_type("the birthplace of Ada Lovelace")
    ('organization', 'place')
    """
    if _HOW_MANY.search(phrase):
        return "number"
    words = phrase.split()[:24]
    while words and words[0].lower() in _DETERMINER:
        words = words[1:]
    for word in reversed(_head_words(_NAME_OF.sub("", " ".join(words)).split())[-2:]):
        word = word.lower()
        kind = (
            _TYPE_OF.get(word) or _TYPE_OF.get(word.removesuffix("s")) or _TYPE_OF.get(word.removesuffix("ies") + "y")
        )
        if kind:
            return kind
    return "entity"


def _head_words(words: list[str]) -> list[str]:
    """Return the words of a noun phrase up to its head: until a preposition, a verb, a comma or a name begins."""
    head: list[str] = []
    for word in words:
        core = word.strip(",;:?!()\"'’“”")
        begins_name = core[:1].isupper() and head and head[-1].islower()
        if head and (core.lower() in _END_OF_HEAD or begins_name or word[0] in '"“({'):
            break
        head.append(re.sub(r"['’]s$", "", core))
        if word[-1] in ",;:)":
            break
    return head


def content_terms(text: str) -> list[str]:
    """Return the words that carry meaning, lower-cased and stemmed (Snowball English), in order, with repetitions.

    >>> content_terms("Who directed the films of Méliès?")
    ['direct', 'film', 'méliè']
    """
    words = [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text.lower())]
    stemmer = getattr(_stemmer, "english", None)
    if stemmer is None:  # a stemmer must not be shared by threads
        stemmer = _stemmer.english = Stemmer.Stemmer("english")
    stems: list[str] = stemmer.stemWords([word for word in words if word not in STOPWORDS])
    return stems
