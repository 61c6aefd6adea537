"""What every store must do alike, so that links are equal whatever the store and the order of ingestion.

Pure functions; knows nothing about how links are kept.
"""

import hashlib
from collections.abc import Mapping, Sequence

from stores.links import NameSet, mentions

MAX_BEARERS = 20
"""Of one name that a passage names, so many documents are linked: those of lowest rank."""
MAX_INCOMING = 50
"""Of the passages that name one passage, so many are listed for each of its names: those of lowest rank."""


def find_mentions(texts: Mapping[int, Sequence[str]], names: NameSet) -> list[tuple[int, str, int]]:
    """(row, name key, place) of the first time that each passage names something.

    Args:
        texts: words of each passage, by row.
        names: what to look for.
    """
    found = []
    for row, tokens in texts.items():
        first: dict[str, int] = {}
        for place, _, key in mentions(tokens, names):
            first.setdefault(key, place)
        found += [(row, key, place) for key, place in first.items()]
    return found


def rank_of(chunk_id: str) -> int:
    """Place of a passage among the bearers or mentions of a name: a hash, so that no order of ingestion shows."""
    return int.from_bytes(hashlib.blake2b(chunk_id.encode(), digest_size=8).digest()) >> 1
