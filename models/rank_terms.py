"""What a ranker sees of a text: stems of its words, its names, and how rare each stem is in English.

How rare a word is comes from a table made with the weights and not from the store, so that it means the same in every
store and in a small one too. Knows nothing of passages' scores and links.
"""

import json
import math
import re
import threading
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import Stemmer

from stores.errors import ModelError
from stores.links import STOPWORDS, fold, stands_out

TABLE = Path(__file__).parent / "weights" / "ranker" / "terms.json"
READ = 6000
"""Characters of a passage that are looked at."""
_WORD = re.compile(r"[^\W_]+")
_stemmers = threading.local()


class Terms(NamedTuple):
    """The words of a text."""

    stems: frozenset[str]
    """Of all words that are no stopwords."""
    names: dict[str, str]
    """Of words with a capital or digit: stem → the word as it first stands there."""
    length: int
    """Words in all."""


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Stem of a word without case and accents; empty for a stopword.

    >>> stem("Directed"), stem("the")
    ('direct', '')
    """
    plain = fold(word)
    if plain in STOPWORDS or (len(plain) == 1 and not plain.isdigit()):
        return ""
    if not hasattr(_stemmers, "english"):  # a stemmer must not be shared by threads
        _stemmers.english = Stemmer.Stemmer("english")
    found: str = _stemmers.english.stemWord(plain)
    return found


@lru_cache(maxsize=4096)
def terms(text: str) -> Terms:
    """The words of a text, of its first `READ` characters."""
    found = _WORD.findall(text[:READ])
    stems: set[str] = set()
    names: dict[str, str] = {}
    for word in found:
        if key := stem(word):
            stems.add(key)
            if stands_out(word):
                names.setdefault(key, word)
    return Terms(frozenset(stems), names, len(found))


def stems_in_order(text: str) -> list[str]:
    """Stems of a text, each once, as they come.

    >>> stems_in_order("Who directed the film, and who directed it?")
    ['direct', 'film']
    """
    return list(dict.fromkeys(key for word in _WORD.findall(text) if (key := stem(word))))


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, float], float]:
    try:
        told = json.loads(TABLE.read_text(encoding="utf-8"))
        rarest = math.log(told["passages"] / told["least"])
        return {key: math.log(told["passages"] / count) for key, count in told["counts"].items()}, rarest
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
        raise ModelError(f"ranker: {str(TABLE)!r} holds no usable terms ({error}); install again") from error


def rarity(key: str) -> float:
    """ln(passages / passages with this stem) in the table's corpus; for a stem not in it, that of its rarest.

    Raises:
        ModelError: the table is missing or broken.
    """
    known, rarest = _table()
    return known.get(key, rarest)
