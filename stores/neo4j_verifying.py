"""Compares everything in a namespace of Neo4j with everything else: what `lookahead verify` prints.

Reads passages in slices, so that memory is bounded by the texts' words. Knows nothing about repair.
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
    documents = await server.read(STAGE, cypher.VERIFY_DOCUMENTS, number=namespace.number)
    faults = []
    if len(documents) != namespace.documents:
        faults.append(f"{len(documents)} documents are stored, {namespace.documents} were counted.")
    for key, expected, positions in documents:
        if sorted(positions) != list(range(expected)):
            faults.append(
                f"Document {key!r} should have {expected} passages, numbered without a gap; {len(positions)} are "
                "stored."
            )
    return faults


async def _check_chunks(server: Server, namespace: Namespace, texts: dict[int, list[str]]) -> list[str]:
    """Every passage by itself; fills `texts` with their words."""
    number, epoch = namespace.number, namespace.epoch
    statement = fill(cypher.VERIFY_CHUNKS, bytes=bytes_property(epoch), vector=vector_property(epoch))
    faults: list[str] = []
    equal: Counter[tuple[str, str]] = Counter()
    for first in range(0, namespace.last_row + 1, _SLICE):
        rows = await server.read(STAGE, statement, number=number, first=first, end=first + _SLICE)
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
    number, faults = namespace.number, []
    names = NameSet()
    for key, id_, bearers in await server.read(STAGE, cypher.VERIFY_NAMES, number=number):
        names.add(key)
        if not bearers or id_ != entity_id(key):
            faults.append(f"Name {key!r} should be borne by a passage; {bearers} bear it.")
    stored: list[tuple[Any, ...]] = []
    for first in range(0, namespace.last_row + 1, _SLICE):
        rows = await server.read(STAGE, cypher.VERIFY_MENTIONS, number=number, first=first, end=first + _SLICE)
        stored += map(tuple, rows)
    expected = await asyncio.to_thread(find_mentions, texts, names)
    faults += _differences(expected, stored)
    [[counted]] = await server.read(STAGE, cypher.VERIFY_LINKS, number=number)
    if counted != namespace.links:
        faults.append(f"{counted} links are stored, {namespace.links} were counted.")
    return faults


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
