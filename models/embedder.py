"""Texts to vectors: the embedder shipped with the program, or any sentence-transformers model by name.

Runs ONNX files with onnxruntime and tokenizers; no torch. Knows nothing of stores, of chunks, or of where vectors are
kept (`models/vector_cache.py`); how other models become ONNX files is `models/exporting.py`, behind an extra.
"""

import json
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from models.export_cache import exported_folder
from stores.errors import ModelError
from stores.records import EmbedderSpec, Matrix

DEFAULT_EMBEDDER = "all-MiniLM-L6-v2"
SHIPPED = Path(__file__).parent / "weights"
"""One folder per shipped model."""
_Loaded = tuple[Any, Any, int]
BATCH = 32
"""Texts in one run of the model at most."""
BATCH_TOKENS = 8192
"""Padded tokens in one run at most: bounds the memory whatever the model's longest text is."""

_BGE_QUERY = "Represent this sentence for searching relevant passages: "
_PREFIXES: tuple[tuple[str, tuple[str, str]], ...] = (
    # From the models' cards. First match wins; the instruct form of E5 wants a task that only its user knows.
    ("e5-mistral", ("Instruct: Given a question, retrieve passages that answer it\nQuery: ", "")),
    ("e5-large-instruct", ("Instruct: Given a question, retrieve passages that answer it\nQuery: ", "")),
    ("e5", ("query: ", "passage: ")),
    ("bge-m3", ("", "")),
    ("bge", (_BGE_QUERY, "")),
    ("mxbai-embed", (_BGE_QUERY, "")),
    ("snowflake-arctic-embed-l-v2", ("query: ", "")),
    ("snowflake-arctic-embed-m-v2", ("query: ", "")),
    ("snowflake-arctic-embed", (_BGE_QUERY, "")),
    ("nomic-embed", ("search_query: ", "search_document: ")),
    ("modernbert-embed", ("search_query: ", "search_document: ")),
    ("embeddinggemma", ("task: search result | query: ", "title: none | text: ")),
)


class Embedder(Protocol):
    """Texts to unit vectors; safe to call from several threads, never from an event loop (it computes)."""

    @property
    def spec(self) -> EmbedderSpec:
        """What its vectors depend on."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of questions, float32, shape (len(texts), dimension), each of length 1."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Vectors of passages, float32, shape (len(texts), dimension), each of length 1."""
        ...


def prefixes(name: str) -> tuple[str, str]:
    """Query and passage prefix that a model was trained with, by its name; ("", "") for models without.

    >>> prefixes("intfloat/e5-small-v2")
    ('query: ', 'passage: ')
    """
    last = name.rstrip("/\\").replace("\\", "/").rsplit("/", 1)[-1]
    words = last.lower().removeprefix("multilingual-")
    return next((found for pattern, found in _PREFIXES if words.startswith(pattern)), ("", ""))


class OnnxEmbedder:
    """A folder of model.onnx, tokenizer.json and embedder.json, loaded at the first text."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        """Read the description only.

        Args:
            folder: as `models.exporting.export` writes it.
            threads: for one run of the model; None: LOOKAHEAD_THREADS, or the physical cores.

        Raises:
            ModelError: the folder lacks a file or holds a broken one.
        """
        self.folder = folder
        self.spec, self._max_tokens = _description(folder)
        self._threads = threads_wanted() if threads is None else threads
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors of questions (see Embedder)."""
        return self._embed([self.spec.query_prefix + text for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Vectors of passages (see Embedder); what exceeds the model's length is cut off."""
        return self._embed([self.spec.passage_prefix + text for text in texts])

    def _embed(self, texts: list[str]) -> Matrix:
        vectors = np.empty((len(texts), self.spec.dimension), np.float32)
        if not texts:
            return vectors
        tokenizer, session, pad_id = self._load()
        # Lone surrogates, as in a broken file name, cannot be passed to the tokenizer.
        encodings = tokenizer.encode_batch_fast([text.encode("utf-8", "replace").decode() for text in texts])
        for rows in batches([len(encoding.ids) for encoding in encodings]):
            feed = _feed(session, [encodings[row] for row in rows], pad_id)
            vectors[rows] = session.run(None, feed)[0]
        return vectors

    def _load(self) -> _Loaded:
        """What `_open` gives; the first caller loads them, others wait."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _open(self.folder, self._max_tokens, self._threads)
            return self._loaded


def load_embedder(name: str = DEFAULT_EMBEDDER, *, threads: int | None = None) -> Embedder:
    """The embedder called `name`; its weights are read at the first text.

    Args:
        name: the shipped model, a name on the model hub, or the folder of a sentence-transformers model. The last two
            need the extra `sentence-transformers`, and the first use of a model exports it to the user's cache.
        threads: see `OnnxEmbedder`.

    Raises:
        ModelError: not shipped and the extra is missing; not on the hub, or no network; or it cannot be exported.
    """
    if name.removeprefix("sentence-transformers/") == DEFAULT_EMBEDDER:
        return OnnxEmbedder(SHIPPED / DEFAULT_EMBEDDER, threads)
    return OnnxEmbedder(exported_folder(name, prefixes(name)), threads)


def threads_wanted() -> int:
    """LOOKAHEAD_THREADS, else the physical cores this process may use; 0 leaves the choice to onnxruntime."""
    wanted = os.environ.get("LOOKAHEAD_THREADS", "").strip()
    if wanted:
        if not wanted.isdecimal() or int(wanted) < 1:
            raise ModelError(f"embedder: LOOKAHEAD_THREADS is {wanted!r}; give a number of threads, such as 4")
        return int(wanted)
    try:
        topology = [Path(f"/sys/devices/system/cpu/cpu{cpu}/topology") for cpu in os.sched_getaffinity(0)]
        return len({(folder / "thread_siblings_list").read_text() for folder in topology})
    except (AttributeError, OSError):  # not Linux, or a sandbox without /sys
        return 0


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Row numbers in batches of similar length, longest first, so that little is spent on padding.

    >>> list(batches([3, 200, 5]))
    [[1, 2, 0]]
    """
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        if batch and (len(batch) == BATCH or (len(batch) + 1) * lengths[batch[0]] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _description(folder: Path) -> tuple[EmbedderSpec, int]:
    """The spec and the longest text in tokens."""
    try:
        given = json.loads((folder / "embedder.json").read_text(encoding="utf-8"))
        spec = EmbedderSpec(given["name"], given["dimension"], given["query_prefix"], given["passage_prefix"])
        return spec, int(given["max_tokens"])
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(
            f"embedder: {str(folder)!r} holds no usable model ({error}); delete the folder, or install again"
        ) from error


def _open(folder: Path, max_tokens: int, threads: int) -> _Loaded:
    """Tokenizer, session and the id that pads."""
    # Here, not above: 60 ms, spared where nothing is embedded.
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # A waiting thread that spins takes a core from the searches beside it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.disable_quant_qdq", "1")  # int8 weights become fp32 once, at load
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise bare Exception subclasses of their own
        raise ModelError(
            f"embedder: the model in {str(folder)!r} cannot be loaded ({error}); delete the folder, or install again"
        ) from error
    pad_id = (tokenizer.padding or {}).get("pad_id", 0)
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=max_tokens)
    return tokenizer, session, pad_id


def _feed(session: Any, encodings: Sequence[Any], pad_id: int) -> dict[str, Any]:
    """Inputs of the graph, int64, shape (texts, longest)."""
    shape = (len(encodings), max(len(encoding.ids) for encoding in encodings))
    ids, mask, types = np.full(shape, pad_id, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, encoding in enumerate(encodings):
        length = len(encoding.ids)
        ids[row, :length], mask[row, :length], types[row, :length] = encoding.ids, 1, encoding.type_ids
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
    return {wanted.name: feed[wanted.name] for wanted in session.get_inputs()}
