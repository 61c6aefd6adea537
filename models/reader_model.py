"""The reader's network at run time: windows in, logits of four heads out, by onnxruntime. No torch.

Knows the folder that `models.training.export_reader` writes and how windows become a batch; nothing of spans, answers
or probabilities (`models.reader_nbest`).
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.embedder import DEFAULT_EMBEDDER, SHIPPED, threads_wanted
from models.reader_inputs import MAX_TOKENS, Window, windows
from stores.errors import ModelError

SHIPPED_READER = SHIPPED / "reader"
HEADS = ("kind", "start", "end", "sentence")

Floats = NDArray[np.float32]
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Logits:
    """What the network says of one window of n tokens."""

    window: Window
    kind: Floats
    """Shape (4,): span, yes, no, none."""
    start: Floats
    """Shape (n,)."""
    end: Floats
    sentence: Floats


class ReaderModel:
    """model.onnx and reader.json of a folder, with the embedder's tokenizer; loaded at the first question.

    Safe to call from several threads.
    """

    def __init__(self, folder: Path = SHIPPED_READER, threads: int | None = None) -> None:
        """Read the description only.

        Args:
            folder: as `models.training.export_reader` writes it.
            threads: for one run of the network; None: LOOKAHEAD_THREADS, or the physical cores.

        Raises:
            ModelError: the folder lacks a file or holds a broken one.
        """
        self.folder = folder
        self.limit, self.weights = _description(folder)
        self._threads = threads_wanted() if threads is None else threads
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Logits]:
        """Logits of each window of the question with (title, text) passages, in order; none without a word to read."""
        tokenizer, session = self._load()
        clean = [(_encodable(title), _encodable(text)) for title, text in passages]
        made = windows(tokenizer, _encodable(question), clean, self.limit)
        return [_run(session, window) for window in made]

    def session(self) -> Any:
        """The network as onnxruntime runs it: inputs as in `models.training.export_reader`, outputs `HEADS`."""
        return self._load()[1]

    def _load(self) -> tuple[Any, Any]:
        """Tokenizer and session; the first caller loads them, others wait."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _open(self.folder, self._threads)
            return self._loaded


def _encodable(text: str) -> str:
    """Lone surrogates, as in a broken file name, cannot be tokenized; length and sentences stay the same."""
    return _SURROGATE.sub("\ufffd", text)


def _run(session: Any, window: Window) -> Logits:
    """One window alone: padding costs more than a batch saves on a CPU, and int8 activations depend on the batch."""
    ids = np.array([window.ids], np.int64)
    types = np.array([window.types], np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
    kind, start, end, sentence = session.run(HEADS, feed)
    return Logits(window, kind[0], start[0], end[0], sentence[0])


def _description(folder: Path) -> tuple[int, Mapping[str, Mapping[str, float]]]:
    """The longest window in tokens, and the fitted weights that go with this network, by model and feature."""
    try:
        given = json.loads((folder / "reader.json").read_text(encoding="utf-8"))
        if tuple(given["heads"]) != HEADS:
            raise ValueError(f"its heads are {given['heads']!r}")
        return min(int(given["max_tokens"]), MAX_TOKENS), given["weights"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"reader: {str(folder)!r} holds no usable model ({error}); set reader to 'rules', or install again"
        ) from error


def _open(folder: Path, threads: int) -> tuple[Any, Any]:
    # Here, not above: 60 ms, spared where nothing is read.
    import onnxruntime
    from tokenizers import Tokenizer

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry(
        "session.disable_quant_qdq", "1"
    )  # weights stored "expanded" become fp32 once, at load
    try:
        tokenizer = Tokenizer.from_file(str(SHIPPED / DEFAULT_EMBEDDER / "tokenizer.json"))
        session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise bare Exception subclasses of their own
        raise ModelError(
            f"reader: the model in {str(folder)!r} cannot be loaded ({error}); set reader to 'rules', or install again"
        ) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, session
