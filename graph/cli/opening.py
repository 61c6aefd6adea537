"""Opens the store for a command that needs nothing else."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from stores.base import PassageStore

Result = TypeVar("Result")


def with_store(address: str | None, work: Callable[["PassageStore"], Awaitable[Result]]) -> Result:
    """Run `work` on the store at this address (by default the one that the environment names)."""
    from nodes.settings import Settings
    from stores.opening import open_store

    async def opened() -> Result:
        async with open_store(address or Settings().lookahead_store) as store:
            return await work(store)

    return asyncio.run(opened())
