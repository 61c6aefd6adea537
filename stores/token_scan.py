"""Finds the stored passages that contain one of some new names, by a vectorised scan over hashes of their tokens.

A token is stored as 32 bits: its crc32 with the lowest bit saying whether it stands out (`stores.links.stands_out`).
Hashes may collide: what is found is a superset, to be matched exactly afterwards. 6.5 million tokens are scanned in
20 ms. Knows nothing about SQLite.
"""

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stores.links import fold, stands_out

Hashes = NDArray[np.uint32]
_MIX = np.uint64(0x9E3779B97F4A7C15)


@lru_cache(maxsize=200_000)
def _hash_key(key: str) -> int:
    return zlib.crc32(key.encode()) | 1


@lru_cache(maxsize=200_000)
def _hash_word(word: str) -> int:
    code = _hash_key(fold(word))
    return code if stands_out(word) else code & ~1


def hash_words(words: Iterable[str]) -> bytes:
    """What is stored of a passage's words: 4 little-endian bytes each."""
    return np.fromiter(map(_hash_word, words), dtype="<u4").tobytes()


class TokenScan:
    """Hashes of all passages of a namespace, one after the other, with a zero between them."""

    def __init__(self) -> None:
        self.last_row = 0
        """Highest row number held; deleted passages stay until the object is made anew."""
        self._hashes: Hashes = np.zeros(1024, dtype=np.uint32)
        self._size = 0
        self._starts: list[int] = []
        self._rows: list[int] = []

    def add(self, passages: Iterable[tuple[int, bytes]]) -> None:
        """Append (row, `hash_words`) in ascending order of rows."""
        blobs = []
        size = self._size
        for row, blob in passages:
            self._starts.append(size)
            self._rows.append(row)
            self.last_row = row
            blobs += [blob, b"\0\0\0\0"]
            size += len(blob) // 4 + 1
        if size > len(self._hashes):
            grown = np.zeros(max(size, 2 * len(self._hashes)), dtype=np.uint32)
            grown[: self._size] = self._hashes[: self._size]
            self._hashes = grown
        self._hashes[self._size : size] = np.frombuffer(b"".join(blobs), dtype="<u4")
        self._size = size

    def rows_with(self, keys: Sequence[str]) -> set[int]:
        """Rows of passages that may contain one of the names."""
        if not keys or not self._size:
            return set()
        hashes = self._hashes[: self._size]
        single = [key for key in keys if " " not in key]
        several = [key.split(" ") for key in keys if " " in key]
        places = [_single_places(hashes, single), *_several_places(hashes, several)]
        found = np.searchsorted(np.asarray(self._starts), np.concatenate(places), side="right") - 1
        return {self._rows[number] for number in np.unique(found)}


def _table(codes: Iterable[int]) -> NDArray[np.bool_]:
    """Which upper halves of a hash occur."""
    table = np.zeros(1 << 16, dtype=np.bool_)
    table[[code >> 16 for code in codes]] = True
    return table


def _upper(hashes: Hashes) -> NDArray[np.uint32]:
    return hashes >> np.uint32(16)


def _single_places(hashes: Hashes, keys: Sequence[str]) -> NDArray[np.intp]:
    """Names of one word count only where the word stands out: the lowest bit takes part in the comparison."""
    if not keys:
        return np.zeros(0, dtype=np.intp)
    codes = np.unique(np.array([_hash_key(key) for key in keys], dtype=np.uint32))
    places = np.flatnonzero(_table(codes.tolist())[_upper(hashes)])
    return places[np.isin(hashes[places], codes)]


def _several_places(hashes: Hashes, names: Sequence[list[str]]) -> list[NDArray[np.intp]]:
    """Places where the first two words pass a coarse table, then for each length the whole name compared by hash."""
    if not names or len(hashes) < 2:
        return []
    coded = [[_hash_key(token) for token in name] for name in names]
    first = _table(name[0] for name in coded)
    second = _table(name[1] for name in coded)
    upper = _upper(hashes)
    pairs = np.flatnonzero(first[upper[:-1]] & second[upper[1:]])
    found = []
    for length in sorted({len(name) for name in coded}):
        wanted = np.array([name for name in coded if len(name) == length], dtype=np.uint32)
        places = pairs[pairs + length <= len(hashes)]
        grams = hashes[places[:, None] + np.arange(length)] | np.uint32(1)
        found.append(places[np.isin(_mix(grams), _mix(wanted))])
    return found


def _mix(grams: Hashes) -> NDArray[np.uint64]:
    """One 64-bit number for each row."""
    mixed = np.zeros(len(grams), dtype=np.uint64)
    for column in range(grams.shape[1]):
        mixed = (mixed ^ grams[:, column]) * _MIX
    return mixed
