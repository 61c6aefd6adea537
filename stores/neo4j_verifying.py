"""Compares everything in a namespace of Neo4j with everything else: what `lookahead verify` prints.

Reads everything in slices, so that memory is bounded by the texts' words and no statement takes long. Knows nothing
about repair.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stores import cypher, cypher_verifying
from stores.link_rules import find_mentions
from stores.links import NameSet, words
from stores.neo4j_connection import Rows, Server
from stores.neo4j_names import bytes_property, entity_id, fill, text_index, vector_index, vector_property
from stores.neo4j_namespaces import Namespace, need
from stores.neo4j_rows import text_terms
from stores.neo4j_schema import index_states
from stores.verifying import chunk_faults

_SLICE = 1000
_LOWEST = -(2**63)
STAGE = "Verifying the store"


@dataclass(slots=True)
class _Passages:
    """What was read of all passages that is compared with something else later."""

    texts: dict[int, list[str]] = field(default_factory=dict)
    """Words, by row."""
    mentions: list[tuple[Any, ...]] = field(default_factory=list)
    """(row, key of the name or None for none of the namespace, place) of each that is stored."""
    equal: Counter[tuple[str, str]] = field(default_factory=Counter)
    """As `stores.verifying.chunk_faults` takes it."""


async def verify(server: Server, name: str) -> list[str]:
    """One sentence for each thing lost, doubled, stray or out of step; none when sound.

    Raises:
        NamespaceNotFound: there is none of this name.
    """
    namespace = await need(server, name)
    passages = _Passages()
    found = [
        *await _check_nodes(server, namespace),
        *await _check_documents(server, namespace),
        *await _check_chunks(server, namespace, passages),
        *await _check_links(server, namespace, passages),
        *await _check_indexes(server, namespace),
    ]
    if (await need(server, name)).generation != namespace.generation:
        return ["The store was written to while being verified; verify again."]
    return found


async def _slices(server: Server, statement: str, namespace: Namespace, first: str | int) -> AsyncIterator[Rows]:
    """What a statement finds, in the order of its first column, whose values begin with `first`."""
    last, skip = first, 0
    while rows := await server.read(STAGE, statement, number=namespace.number, key=last, skip=skip, many=_SLICE):
        yield rows
        last, skip = rows[-1][0], 1


async def _check_nodes(server: Server, namespace: Namespace) -> list[str]:
    return [
        f"{label} {node!r} lacks a property that every one has, or has one of another kind."
        for statement in cypher_verifying.NODES
        for label, node in await server.read(STAGE, statement, number=namespace.number)
    ]


async def _check_documents(server: Server, namespace: Namespace) -> list[str]:
    faults, stored = [], 0
    async for documents in _slices(server, cypher_verifying.DOCUMENTS, namespace, ""):
        stored += len(documents)
        for key, expected, held, positions in documents:
            if sorted(positions) != list(range(expected)):
                faults.append(
                    f"Document {key!r} should have {expected} passages, numbered without a gap; {len(positions)} are "
                    "stored."
                )
            if held != len(positions):
                faults.append(f"Document {key!r} holds {held - len(positions)} passages that are not its own.")
    if stored != namespace.documents:
        faults.append(f"{stored} documents are stored, {namespace.documents} were counted.")
    return faults


async def _check_chunks(server: Server, namespace: Namespace, passages: _Passages) -> list[str]:
    """Every passage by itself; fills `passages`."""
    epoch = namespace.epoch
    statement = fill(cypher_verifying.CHUNKS, bytes=bytes_property(epoch), vector=vector_property(epoch))
    faults: list[str] = []
    async for rows in _slices(server, statement, namespace, _LOWEST):
        faults += await asyncio.to_thread(list, _chunk_faults(namespace, rows, passages))
    if len(passages.texts) != namespace.passages:
        faults.append(f"{len(passages.texts)} chunks are stored, {namespace.passages} were counted.")
    return faults


def _chunk_faults(namespace: Namespace, rows: Rows, passages: _Passages) -> Iterator[str]:
    for row, id_, key, title, text, terms, tokens, exact, floats, *joined, mentions in rows:
        passages.texts[row] = words(text)
        passages.mentions += [(row, name, place) for name, place in mentions]
        yield from chunk_faults(namespace.name, namespace.spec, passages.equal, (id_, key, text, exact, tokens))
        if not 0 < row <= namespace.last_row:
            yield f"Passage {id_!r} has number {row}; 1 to {namespace.last_row} were given."
        if terms != text_terms(title, text):
            yield f"The terms of passage {id_!r}, by which it is searched, do not fit its text."
        if exact is not None and not _same_vector(exact, floats):
            yield f"The vector of passage {id_!r} in the index is not the one that is stored."
        yield from _joint_faults(id_, key, *joined)


def _joint_faults(
    id_: str, key: str, held: int, holders: int, followed: bool, astray: bool, named: int | None, names: int, known: int
) -> Iterator[str]:
    """What is wrong with how a passage is joined to its document, its neighbours and its names."""
    if not held:
        yield f"Passage {id_!r} belongs to no document."
    elif holders != 1:
        yield f"Passage {id_!r} belongs to document {key!r} alone; {holders} hold it."
    if not followed:
        yield f"Passage {id_!r} is not joined to the next one of its document."
    if astray:
        yield f"Passage {id_!r} is joined to one that is not beside it in its document."
    expected = known if named is None else named  # stored by a version that did not count them
    if not expected == names == known:
        yield f"Passage {id_!r} should bear {expected} names, each once; {names} are recorded, {known} of them stored."


def _same_vector(exact: bytes, floats: list[float] | None) -> bool:
    vector = np.frombuffer(exact, dtype="<f4")
    if floats is None:
        return not vector.any()
    return len(floats) == len(vector) and np.allclose(vector, floats, atol=1e-6, equal_nan=True)


async def _check_links(server: Server, namespace: Namespace, passages: _Passages) -> list[str]:
    """All links found again from the texts and names."""
    names, faults, counted = NameSet(), [], 0
    async for rows in _slices(server, cypher_verifying.NAMES, namespace, ""):
        for id_, key, number, links, *joined in rows:
            names.add(key)
            counted += links
            if id_ != entity_id(key):
                faults.append(f"Name {key!r} is kept under {id_!r}, where nobody looks for it.")
            if not 0 < number <= namespace.last_entity:
                faults.append(f"Name {key!r} has number {number}; 1 to {namespace.last_entity} were given.")
            faults += _name_faults(key, *joined)
    expected = await asyncio.to_thread(find_mentions, passages.texts, names)
    faults += _differences(expected, passages.mentions)
    if counted != namespace.links:
        faults.append(f"{counted} links are stored, {namespace.links} were counted.")
    return faults


def _name_faults(key: str, bearers: int, all_bearers: int, mentions: int, all_mentions: int) -> Iterator[str]:
    if not bearers:
        yield f"Name {key!r} should be borne by a passage; none is recorded."
    if all_bearers != bearers:
        yield f"Name {key!r} is borne by {all_bearers - bearers} passages that are not stored."
    if all_mentions != mentions:
        yield f"Name {key!r} is mentioned by {all_mentions - mentions} passages that are not stored."


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
