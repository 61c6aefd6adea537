"""Compares everything in a namespace of Neo4j with everything else: what `lookahead verify` prints.

Reads everything in slices, so that memory is bounded by the texts' words and no statement takes long. Knows nothing
about repair.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from stores import cypher
from stores.link_rules import find_mentions
from stores.links import NameSet, words
from stores.neo4j_connection import Rows, Server
from stores.neo4j_names import bytes_property, entity_id, fill, text_index, vector_index, vector_property
from stores.neo4j_namespaces import Namespace, need
from stores.neo4j_rows import text_terms
from stores.neo4j_schema import index_states
from stores.verifying import chunk_faults

_SLICE = 1000
STAGE = "Verifying the store"


async def verify(server: Server, name: str) -> list[str]:
    """One sentence for each thing lost, doubled or out of step; none when sound.

    Raises:
        NamespaceNotFound: there is none of this name.
    """
    namespace = await need(server, name)
    texts: dict[int, list[str]] = {}
    found = [
        *await _check_documents(server, namespace),
        *await _check_chunks(server, namespace, texts),
        *await _check_links(server, namespace, texts),
        *await _check_indexes(server, namespace),
    ]
    if (await need(server, name)).generation != namespace.generation:
        return ["The store was written to while being verified; verify again."]
    return found


async def _check_documents(server: Server, namespace: Namespace) -> list[str]:
    faults, stored, last = [], 0, ""
    slice_ = {"number": namespace.number, "many": _SLICE}
    while documents := await server.read(STAGE, cypher.VERIFY_DOCUMENTS, key=last, skip=min(stored, 1), **slice_):
        stored, last = stored + len(documents), documents[-1][0]
        for key, expected, positions in documents:
            if sorted(positions) != list(range(expected)):
                faults.append(
                    f"Document {key!r} should have {expected} passages, numbered without a gap; {len(positions)} are "
                    "stored."
                )
    if stored != namespace.documents:
        faults.append(f"{stored} documents are stored, {namespace.documents} were counted.")
    return faults


async def _check_chunks(server: Server, namespace: Namespace, texts: dict[int, list[str]]) -> list[str]:
    """Every passage by itself; fills `texts` with their words."""
    epoch = namespace.epoch
    statement = fill(cypher.VERIFY_CHUNKS, bytes=bytes_property(epoch), vector=vector_property(epoch))
    faults: list[str] = []
    equal: Counter[tuple[str, str]] = Counter()
    for slice_ in _slices(namespace.number, namespace.last_row):
        rows = await server.read(STAGE, statement, **slice_)
        faults += await asyncio.to_thread(_faults_of, namespace, rows, equal, texts)
    if len(texts) != namespace.passages:
        faults.append(f"{len(texts)} chunks are stored, {namespace.passages} were counted.")
    return faults


def _faults_of(
    namespace: Namespace, rows: Rows, equal: Counter[tuple[str, str]], texts: dict[int, list[str]]
) -> list[str]:
    return list(_each_fault(namespace, rows, equal, texts))


def _each_fault(
    namespace: Namespace, rows: Rows, equal: Counter[tuple[str, str]], texts: dict[int, list[str]]
) -> Iterator[str]:
    for row, id_, key, title, text, terms, tokens, exact, floats, holders, followed in rows:
        texts[row] = words(text)
        yield from chunk_faults(namespace.name, namespace.spec, equal, (id_, key, text, exact, tokens))
        if holders != 1:
            yield f"Passage {id_!r} belongs to {holders} documents."
        if not followed:
            yield f"Passage {id_!r} is not joined to the next one of its document."
        if terms != text_terms(title, text):
            yield f"The terms of passage {id_!r}, by which it is searched, do not fit its text."
        if exact is not None and not _same_vector(exact, floats):
            yield f"The vector of passage {id_!r} in the index is not the one that is stored."


def _same_vector(exact: bytes, floats: list[float] | None) -> bool:
    vector = np.frombuffer(exact, dtype="<f4")
    if floats is None:
        return not vector.any()
    return len(floats) == len(vector) and np.allclose(vector, floats, atol=1e-6, equal_nan=True)


async def _check_links(server: Server, namespace: Namespace, texts: dict[int, list[str]]) -> list[str]:
    """All links found again from the texts and names."""
    names, faults, counted = NameSet(), [], 0
    for slice_ in _slices(namespace.number, namespace.last_entity):
        for key, id_, bearers in await server.read(STAGE, cypher.VERIFY_NAMES, **slice_):
            names.add(key)
            if not bearers or id_ != entity_id(key):
                faults.append(f"Name {key!r} should be borne by a passage; {bearers} bear it.")
        [[links]] = await server.read(STAGE, cypher.VERIFY_LINKS, **slice_)
        counted += links
    stored: list[tuple[Any, ...]] = []
    for slice_ in _slices(namespace.number, namespace.last_row):
        stored += map(tuple, await server.read(STAGE, cypher.VERIFY_MENTIONS, **slice_))
    expected = await asyncio.to_thread(find_mentions, texts, names)
    faults += _differences(expected, stored)
    if counted != namespace.links:
        faults.append(f"{counted} links are stored, {namespace.links} were counted.")
    return faults


def _slices(number: int, last: int) -> Iterator[dict[str, int]]:
    """Parameters of one statement after the other, of a namespace whose numbers end with `last`."""
    for first in range(0, last + 1, _SLICE):
        yield {"number": number, "first": first, "end": first + _SLICE}


def _differences(expected: Iterable[tuple[Any, ...]], stored: list[tuple[Any, ...]]) -> Iterator[str]:
    wanted, there = set(expected), set(stored)
    if wanted != there:
        yield f"{len(wanted - there)} links are missing, {len(there - wanted)} are stored that no text supports."
    if len(there) != len(stored):
        yield f"{len(stored) - len(there)} links are stored twice."


async def _check_indexes(server: Server, namespace: Namespace) -> list[str]:
    number, spec = namespace.number, namespace.spec
    text, vectors = text_index(number), vector_index(number, namespace.epoch, spec.embedder.dimension)
    states = await index_states(server, number)
    wrong = [name for name in (text, vectors) if states.get(name) != "ONLINE"]
    if wrong:
        return [f"Index {name!r} is {states.get(name, 'missing')}, not ONLINE." for name in wrong]
    [[held, different]] = await server.read(STAGE, cypher.COUNT_IN_TEXT_INDEX, index=text)
    if not held == different == namespace.passages:
        return [f"The text index holds {different} passages, the store {namespace.passages}: not the same ones."]
    return []
