"""Names in Neo4j that cannot be parameters of a statement: made here, and checked before they stand in one.

Also the escaping of terms of a full-text query. Knows nothing about statements or drivers.
"""

import hashlib
import re

_ALLOWED = re.compile(
    r"Chunk_\d+|(?:vector|bytes)_\d+|lookahead_text_\d+|lookahead_vectors_\d+_\d+_\d+|true|false|\d+(?:\.\d+)?"
)
_LONGEST_KEY = 1000
_INDEX = re.compile(r"lookahead_(?:text_(\d+)|vectors_(\d+)_(\d+)_\d+)")


def fill(statement: str, **names: str | int) -> str:
    """A statement with names or numbers where `<name>` stands.

    Raises:
        ValueError: one is not of a form that this file makes.
    """
    for name, value in names.items():
        if not _ALLOWED.fullmatch(str(value)):
            raise ValueError(f"Cypher: {value!r} is no name that may stand in a statement")
        statement = statement.replace(f"<{name}>", str(value))
    return statement


def chunk_label(number: int) -> str:
    """Label of a namespace's passages, beside `Chunk`."""
    return f"Chunk_{number}"


def vector_property(epoch: int) -> str:
    """Where vectors stand as lists of floats; a vector of zeros, which has no direction, does not."""
    return f"vector_{epoch}"


def bytes_property(epoch: int) -> str:
    """Where vectors stand as float32."""
    return f"bytes_{epoch}"


def text_index(number: int) -> str:
    """Name of a namespace's full-text index."""
    return f"lookahead_text_{number}"


def vector_index(number: int, epoch: int, dimension: int) -> str:
    """Name of a namespace's vector index: vectors of another dimension are in another index."""
    return f"lookahead_vectors_{number}_{epoch}_{dimension}"


def parse_index(name: str) -> tuple[int, int | None] | None:
    """Number of the namespace and epoch of the vectors (None: full-text) of an index of ours; None for another."""
    found = _INDEX.fullmatch(name)
    if found is None:
        return None
    text, vectors, epoch = found.groups()
    return (int(text), None) if text else (int(vectors), int(epoch))


def escaped(term: str) -> str:
    r"""A term of a full-text query with whatever Lucene would read as an operator taken literally.

    >>> escaped("a+b"), escaped("AND"), escaped("rock&roll"), escaped("warsaw")
    ('a\\+b', '\\AND', 'rock\\&roll', 'warsaw')
    """
    if term in ("AND", "OR", "NOT", "TO"):
        return f"\\{term}"
    return re.sub(r'([+\-&|!(){}\[\]^"~*?:\\/<>=\s])', r"\\\1", term)


def entity_id(key: str) -> str:
    """The name's key, as an index takes it: a very long one, which no index would take, as its hash.

    >>> entity_id("new york"), len(entity_id("x" * 9000))
    ('new york', 33)
    """
    encoded = key.encode()
    return key if len(encoded) <= _LONGEST_KEY else f"#{hashlib.blake2b(encoded, digest_size=16).hexdigest()}"
