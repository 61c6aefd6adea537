"""Other vectors for every passage of a namespace in Neo4j, taken into use at once.

They are laid beside those in use, in transactions of bounded size, and indexed; one small transaction then takes them
into use, if nothing was written meanwhile. Interrupted before, nothing has changed for anyone; the next attempt lays
them anew.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from stores import cypher
from stores.checks import check_replacement
from stores.errors import StoreError
from stores.neo4j_connection import Server, Transaction
from stores.neo4j_making import sweep
from stores.neo4j_names import bytes_property, fill, vector_property
from stores.neo4j_namespaces import lock, read
from stores.neo4j_schema import drop_indexes, make_vector_index
from stores.neo4j_vectors import vector_values
from stores.records import IngestSpec, Vector, spec_to_json

_SLICE = 200
"""Vectors sent at once."""


async def replace_vectors(server: Server, name: str, spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
    """Swap every vector and record the embedder; the namespace keeps its chunk size and overlap.

    Raises:
        StoreError: an id is missing or unknown, a vector is wrong, or someone wrote meanwhile; nothing has changed.
    """
    stage = "Re-embedding"
    await sweep(server)
    namespace, ids = await read(server, name, cypher.PASSAGE_IDS, stage=stage)
    await asyncio.to_thread(check_replacement, name, ids, spec, vectors)
    number, epoch = namespace.number, namespace.epoch + 1
    await drop_indexes(server, number, but_epoch=namespace.epoch)
    laying = fill(cypher.LAY_VECTORS, vector=vector_property(epoch), bytes=bytes_property(epoch))
    for start in range(0, len(ids), _SLICE):
        rows = [{"id": id_} | vector_values(vectors[id_])._asdict() for id_ in ids[start : start + _SLICE]]
        await server.change(stage, laying, number=number, rows=rows)
    await make_vector_index(server, number, epoch, spec.embedder.dimension)
    kept = spec_to_json(replace(namespace.spec, embedder=spec.embedder))

    async def take(transaction: Transaction) -> None:
        found = await lock(server, transaction, name)
        if (found.number, found.generation) != (number, namespace.generation):
            raise StoreError(
                f"{stage} {name!r}: documents were written meanwhile. Nothing was changed; run the same command again."
            )
        await transaction.run(cypher.TAKE_VECTORS, namespace=name, spec=kept, epoch=epoch)

    await server.write(stage, take)
    await sweep(server)
