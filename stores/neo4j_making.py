"""Namespaces in Neo4j: made, and cleared.

One that is being made, or was cleared, is a vacant number: nobody sees it, and what stands under it is swept away bit
by bit, by whoever makes, clears or re-embeds the next one, however often that is interrupted. So are vectors that are
out of use.
"""

from stores import cypher
from stores.checks import check_embedder
from stores.errors import StoreError
from stores.neo4j_connection import Server, Transaction
from stores.neo4j_names import bytes_property, fill, vector_property
from stores.neo4j_namespaces import Namespace, find, lock, namespace_of, need
from stores.neo4j_schema import drop_indexes, make_text_index, make_vector_index
from stores.records import IngestSpec, spec_to_json

_BATCH = 2000
"""Nodes that one transaction deletes or changes."""
_GRACE_MS = 3_600_000
"""A namespace that was begun so long ago and is not there yet never will be."""


async def create(server: Server, name: str, spec: IngestSpec) -> Namespace:
    """Make a namespace with its indexes, or check an existing one.

    Raises:
        EmbedderMismatch: it was made with another embedder.
    """
    found = await find(server, name)
    if found is None:
        await sweep(server)
        await _make(server, name, spec)
        found = await need(server, name)
    check_embedder(name, found.spec, spec)
    return found


async def _make(server: Server, name: str, spec: IngestSpec) -> None:
    """Reserve a number, make its indexes, and only then let the namespace be seen; another process may be faster."""
    stage = "Creating the namespace"
    [[number]] = await server.change(stage, cypher.RESERVE)
    await drop_indexes(server, number)  # of a store whose nodes were deleted by hand
    await make_text_index(server, number)
    await make_vector_index(server, number, 1, spec.embedder.dimension)

    async def found(transaction: Transaction) -> bool:
        if await transaction.run(cypher.NAMESPACE, namespace=name):
            return False
        properties = {"name": name, "spec": spec_to_json(spec), "number": number, "epoch": 1, "names_removed": 0}
        counts = dict.fromkeys(("documents", "passages", "links", "last_row", "last_entity"), 0)
        await transaction.run(cypher.FOUND, number=number, properties=properties | counts)
        return True

    try:
        made = await server.write(stage, found)
    except StoreError:
        if await find(server, name) is None:
            raise
        made = False
    if not made:
        await server.change(stage, cypher.ABANDON, number=number)
        await sweep(server)


async def clear(server: Server, name: str) -> int:
    """Make the namespace vanish at once, then delete what was in it; returns the number of documents."""
    stage = "Clearing the namespace"

    async def vanish(transaction: Transaction) -> int:
        if not await transaction.run(cypher.NAMESPACE, namespace=name):
            return 0
        documents = (await lock(server, transaction, name)).documents
        await transaction.run(cypher.CLEAR, namespace=name)
        return documents

    documents = await server.write(stage, vanish)
    await sweep(server)
    return documents


async def sweep(server: Server) -> None:
    """Delete what stands under vacant numbers, and vectors that are out of use, in transactions of bounded size."""
    stage = "Clearing up"
    for (number,) in await server.change(stage, cypher.VACANT, grace=_GRACE_MS):
        await drop_indexes(server, number)
        for statement in cypher.SWEEP:
            while (await server.change(stage, statement, number=number, many=_BATCH))[0][0] == _BATCH:
                pass
        await server.change(stage, cypher.FORGET, number=number)
    for (properties,) in await server.change(stage, cypher.OUT_OF_USE):
        await _remove_vectors(server, namespace_of(properties))


async def _remove_vectors(server: Server, namespace: Namespace) -> None:
    """Those that were out of use when the namespace was read, however long ago: they are not taken into use again."""
    stage, number = "Clearing up", namespace.number
    await drop_indexes(server, number, {*range(namespace.epoch), *namespace.out_of_use})
    for epoch in namespace.out_of_use:
        removing = fill(cypher.REMOVE_VECTORS, vector=vector_property(epoch), bytes=bytes_property(epoch))
        for first in range(0, namespace.last_row + 1, _BATCH):
            await server.change(stage, removing, number=number, first=first, end=first + _BATCH)
    await server.change(stage, cypher.FORGET_VECTORS, number=number, epochs=list(namespace.out_of_use))
