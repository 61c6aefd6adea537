"""Cross-encoders by name, through the extra `sentence-transformers`; imported only when one is asked for."""

import functools
from collections.abc import Sequence
from typing import Any

from stores.errors import ModelError


def cross_encode(name: str, query: str, texts: Sequence[str]) -> list[float]:
    """Relevance of each text to the query, higher is better; the scale is the model's own.

    Raises:
        ModelError: the extra is not installed, or the model cannot be had.
    """
    return [float(score) for score in _load(name).predict([(query, text) for text in texts])]


@functools.lru_cache(maxsize=2)
def _load(name: str) -> Any:
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise ModelError(
            f"rerank: cross-encoder {name!r} needs an extra: pip install 'lookahead-rag[sentence-transformers]', "
            "or take reranker=ranker"
        ) from error
    try:
        return CrossEncoder(name)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"rerank: cross-encoder {name!r} cannot be loaded ({error}); check its name and your network"
        ) from error
