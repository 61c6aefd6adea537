"""Other vectors for every passage of a namespace in Neo4j, taken into use at once.

They are laid beside those in use, in transactions of bounded size, and indexed; one small transaction then takes them
into use, if nothing was written meanwhile. Interrupted before, nothing has changed for anyone; the next attempt lays
them anew. Of two that begin with one namespace, the later one goes on and the other ends: their vectors never mix.
"""

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from stores import cypher
from stores.checks import check_replacement
from stores.errors import StoreError
from stores.neo4j_connection import Server, Transaction
from stores.neo4j_making import sweep
from stores.neo4j_names import bytes_property, fill, vector_property
from stores.neo4j_namespaces import Namespace, lock, read
from stores.neo4j_schema import drop_indexes, make_vector_index
from stores.neo4j_vectors import vector_values
from stores.records import IngestSpec, Vector, spec_to_json

_SLICE = 200
"""Vectors sent at once."""
STAGE = "Re-embedding"


async def replace_vectors(server: Server, name: str, spec: IngestSpec, vectors: Mapping[str, Vector]) -> None:
    """Swap every vector and record the embedder; the namespace keeps its chunk size and overlap.

    Raises:
        StoreError: an id is missing or unknown, a vector is wrong, someone wrote meanwhile, or began to do the same;
            nothing has changed.
    """
    await sweep(server)
    namespace, ids = await read(server, name, cypher.PASSAGE_IDS, stage=STAGE)
    await asyncio.to_thread(check_replacement, name, ids, spec, vectors)
    number, epoch = namespace.number, namespace.epoch + 1
    attempt = _Attempt(server, namespace, secrets.token_hex(8))
    await attempt.write(cypher.CLAIM, claiming=True, namespace=name, owner=attempt.owner)
    await drop_indexes(server, number, but_epoch=namespace.epoch)
    laying = fill(cypher.LAY_VECTORS, vector=vector_property(epoch), bytes=bytes_property(epoch))
    for start in range(0, len(ids), _SLICE):
        rows = [{"id": id_} | vector_values(vectors[id_])._asdict() for id_ in ids[start : start + _SLICE]]
        await attempt.write(laying, number=number, rows=rows)
    await make_vector_index(server, number, epoch, spec.embedder.dimension)
    kept = spec_to_json(replace(namespace.spec, embedder=spec.embedder))
    await attempt.write(cypher.TAKE_VECTORS, namespace=name, spec=kept, epoch=epoch)
    await sweep(server)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One replacement, which goes on only while nobody writes and nobody else begins one."""

    server: Server
    namespace: Namespace
    """As it was at the beginning."""
    owner: str
    """Nobody else bears this name."""

    async def write(self, statement: str, *, claiming: bool = False, **parameters: Any) -> None:
        """Run a statement behind the namespace's lock.

        Raises:
            StoreError: it has changed, or (unless `claiming`) another attempt has claimed it since.
        """
        before = self.namespace

        async def work(transaction: Transaction) -> None:
            now = await lock(self.server, transaction, before.name)
            if (now.number, now.generation) != (before.number, before.generation):
                raise StoreError(
                    f"{STAGE} {before.name!r}: documents were written meanwhile. Nothing was changed; run the same "
                    "command again."
                )
            if now.laying != self.owner and not claiming:
                raise StoreError(
                    f"{STAGE} {before.name!r}: another process began the same, and goes on; this one changed nothing. "
                    "Wait for it."
                )
            await transaction.run(statement, **parameters)

        await self.server.write(STAGE, work)
