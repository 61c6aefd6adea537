"""The lookahead graph over searches that wait to be let go, each written down: for servers that are killed in between.

`$HELD/asked` gets a line for every search that begins; while there is a file `$HELD/QUERY`, that search waits.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

from graph.lookahead import build
from nodes.context import Context
from nodes.deps import Deps
from stores.records import Hit
from tests.fakes import FakeReader, FakeSearch, hit

QUESTION = "Where was the director of Big Stone Gap born?"
PLAN = {
    "nodes": [
        {"id": "n1", "op": "lookup", "query": "director", "depends_on": [], "confidence": 0.9},
        {"id": "n2", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"], "confidence": 0.9},
        {"id": "n3", "op": "lookup", "query": "film", "depends_on": [], "confidence": 0.9},
    ]
}
SETTINGS = Context(synthesizer="embedded", fallback=False, top_k=7)
"""The defaults of this graph: clients say nothing of them."""
LAST = "birthplace of Adriana Trigiani"
FOUND = {
    QUESTION: [hit("Big Stone Gap")],
    "director": [hit("Director", "It was directed by Adriana Trigiani.")],
    LAST: [hit("Adriana Trigiani", "Adriana Trigiani was born in Roseto.")],
    "film": [hit("Film")],
}


class HeldSearch(FakeSearch):
    async def search(self, query: str, *, mode: str, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        folder = Path(os.environ["HELD"])
        await asyncio.to_thread(self._note, folder / "asked", query)
        await asyncio.to_thread(self._wait, folder / query)
        return await super().search(query, mode=mode, limit=limit, near=near)

    @staticmethod
    def _wait(path: Path) -> None:
        while path.exists():
            time.sleep(0.05)

    @staticmethod
    def _note(path: Path, query: str) -> None:
        with path.open("a") as asked:
            asked.write(f"{query}\n")


graph = build(
    Deps(search=HeldSearch(FOUND), reader=FakeReader({"director": "Adriana Trigiani", QUESTION: "Roseto"})),
    context=SETTINGS,
)
