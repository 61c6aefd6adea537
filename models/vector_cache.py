"""An embedder that computes no passage twice: vectors are kept in the user's cache, across stores and processes.

Knows how texts become keys and which of them are new; the file is `models/vector_file.py`, the computing is the
embedder's that it wraps.
"""

import dataclasses
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.embedder import Embedder
from models.user_cache import cache_folder
from models.vector_file import VectorFile
from stores.records import EmbedderSpec, Matrix, Vector

FORMAT = 1
"""Grows when a spec no longer means the same vectors (the shipped weights were made anew, say)."""
MAX_BYTES = 2_000_000_000
QUERIES = 256
"""Queries remembered in memory."""
KEEP_EVERY = 512
"""Passages computed between two writes: what an interruption may cost."""


class CachedEmbedder:
    """Same protocol as the embedder it wraps; thread-safe; a cache that cannot be used is done without."""

    def __init__(self, embedder: Embedder, folder: Path | None = None, *, max_bytes: int = MAX_BYTES) -> None:
        """Touches no file yet.

        Args:
            embedder: computes what is missing.
            folder: of the cache file; None: LOOKAHEAD_CACHE, or the user's cache folder.
            max_bytes: size at which the oldest vectors are dropped.
        """
        self.spec: EmbedderSpec = embedder.spec
        self.hits = 0
        """Passages answered without computing, since the start."""
        self.misses = 0
        """Passages computed."""
        self._embedder = embedder
        self._file = VectorFile((folder or cache_folder()) / "vectors.sqlite", max_bytes)
        self._salt = json.dumps([FORMAT, dataclasses.asdict(embedder.spec)], sort_keys=True).encode()
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def problem(self) -> str:
        """What went wrong last with the cache file, as a sentence for a warning; empty when nothing did."""
        return self._file.problem

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Vectors of passages (see Embedder), equal bit for bit whether they were kept or are computed now."""
        keys = [self._key(text) for text in texts]
        found = self._kept(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        new = list(missing)
        for start in range(0, len(new), KEEP_EVERY):
            piece = new[start : start + KEEP_EVERY]
            computed = self._embedder.embed_passages([missing[key] for key in piece])
            self._file.write({key: row.tobytes() for key, row in zip(piece, computed, strict=True)})
            found.update(zip(piece, computed, strict=True))
        with self._lock:
            self.misses += len(new)
            self.hits += len(texts) - len(new)
        if not texts:
            return np.empty((0, self.spec.dimension), np.float32)
        return np.stack([found[key] for key in keys])

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of questions (see Embedder); the last 256 different ones are remembered in memory."""
        with self._lock:
            known = {text: self._queries[text] for text in texts if text in self._queries}
        new = list(dict.fromkeys(text for text in texts if text not in known))
        if new:
            known.update(zip(new, self._embedder.embed_queries(new), strict=True))
        with self._lock:
            for text in texts:
                self._queries[text] = known[text]
                self._queries.move_to_end(text)
            while len(self._queries) > QUERIES:
                self._queries.popitem(last=False)
        return np.stack([known[text] for text in texts]) if texts else np.empty((0, self.spec.dimension), np.float32)

    def _key(self, text: str) -> bytes:
        # Lone surrogates (a broken file name, say) have no UTF-8 form of their own.
        return hashlib.blake2b(self._salt + text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Kept vectors that are whole: of the right size and of length 1, which is as good as a checksum here."""
        stored = self._file.read(list(dict.fromkeys(keys)))
        whole = {key: data for key, data in stored.items() if len(data) == 4 * self.spec.dimension}
        if not whole:
            return {}
        matrix = np.frombuffer(b"".join(whole.values()), np.float32).reshape(len(whole), self.spec.dimension)
        with np.errstate(all="ignore"):
            sound = np.abs(np.einsum("ij,ij->i", matrix, matrix) - 1) < 1e-3
        return {key: row for key, row, fine in zip(whole, matrix, sound, strict=True) if fine}
