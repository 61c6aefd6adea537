"""Reading from Neo4j, one round trip each: documents, passages, vectors, names and links.

Each returns what was found and raises `NamespaceNotFound` where there is no such namespace.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from stores import cypher
from stores.link_rules import MAX_BEARERS, MAX_INCOMING
from stores.links import MAX_NAME_TOKENS, NameSet, fold, may_be_name, names_in_question, words
from stores.neo4j_connection import Server
from stores.neo4j_names import entity_id
from stores.neo4j_namespaces import read
from stores.neo4j_vectors import vector_of
from stores.records import DocumentInfo, Passage, PassageLinks, Vector

_KEYS = 20_000
"""Possible names that are looked up at once; a question has some hundreds."""


async def content_hashes(server: Server, name: str, keys: Sequence[str]) -> dict[str, str]:
    """Content hash of each stored document among `keys`."""
    _, found = await read(server, name, cypher.CONTENT_HASHES, keys=list(keys))
    return {key: content_hash for key, content_hash in found}


async def documents(server: Server, name: str, offset: int, limit: int) -> list[DocumentInfo]:
    """Documents ordered by key."""
    _, found = await read(server, name, cypher.DOCUMENTS, offset=max(0, offset), limit=max(0, limit))
    return [_document(row) for row in found]


async def document(server: Server, name: str, key: str) -> tuple[DocumentInfo, list[Passage]] | None:
    """One document and its passages in order."""
    _, found = await read(server, name, cypher.DOCUMENT, key=key)
    if not found:
        return None
    [row] = found
    return _document(row), [_passage([*passage, row[3]]) for passage in row[6]]


async def passages(server: Server, name: str, ids: Sequence[str]) -> list[Passage]:
    """Passages in the order asked; unknown ids are left out."""
    _, rows = await read(server, name, cypher.PASSAGES, ids=list(dict.fromkeys(ids)))
    found = {row[0]: row for row in rows}
    return [_passage(found[id_]) for id_ in ids if id_ in found]


async def vectors(server: Server, name: str, ids: Sequence[str]) -> dict[str, Vector]:
    """Vector of each known id."""
    _, found = await read(server, name, cypher.VECTORS, ids=list(dict.fromkeys(ids)))
    return {id_: vector_of(exact) for id_, exact in found}


async def passage_ids(server: Server, name: str) -> list[str]:
    """Every passage id, sorted."""
    return list((await read(server, name, cypher.PASSAGE_IDS))[1])


async def names(server: Server, name: str, ids: Sequence[str]) -> dict[str, list[str]]:
    """Keys of the names that each known passage bears, sorted."""
    _, found = await read(server, name, cypher.NAMES, ids=list(dict.fromkeys(ids)))
    return {id_: sorted(keys) for id_, keys in found}


async def links(server: Server, name: str, ids: Sequence[str]) -> dict[str, PassageLinks]:
    """Links of each known passage: outgoing in the order of its text, incoming by rank."""
    wanted = list(dict.fromkeys(ids))
    _, found = await read(server, name, cypher.LINKS, ids=wanted, bearers=MAX_BEARERS, incoming=MAX_INCOMING)
    return {
        id_: PassageLinks(outgoing=list(dict.fromkeys(outgoing)), incoming=incoming)
        for id_, outgoing, incoming in found
    }


async def named_in(server: Server, name: str, text: str, limit: int) -> list[tuple[str, str]]:
    """(passage id, name as it stands in the text) of the passages that bear a name in it, longest name first.

    All runs of words that could be a name are looked up; nothing is held in memory, however many names there are.
    """
    keys = await asyncio.to_thread(possible_names, text)
    bearers: dict[str, list[str]] = {}
    for start in range(0, max(1, len(keys)), _KEYS):
        some = [entity_id(key) for key in keys[start : start + _KEYS]]
        _, rows = await read(server, name, cypher.NAMED_IN, names=some, limit=max(0, limit))
        bearers |= dict(rows)
    known = NameSet((key, 0) for key in bearers)
    found: dict[str, str] = {}
    for as_it_stands, key in await asyncio.to_thread(names_in_question, text, known):
        for id_ in bearers[key]:
            found.setdefault(id_, as_it_stands)
    return list(found.items())[: max(0, limit)]


def possible_names(text: str) -> list[str]:
    """Keys of all runs of words that could be a name, each once.

    >>> possible_names("Who was Marie Curie?")
    ['who was marie', 'who was marie curie', 'was marie', 'was marie curie', 'marie', 'marie curie', 'curie']
    """
    keys = list(map(fold, words(text)))
    found: dict[str, None] = {}
    for start in range(len(keys)):
        for end in range(start + 1, min(start + MAX_NAME_TOKENS, len(keys)) + 1):
            if may_be_name(keys[start:end]):
                found[" ".join(keys[start:end])] = None
    return list(found)


def _document(row: Sequence[Any]) -> DocumentInfo:
    key, title, source, metadata, content_hash, count = row[:6]
    return DocumentInfo(
        id=key, title=title, source=source, metadata=json.loads(metadata), content_hash=content_hash, passages=count
    )


def _passage(row: Sequence[Any]) -> Passage:
    id_, key, title, text, metadata = row
    return Passage(id=id_, document_id=key, title=title, text=text, metadata=json.loads(metadata))
