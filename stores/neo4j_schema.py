"""What must stand in a Neo4j database before passages can: constraints, and two indexes for each namespace.

Numbered migrations, each of statements that change nothing when they are done twice. An index is waited for until it is
ONLINE. Knows nothing about documents.
"""

from collections.abc import Collection

from stores import cypher
from stores.errors import StoreVersionError
from stores.neo4j_connection import WRITE_SECONDS, Server
from stores.neo4j_names import chunk_label, fill, parse_index, text_index, vector_index, vector_property

VERSION = max(cypher.MIGRATIONS)


async def open_database(server: Server) -> int:
    """Greet the server; version of the schema in the database, 0 where there is none.

    Raises:
        StoreVersionError: a newer version of this program made it.
        StoreError: the server cannot be used.
    """
    [[version]] = await server.greet(cypher.READ_VERSION)
    if (version or 0) > VERSION:
        raise StoreVersionError(
            f"Opening the store: the database at {server.address.shown!r} was made by a newer version (schema "
            f"{version}, this program knows {VERSION}). Upgrade lookahead-rag, or use another database."
        )
    return version or 0


async def migrate(server: Server, version: int) -> int:
    """Bring the database from this version of the schema to the newest, which is returned."""
    for number, statements in sorted(cypher.MIGRATIONS.items()):
        if number > version:
            for statement in statements:
                await server.change("Preparing the database", statement)
            await server.change("Preparing the database", cypher.WRITE_VERSION, version=number)
    return VERSION


async def make_text_index(server: Server, number: int) -> None:
    """Make a namespace's full-text index, and wait until it is ONLINE."""
    names = {"index": text_index(number), "label": chunk_label(number)}
    await server.change("Making an index", fill(cypher.CREATE_TEXT_INDEX, **names))
    await _wait(server, names["index"])


async def make_vector_index(server: Server, number: int, epoch: int, dimension: int) -> None:
    """Make the index of a namespace's vectors of this epoch, and wait until it is ONLINE."""
    settings, index = server.settings, vector_index(number, epoch, dimension)
    statement = fill(
        cypher.CREATE_VECTOR_INDEX,
        index=index,
        label=chunk_label(number),
        property=vector_property(epoch),
        dimension=dimension,
        quantization=str(settings.quantization).lower(),
        m=settings.hnsw_m,
        ef_construction=settings.hnsw_ef_construction,
    )
    await server.change("Making an index", statement)
    await _wait(server, index)


async def drop_indexes(server: Server, number: int, epochs: Collection[int] | None = None) -> None:
    """Drop the indexes of a number; with `epochs` only those of vectors of one of these."""
    for name, _ in await server.change("Dropping an index", cypher.SHOW_INDEXES):
        found = parse_index(name)
        if found is not None and found[0] == number and (epochs is None or found[1] in epochs):
            await server.change("Dropping an index", fill(cypher.DROP_INDEX, index=name))


async def index_states(server: Server, number: int) -> dict[str, str]:
    """State of each index of a namespace, by name: ONLINE, POPULATING or FAILED."""
    found = await server.read("Verifying the store", cypher.SHOW_INDEXES)
    return {name: state for name, state in found if (parsed := parse_index(name)) is not None and parsed[0] == number}


async def _wait(server: Server, index: str) -> None:
    """Fails when the index does, or is not ONLINE in time."""
    await server.change("Making an index", cypher.AWAIT_INDEX, index=index, seconds=int(WRITE_SECONDS))
