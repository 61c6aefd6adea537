"""Documents as the rows that Cypher statements take. Pure functions; knows nothing about statements or servers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from stores.link_rules import rank_of
from stores.links import name_key
from stores.neo4j_names import bytes_property, entity_id, vector_property
from stores.neo4j_vectors import vector_values
from stores.ready import ReadyDocument, clean
from stores.search_terms import index_terms
from stores.token_scan import hash_words

Row = dict[str, Any]


@dataclass(slots=True)
class FreshRows:
    """New documents, each passage under a number of its own."""

    documents: list[Row] = field(default_factory=list)
    chunks: list[Row] = field(default_factory=list)
    followed: list[int] = field(default_factory=list)
    """Numbers of passages that have a next one."""
    bearers: list[Row] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    """Keys of the names that they bear."""
    words: dict[int, list[str]] = field(default_factory=dict)
    """Of each passage."""
    ids: dict[int, str] = field(default_factory=dict)
    tokens: list[tuple[int, bytes]] = field(default_factory=list)
    """As `TokenScan` takes them."""


def fresh_rows(new: Sequence[ReadyDocument], last_row: int, epoch: int) -> FreshRows:
    """Rows of new documents.

    Args:
        new: documents.
        last_row: highest number in use.
        epoch: of the namespace's vectors.
    """
    rows = FreshRows()
    for item in new:
        rows.documents.append(_document_row(item))
        for place in range(len(item.chunks)):
            last_row += 1
            _add_chunk(rows, item, place, last_row, epoch)
    return rows


def mention_row(row: int, key: str, place: int, chunk_id: str) -> Row:
    """A passage that names something at a place of its text."""
    return {"row": row, "name": entity_id(key), "place": place, "rank": rank_of(chunk_id)}


def _document_row(item: ReadyDocument) -> Row:
    document = item.document
    return {
        "key": document.key,
        "title": clean(document.title),
        "source": clean(document.source),
        "metadata": json.dumps(dict(document.metadata), ensure_ascii=True, default=str),
        "content_hash": item.content_hash,
        "passages": len(item.chunks),
    }


def _add_chunk(rows: FreshRows, item: ReadyDocument, place: int, row: int, epoch: int) -> None:
    chunk, tokens, vector = item.chunks[place], hash_words(item.words[place]), vector_values(item.vectors[place])
    keys = {key for name in chunk.names if (key := name_key(name))}
    rows.chunks.append(
        {
            "id": chunk.id,
            "row": row,
            "document": item.document.key,
            "position": chunk.position,
            "title": chunk.title,
            "text": chunk.text,
            "terms": text_terms(chunk.title, chunk.text),
            "tokens": tokens,
            "names": len(keys),
            vector_property(epoch): vector.floats,
            bytes_property(epoch): vector.exact,
        }
    )
    if place + 1 < len(item.chunks):
        rows.followed.append(row)
    rows.bearers += [{"row": row, "name": entity_id(key), "rank": rank_of(chunk.id)} for key in sorted(keys)]
    rows.names |= keys
    rows.words[row] = item.words[place]
    rows.ids[row] = chunk.id
    rows.tokens.append((row, tokens))


def text_terms(title: str, text: str) -> str:
    """What the full-text index holds of a passage; its analyzer splits at blanks and does nothing else."""
    return " ".join(index_terms(f"{title}\n{text}"))
