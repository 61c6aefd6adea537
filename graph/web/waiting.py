"""Plans that wait for approval: kept in a file for a while, so that a service that was stopped still knows them."""

import asyncio
import logging
import time
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from graph.assembling import AnsweringGraph
from graph.lookahead import build
from graph.web.errors import Conflict, Gone, NotFound
from graph.web.expiring import SECONDS_PER_HOUR, keep_clean
from graph.web.slots import Busy, most_of_one
from nodes.deps import Deps
from stores.errors import StoreError

log = logging.getLogger("lookahead.web")

OWNER = "namespace"
"""Name of the client's namespace in the metadata of a run's checkpoints."""
KEPT = "SELECT count(DISTINCT thread_id) FROM checkpoints"
KEPT_OF = f"{KEPT} WHERE json_extract(CAST(metadata AS TEXT), '$.{OWNER}') = ?"
RETRY_SECONDS = 600
"""When to come again when too many wait."""


class WaitingRuns:
    """Runs by id, on a graph with a checkpointer; opened on first use, by the loop that uses it.

    Args:
        deps: store and models.
        path: the SQLite file; its folder is made.
        hours: how long a plan waits.
        most: plans that wait at the same time.
        shared: several clients share them, each in a namespace of its own.
    """

    def __init__(self, deps: Deps, path: str, hours: float, most: int, *, shared: bool = False) -> None:
        self._deps, self._path, self._hours, self._most = deps, path, hours, most
        self._most_of_one = most_of_one(most) if shared else most
        self._opening = asyncio.Lock()
        self._open = AsyncExitStack()
        self._graph: AnsweringGraph | None = None
        self._going_on: set[str] = set()

    async def close(self) -> None:
        """Close the file; what waits stays in it."""
        self._graph = None
        await self._open.aclose()

    async def graph(self) -> AnsweringGraph:
        """The lookahead graph that can wait.

        Raises:
            StoreError: the file cannot be opened.
        """
        async with self._opening:
            if self._graph is None:
                self._graph = build(self._deps, checkpointer=await self._saver())
            return self._graph

    async def graph_for_another(self, namespace: str) -> AnsweringGraph:
        """The same, where one more plan may wait.

        Args:
            namespace: the run's.

        Raises:
            Busy: too many wait already.
            StoreError: the file cannot be opened.
        """
        graph = await self.graph()
        checkpointer: Any = graph.checkpointer
        if await _count(checkpointer, KEPT) >= self._most:
            raise Busy(
                f"approve: as many plans wait to be decided as are kept (LOOKAHEAD_MAX_WAITING={self._most}): decide "
                "one, or ask without approve_plan",
                RETRY_SECONDS,
            )
        if self._most_of_one < self._most and await _count(checkpointer, KEPT_OF, namespace) >= self._most_of_one:
            raise Busy(
                "approve: as many of your plans wait to be decided as one of several clients may have "
                f"({self._most_of_one}, of LOOKAHEAD_MAX_WAITING={self._most}): decide one of them, or ask without "
                "approve_plan",
                RETRY_SECONDS,
            )
        return graph

    async def keep_clean(self) -> None:
        """Forget what has waited too long, until cancelled."""
        await keep_clean(self._path, self._hours, lambda: self._going_on)

    async def claim(self, run_id: str, namespace: str | None) -> None:
        """Go on with a run, which nobody else may do meanwhile.

        Args:
            run_id: as the client was told it.
            namespace: the one that the client is bound to; None: any.

        Raises:
            NotFound: there is none of this id (any more), or it is somebody else's.
            Gone: its time is over.
            Conflict: somebody goes on with it already.
        """
        if run_id in self._going_on:
            raise Conflict(f"run: {run_id!r} goes on already: wait for its answer")
        self._going_on.add(run_id)
        try:
            snapshot = await (await self.graph()).aget_state(config_of(run_id))
            context = snapshot.values.get("context") if snapshot.interrupts else None
            if context is None or namespace not in (None, context["namespace"]):
                raise NotFound(
                    f"run: there is no run {run_id!r:.80} that waits for its plan; one that was stopped, or is not "
                    f"decided within {self._hours:g} hours, is forgotten (LOOKAHEAD_PLAN_HOURS): ask the question again"
                )
            if _age(snapshot.created_at) > self._hours * SECONDS_PER_HOUR:
                raise Gone(
                    f"run: {run_id!r} was not decided within {self._hours:g} hours, which is as long as a plan waits "
                    "(LOOKAHEAD_PLAN_HOURS): ask the question again"
                )
        except BaseException:
            self.release(run_id)
            raise

    def release(self, run_id: str) -> None:
        """Nobody goes on with it any more."""
        self._going_on.discard(run_id)

    async def forget_unless_waiting(self, run_id: str) -> None:
        """Keep nothing of a run that has come to its end, was stopped or failed: only a plan can still be decided.

        Never raises: what could not be forgotten is, when its time is over.
        """
        try:
            graph = await self.graph()
            if not (await graph.aget_state(config_of(run_id))).interrupts:
                checkpointer: Any = graph.checkpointer
                await checkpointer.adelete_thread(run_id)
        except Exception:
            log.exception("service: run %s could not be forgotten", run_id)

    async def _saver(self) -> Any:
        import sqlite3

        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        try:
            await asyncio.to_thread(Path(self._path).parent.mkdir, parents=True, exist_ok=True)
            saver = await self._open.enter_async_context(AsyncSqliteSaver.from_conn_string(self._path))
            await saver.setup()
        except (OSError, sqlite3.Error) as error:
            await self._open.aclose()
            raise StoreError(
                f"service: {self._path!r} cannot keep plans that wait ({error}): mend it or name another file with "
                "LOOKAHEAD_RUNS"
            ) from error
        return saver


def _age(created_at: str | None) -> float:
    """Seconds since a checkpoint was written; it says when in ISO 8601."""
    return time.time() - datetime.fromisoformat(created_at).timestamp() if created_at else 0.0


def config_of(run_id: str, namespace: str | None = None) -> RunnableConfig:
    """Where a run waits; who begins one says in which namespace."""
    metadata = {} if namespace is None else {OWNER: namespace}
    return {"configurable": {"thread_id": run_id}, "metadata": metadata}


async def _count(checkpointer: Any, statement: str, *given: str) -> int:
    async with checkpointer.conn.execute(statement, given) as rows:
        (number,) = await rows.fetchone()
    return int(number)
