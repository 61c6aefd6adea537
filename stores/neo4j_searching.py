"""Searching in Neo4j: BM25 by the namespace's full-text index, nearest neighbours exactly or by its vector index.

Few passages are compared one by one, which is exact. Of many, the vector index (HNSW) is asked for several times as
many as are wanted: it finds nearly all of the nearest then, and scores them exactly.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from stores import cypher
from stores.checks import checked_query
from stores.errors import NamespaceNotFound
from stores.neo4j_connection import SEARCH, Server
from stores.neo4j_failures import Refused
from stores.neo4j_names import chunk_label, escaped, fill, vector_index
from stores.neo4j_namespaces import Namespace, need, read
from stores.neo4j_reading import passage_ids
from stores.neo4j_vectors import cosine_of
from stores.records import Vector
from stores.search_terms import query_terms

Hits = list[tuple[str, float]]
STAGE = "Searching"
EXACT = 1000
"""Up to so many passages each is compared; measured, that takes no longer than asking the index."""
OVER_FETCH = 4
LEAST_FETCHED = 120
"""Asked for 120 and more, the index found 99.9 % of the 30 nearest among 10,000; asked for 30, 98.6 %."""
_MOST = 4096
"""Hits that are looked through for one that ties with the last."""


async def search_texts(server: Server, name: str, queries: Sequence[str], limit: int) -> list[Hits]:
    """(passage id, BM25) for each query, best first; equal scores by id. Queries are cut into terms, never parsed.

    All of them in one round trip, which costs more than a search; another one for those whose last hits tie.
    """
    terms = await asyncio.to_thread(lambda: [query_terms(query) for query in queries])
    asked = {place: " ".join(map(escaped, each)) for place, each in enumerate(terms) if each and limit > 0}
    if not asked:
        await need(server, name)
    hits: dict[int, Hits] = {}
    wanted = limit + 8
    while asked:
        places = list(asked)
        _, found = await read(
            server, name, cypher.SEARCH_TEXTS, stage=STAGE, queries=list(asked.values()), limit=wanted
        )
        for number, rows in found:
            place, scored = places[number], [(id_, round(score, 4)) for id_, score in rows]
            if len(scored) < wanted or scored[-1][1] < scored[limit - 1][1] or wanted >= _MOST:
                hits[place] = best(scored, limit)
                del asked[place]
        wanted *= 2
    return [hits.get(place, []) for place in range(len(queries))]


async def search_vector(server: Server, seen: dict[str, Namespace], name: str, vector: Vector, limit: int) -> Hits:
    """(passage id, cosine) best first; equal cosines by id.

    Args:
        server: of the running loop.
        seen: each namespace as it was when last searched: how it is searched depends on that. Kept up to date.
        name: of the namespace.
        vector: of the query.
        limit: at most so many.
    """
    namespace = seen.get(name)
    if namespace is None or vector.shape != (namespace.spec.embedder.dimension,):
        namespace = await need(server, name)
    while True:
        query = checked_query(name, namespace.spec, vector)
        if limit < 1 or not query.any():
            ids = await passage_ids(server, name)
            return [(id_, 0.0) for id_ in ids[: max(0, limit)]]
        statement, parameters = _vector_statement(server, namespace, limit)
        try:
            found, hits = await read(server, name, statement, stage=STAGE, vector=query.tolist(), **parameters)
        except NamespaceNotFound:
            seen.pop(name, None)
            raise
        except Refused:
            found, hits = await need(server, name), []
            if _key(found) == _key(namespace):
                raise
        # Cleared and made again, or given other vectors, by another process: then what was found is of no use.
        current, namespace = _key(found) == _key(namespace), found
        seen[name] = found
        if current:
            return best([(id_, cosine_of(score)) for id_, score in hits], limit)


def _key(namespace: Namespace) -> tuple[int, int]:
    """What the names of a namespace's indexes depend on."""
    return namespace.number, namespace.epoch


def _vector_statement(server: Server, namespace: Namespace, limit: int) -> tuple[str, dict[str, Any]]:
    fetched = max(OVER_FETCH * limit, LEAST_FETCHED)
    if namespace.passages <= max(EXACT, fetched):
        return cypher.SEARCH_EXACT, {"limit": limit + 8}
    index = vector_index(namespace.number, namespace.epoch, namespace.spec.embedder.dimension)
    if server.version >= SEARCH:
        statement = fill(cypher.SEARCH_CLAUSE, label=chunk_label(namespace.number), index=index)
        return statement, {"limit": fetched}
    return cypher.SEARCH_PROCEDURE, {"limit": fetched, "index": index}


def best(hits: Sequence[tuple[str, float]], limit: int) -> Hits:
    """The best of them; equal scores by id, so that no order of ingestion shows."""
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit]
