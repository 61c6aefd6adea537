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

    async def opened() -> Result:
        async with Settings().open_store(address or None) as store:
            return await work(store)

    return asyncio.run(opened())
