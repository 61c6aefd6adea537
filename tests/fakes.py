"""Fakes for the nodes: a search over a dictionary, a reader and a planner that say what they are told."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from models.chat import ChatModel
from models.planner import Planned
from models.reader import Candidate
from models.retrying import Retry
from models.synthesizer import SynthesisInput
from prompts.answer import Synthesis
from prompts.plan import PlanGraph
from stores.records import Hit, Passage


def hit(title: str, text: str = "", **changes: Any) -> Hit:
    """A hit whose id is its title in lower case."""
    measures = {
        "score": 1.0,
        "bm25": 1.0,
        "cosine": 0.5,
        "rrf": 1.0,
        "title_match": 0.0,
        "linked_from": [],
        "mentions": [],
    }
    base = {"id": title.lower(), "document_id": title, "title": title, "text": text or f"{title}.", "metadata": {}}
    return Hit(**{**base, **measures, **changes})  # type: ignore[typeddict-item]


def impatient(model: Any, **fields: Any) -> ChatModel:
    """A chat model whose failed calls are made again at once."""

    async def no_wait(seconds: float) -> None:
        return None

    return ChatModel("scripted", model, retry=Retry(sleep=no_wait), **fields)


class FakeSearch:
    """Finds what `found` says for a query (an exception is raised), after `delays` seconds; notes what was asked."""

    def __init__(
        self, found: Mapping[str, Sequence[Hit] | Exception], delays: Mapping[str, float] | None = None
    ) -> None:
        self.found = dict(found)
        self.delays = dict(delays or {})
        self.asked: list[str] = []
        self.near: dict[str, list[str]] = {}
        self.running = self.most_running = 0

    async def search(self, query: str, *, mode: str, limit: int, near: Sequence[str] = ()) -> list[Hit]:
        self.asked.append(query)
        self.near[query] = list(near)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(self.delays.get(query, 0))
        finally:
            self.running -= 1
        found = self.found.get(query, [])
        if isinstance(found, Exception):
            raise found
        return list(found)[:limit]

    async def document(self, name: str) -> list[Passage]:
        hits = [hit for found in self.found.values() if not isinstance(found, Exception) for hit in found]
        return list({hit["id"]: hit for hit in hits if name in (hit["document_id"], hit["title"])}.values())

    async def titles_in(self, text: str) -> list[str]:
        return []

    async def cosine(self, query: str, hits: Sequence[Hit]) -> list[float]:
        return [float(len(h["title"])) for h in hits]


class FakeReader:
    """Reads `answers[question]`, from the first passage."""

    name = "fake"

    def __init__(
        self, answers: Mapping[str, str | Sequence[tuple[str, float]]] | None = None, supported: float = 0.9
    ) -> None:
        self.answers = dict(answers or {})
        self.supported = supported
        self.forgotten = 0

    def read(self, question: str, passages: Sequence[Passage], *, limit: int = 5) -> list[Candidate]:
        if not passages:
            return []
        told = self.answers.get(question, [])
        pairs = [(told, 0.9)] if isinstance(told, str) else list(told)
        first = passages[0]
        return [
            Candidate(text=t, probability=p, passage_id=first["id"], sentence=first["text"]) for t, p in pairs[:limit]
        ]

    def judge(self, claim: str, passages: Sequence[Passage]) -> Candidate:
        return Candidate(text="yes", probability=0.9, passage_id=passages[0]["id"], sentence=passages[0]["text"])

    def sentences(self, question: str, text: str) -> list[tuple[str, float]]:
        return [(s if s.endswith(".") else f"{s}.", float(question.split()[0] in s)) for s in text.split(". ") if s]

    def support(self, question: str, answer: str, passages: Sequence[Passage]) -> float:
        return self.supported

    def forget(self) -> None:
        self.forgotten += 1


class FakePlanner:
    """Gives the plan it was made with."""

    name = "fake"

    def __init__(self, nodes: Sequence[Mapping[str, Any]] = (), entropy: float | None = None) -> None:
        self.nodes = [dict(n) for n in nodes]
        self.entropy = entropy
        self.calls = 0

    async def plan(self, question: str, *, titles: Sequence[str], max_nodes: int, **_: Any) -> Planned:
        self.calls += 1
        plan = PlanGraph(question=question, nodes=self.nodes).model_dump()
        return Planned(plan=plan, rung="fake", warnings=[], entropy=self.entropy)


class FakeSynthesizer:
    """Writes what it was told, citing the first evidence; or what a function makes of the input."""

    def __init__(self, answer: str | Callable[[SynthesisInput], Synthesis] = "answer", name: str = "fake") -> None:
        self.answer = answer
        self.name = name
        self.seen: list[SynthesisInput] = []

    async def synthesize(self, given: SynthesisInput, *, emit: Callable[[str], None], **_: Any) -> Synthesis:
        self.seen.append(given)
        if callable(self.answer):
            return self.answer(given)
        mark = f" [{given['evidence'][0]['ids'][0]}]" if given["evidence"] else ""
        emit(f"{self.answer}{mark}.")
        return Synthesis(
            answer=self.answer, explanation=f"It is {self.answer}{mark}.", sufficient=True, probability=0.8
        )
