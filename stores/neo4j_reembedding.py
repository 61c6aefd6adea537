"""Other vectors for every passage of a namespace in Neo4j, taken into use at once.

They are laid beside those in use, in transactions of bounded size, and indexed; one small transaction then takes them
into use, if nothing was written meanwhile. Interrupted before, nothing has changed for anyone; the next attempt lays
them anew.

Any number of processes may begin with one namespace: the latest goes on, the others end. Each attempt is given, behind
the namespace's lock, an epoch that none had before it, and names its properties and its index by that. So nobody lays
vectors among another's, makes another's index or finds one of another dimension in its place; and what is dropped or
removed is of epochs that were in use or overtaken and will not come into use again, however late that is done.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stores import cypher
from stores.checks import check_replacement
from stores.errors import NamespaceNotFound, StoreError
from stores.neo4j_connection import Rows, Server, Transaction
from stores.neo4j_failures import Refused
from stores.neo4j_making import sweep
from stores.neo4j_names import bytes_property, fill, vector_property
from stores.neo4j_namespaces import Namespace, find, lock, read
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
    namespace, ids = await read(server, name, cypher.PASSAGE_IDS, stage=STAGE)
    await asyncio.to_thread(check_replacement, name, ids, spec, vectors)
    attempt = _Attempt(server, namespace)
    await attempt.begin()
    await sweep(server)
    try:
        await attempt.lay(ids, vectors)
        await make_vector_index(server, namespace.number, attempt.epoch, spec.embedder.dimension)
        await attempt.take(spec)
    except (Refused, NamespaceNotFound, _Overtaken) as error:
        if not await attempt.is_overtaken():
            raise
        await drop_indexes(server, namespace.number, {attempt.epoch})
        raise _Overtaken(name) from error  # refused: its index was dropped while it was waited for
    await sweep(server)


class _Overtaken(StoreError):
    """Another attempt began later, or the namespace is gone."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{STAGE} {name!r}: another process began the same later, or cleared the namespace; this one changed "
            "nothing. Wait for the other."
        )


@dataclass(slots=True)
class _Attempt:
    """One replacement, which goes on only while nobody writes and nobody else begins one."""

    server: Server
    before: Namespace
    """As it was when the ids of its passages were read."""
    epoch: int = 0
    """Of its vectors; nobody else's."""

    async def begin(self) -> None:
        """Get an epoch; whoever was at it is overtaken."""
        [[self.epoch]] = await self._write(cypher.CLAIM, namespace=self.before.name)

    async def lay(self, ids: Sequence[str], vectors: Mapping[str, Vector]) -> None:
        """Lay the vectors beside those in use."""
        laying = fill(cypher.LAY_VECTORS, vector=vector_property(self.epoch), bytes=bytes_property(self.epoch))
        for start in range(0, len(ids), _SLICE):
            rows = [{"id": id_} | vector_values(vectors[id_])._asdict() for id_ in ids[start : start + _SLICE]]
            await self._write(laying, number=self.before.number, rows=rows)

    async def take(self, spec: IngestSpec) -> None:
        """Take them into use."""
        kept = spec_to_json(replace(self.before.spec, embedder=spec.embedder))
        await self._write(cypher.TAKE_VECTORS, namespace=self.before.name, spec=kept)

    async def is_overtaken(self) -> bool:
        """Whether its vectors will never be in use; once true, that stays so."""
        now = await find(self.server, self.before.name)
        return now is None or now.number != self.before.number or self._is_behind(now)

    def _is_behind(self, now: Namespace) -> bool:
        return max(now.epoch, now.attempt or 0) > self.epoch

    async def _write(self, statement: str, **parameters: Any) -> Rows:
        """Run a statement behind the namespace's lock.

        Raises:
            _Overtaken: another attempt began since this one.
            StoreError: the namespace has changed.
        """
        before = self.before

        async def work(transaction: Transaction) -> Rows:
            now = await lock(self.server, transaction, before.name)
            if self.epoch and now.number == before.number and self._is_behind(now):
                raise _Overtaken(before.name)
            if (now.number, now.generation) != (before.number, before.generation):
                raise StoreError(
                    f"{STAGE} {before.name!r}: documents were written meanwhile. Nothing was changed; run the same "
                    "command again."
                )
            return await transaction.run(statement, **parameters)

        return await self.server.write(STAGE, work)
