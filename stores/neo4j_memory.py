"""What a writing process remembers of a namespace in Neo4j between transactions: names, and the tokens of passages.

As in the embedded store, a new name is looked for in all stored passages by a scan over 4 bytes a token, which the
process holds in memory; only what others wrote since is read again.
"""

import asyncio
from dataclasses import dataclass, field

from stores import cypher
from stores.links import NameSet
from stores.neo4j_connection import Rows, Transaction
from stores.neo4j_namespaces import Namespace
from stores.token_scan import TokenScan


@dataclass(slots=True)
class Memory:
    """As of a commit."""

    number: int
    """Of the namespace."""
    names: NameSet = field(default_factory=NameSet)
    scan: TokenScan = field(default_factory=TokenScan)
    last_entity: int = 0
    names_removed: int = 0
    unsettled: list[tuple[int, bytes]] = field(default_factory=list)
    """Tokens of passages that were written in a transaction which is committed only now."""

    def settle(self) -> None:
        """Take them in: the transaction is committed."""
        self.scan.add(self.unsettled)
        self.unsettled = []


async def refreshed(memory: Memory | None, transaction: Transaction, namespace: Namespace) -> Memory:
    """What is committed, read in a transaction that holds the namespace's lock and has written nothing yet."""
    number = namespace.number
    if memory is None or memory.number != number:
        memory = Memory(number)
    if memory.names_removed != namespace.names_removed:
        memory.names, memory.last_entity = NameSet(), 0
    if memory.last_entity < namespace.last_entity:
        names = await transaction.run(cypher.NEW_NAMES, number=number, entity=memory.last_entity)
        await asyncio.to_thread(_add_names, memory.names, names)
    if memory.scan.last_row < namespace.last_row:
        tokens = await transaction.run(cypher.NEW_TOKENS, number=number, row=memory.scan.last_row)
        await asyncio.to_thread(memory.scan.add, [(row, hashes) for row, hashes in tokens])
    memory.last_entity, memory.names_removed = namespace.last_entity, namespace.names_removed
    return memory


def _add_names(names: NameSet, found: Rows) -> None:
    for (key,) in found:
        names.add(key)
