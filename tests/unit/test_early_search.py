"""Searches that start while the plan is being written: when they do, and that nothing else changes by it."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from evaluation.sample import questions
from graph.lookahead import build
from models.chat_planner import ChatPlanner
from models.embedder import load_embedder
from models.reader import EmbeddedReader
from models.scripted import ScriptedChatModel
from nodes.context import Context
from nodes.deps import Deps
from nodes.early import asking_the_question, taken
from prompts.plan import PlanGraph
from stores.errors import StoreError
from stores.records import Hit
from tests.fakes import FakeReader, FakeSearch, FakeSynthesizer, hit, impatient

QUESTION = "q"
WHERE = "Where was the maker of Git born?"
CONFIG: Any = {"configurable": {"thread_id": "1"}}
MANY = [hit(f"Item {i}") for i in range(12)]


def node(number: int, query: str, *parents: int, op: str = "lookup", confidence: float = 0.9) -> dict[str, Any]:
    depends = [f"n{parent}" for parent in parents]
    return {"id": f"n{number}", "op": op, "query": query, "depends_on": depends, "confidence": confidence}


def written(*nodes: dict[str, Any]) -> str:
    return json.dumps({"nodes": nodes})


class Noting(FakeSearch):
    """Notes which searches have started and ended; those with a gate wait for it."""

    def __init__(self, found: Any, delays: Any = None, gates: Sequence[str] = ()) -> None:
        super().__init__(found, delays)
        self.gates = {query: asyncio.Event() for query in gates}
        self.started: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.ended: dict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def search(self, query: str, **options: Any) -> list[Hit]:
        self.started[query].set()
        found = await super().search(query, **options)
        if query in self.gates:
            await self.gates[query].wait()
        self.ended[query].set()
        return found


class Writer(ScriptedChatModel):
    """Writes its plan up to where `rest` begins, then waits for an event."""

    rest: str = "]}"
    until: Any = None

    async def _astream(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        async for chunk in super()._astream(messages, *args, **kwargs):
            if self.until and str(chunk.text).startswith(self.rest):
                await asyncio.wait_for(self.until.wait(), 5)
            yield chunk


def pieces(text: str, rest: str) -> list[str]:
    at = text.rindex(rest)
    return [text[:at], text[at:]]


def deps_of(search: FakeSearch, model: Any, read: dict[str, str] | None = None) -> Deps:
    planner = ChatPlanner(impatient(model))
    return Deps(search=search, reader=FakeReader(read), planner=planner, synthesizer=FakeSynthesizer("x"))


async def run(
    search: FakeSearch, text: str, until: asyncio.Event, *, rest: str = "]}", **settings: Any
) -> dict[str, Any]:
    model = Writer(answers=[pieces(text, rest)], until=until, rest=rest)
    context = Context(fallback=False, **settings)
    return await build(deps_of(search, model)).ainvoke({"question": QUESTION}, context=context)


def found(*queries: str) -> dict[str, Any]:
    return {query: [hit(query)] for query in (*queries, QUESTION)}


class TestWhen:
    async def test_the_first_search_starts_before_the_plan_is_complete(self) -> None:
        search = Noting(found("a", "b"))
        state = await run(search, written(node(1, "a"), node(2, "b")), search.started["a"], rest='{"id": "n2"')
        assert sorted(search.asked) == ["a", "b", "q"]
        assert state["hops"]["n1"]["passages"][0]["title"] == "a"
        assert state["early"] == {}

    @pytest.mark.parametrize(
        "settings", [{"stream_plan": False}, {"schedule": "waves"}, {"schedule": "sequential"}, {"samples": 2}]
    )
    async def test_it_waits_for_the_plan_where_it_is_told_to(self, settings: dict[str, Any]) -> None:
        plan = written(node(1, "a"), node(2, "b"))
        graph = build(deps_of(FakeSearch(found("a", "b")), ScriptedChatModel(answers=lambda _: plan)))
        happened: list[str] = []
        async for part in graph.astream(
            {"question": QUESTION},
            context=Context(fallback=False, **settings),
            stream_mode=["tasks", "custom"],
            version="v2",
        ):
            match part:
                case {"type": "custom", "data": {"type": "search", "hop": hop}}:
                    happened.append(hop)
                case {"type": "tasks", "data": {"name": "plan", "result": _}}:
                    happened.append("plan")
        assert happened.index("plan") < happened.index("n1")

    @pytest.mark.parametrize("stream_plan", [True, False])
    async def test_an_embedded_plan_is_searched_beside_the_question_itself(self, stream_plan: bool) -> None:
        """The question's own search waits for the plan's first one, which is in time only beside it."""
        search = Noting(found("maker of Git"), gates=[WHERE])
        reader = FakeReader({"maker of Git": "Torvalds"})
        graph = build(Deps(search=search, reader=reader, synthesizer=FakeSynthesizer("x")))
        context = Context(planner="embedded", fallback=False, stream_plan=stream_plan)
        answering = asyncio.create_task(graph.ainvoke({"question": WHERE}, context=context))
        begins = search.started["maker of Git"].wait()
        if stream_plan:
            await asyncio.wait_for(begins, 5)
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(begins, 0.2)
        search.gates[WHERE].set()
        state = await answering
        assert search.asked.count("maker of Git") == 1
        assert list(state["hops"]) == ["n0", "n1", "n2"]

    async def test_nothing_of_a_plan_that_waits_for_approval_is_searched(self) -> None:
        search = FakeSearch(found("a"))
        graph = build(deps_of(search, ScriptedChatModel(answers=[written(node(1, "a"))])), InMemorySaver())
        state = await graph.ainvoke({"question": QUESTION}, CONFIG, context=Context(approve_plan=True))
        assert state["__interrupt__"]
        assert search.asked == ["q"]

    async def test_what_waits_for_others_or_will_be_pruned_is_not_searched_early(self) -> None:
        search = Noting(found("a", "b of a"))
        plan = written(node(1, "a"), node(2, "b of {n1}", 1, op="bridge"), node(3, "c", confidence=0.1))
        await run(search, plan, search.ended["a"])
        assert [query for query in search.asked if query != "q"] == ["a", "b of a a."]

    async def test_no_more_at_once_than_allowed(self) -> None:
        names = [f"s{i}" for i in range(6)]
        search = Noting(found(*names), dict.fromkeys(names, 0.01))
        plan = written(*(node(i, name) for i, name in enumerate(names, 1)))
        await run(search, plan, search.started["s0"], max_parallel=2)
        assert search.most_running <= 3  # the question itself is one more


class TestWhatRunsWhenThePlanIsComplete:
    async def test_it_is_waited_for_where_nothing_else_could_be_searched(self) -> None:
        search = Noting(found("a", "b"), {"a": 0.02, "b": 0.02})
        plan = written(node(1, "a"), node(2, "b"), node(3, "c of {n1}", 1, op="bridge"))
        await run(search, plan, search.started["b"])
        assert (search.asked.count("a"), search.asked.count("b")) == (1, 1)

    async def test_nobody_waits_for_it_who_would_not_have_waited(self) -> None:
        search = Noting(found("quick", "slow"), gates=["slow"])
        plan = written(node(1, "quick"), node(2, "slow"), node(3, "child", 1))
        running = asyncio.create_task(run(search, plan, search.ended["quick"]))
        await asyncio.wait_for(search.ended["child"].wait(), 5)
        assert not search.ended["slow"].is_set()
        search.gates["slow"].set()
        assert (await running)["hops"]["n2"]["passages"]

    async def test_it_ends_when_the_planner_fails(self) -> None:
        search = Noting(found("a"), gates=["a"])
        half = written(node(1, "a"))[:-2]
        model = ScriptedChatModel(answers=lambda _: [half, ValueError("cut")])
        state = await build(deps_of(search, model)).ainvoke({"question": QUESTION}, context=Context(fallback=False))
        assert state["planning"]["rung"] == "embedded"
        assert search.started["a"].is_set()
        assert (search.running, len(asyncio.all_tasks())) == (0, 1)


class TestWhatIsTaken:
    @pytest.mark.parametrize(
        ("planned", "kept", "is_taken"),
        [
            (node(1, "a"), ["n1", "n2"], True),
            (node(1, "b"), ["n1", "n2"], False),
            (node(1, "a", op="verify"), ["n1", "n2"], False),
            (node(1, "a", 2), ["n1", "n2"], False),
            (node(1, "a", 2), ["n1"], False),
            (node(1, "a"), ["n2"], False),
        ],
    )
    def test_only_a_node_that_is_kept_as_it_was_searched(self, planned: Any, kept: list[str], is_taken: bool) -> None:
        early: Any = {"n1": {"id": "n1", "op": "lookup", "query": "a", "passages": MANY}}
        plan = PlanGraph(nodes=[planned, node(2, "other")])  # type: ignore[list-item]
        assert (list(taken(early, plan, kept, [], 3)) == ["n1"]) == is_taken

    @pytest.mark.parametrize("stream_plan", [True, False])
    async def test_a_node_that_asks_the_question_takes_what_the_questions_own_search_finds(
        self, stream_plan: bool
    ) -> None:
        search = Noting({QUESTION: MANY, "b": MANY})
        model = ScriptedChatModel(answers=[written(node(1, QUESTION, op="verify"), node(2, "b"))])
        context = Context(top_k=3, fallback=False, stream_plan=stream_plan)
        state, told = {}, []
        async for mode, part in build(deps_of(search, model)).astream(
            {"question": QUESTION}, context=context, stream_mode=["custom", "values"]
        ):
            state = part if mode == "values" else state
            told += [part["hop"]["id"]] if mode == "custom" and part["type"] == "hop" else []
        assert search.asked.count(QUESTION) == 1
        hop, own = state["hops"]["n1"], state["hops"]["n0"]
        assert (hop["op"], hop["bound_query"], hop["passages"]) == ("verify", QUESTION, own["passages"])
        assert told.count("n1") == 1

    @pytest.mark.parametrize(
        ("query", "error", "collecting", "is_taken"),
        [("a  b", None, [], True), ("a b", "gone", [], False), ("a b", None, ["n1"], False), ("a c", None, [], False)],
    )
    def test_what_the_questions_own_search_found_serves_the_same_words_but_no_aggregate(
        self, query: str, error: str | None, collecting: list[str], is_taken: bool
    ) -> None:
        probe: Any = {"id": "n0", "op": "lookup", "query": "a b", "error": error, "passages": MANY}
        plan = PlanGraph(nodes=[node(1, query)])  # type: ignore[list-item]
        assert (list(asking_the_question(probe, plan, collecting)) == ["n1"]) == is_taken

    async def test_a_failed_early_search_is_made_again_and_not_told(self) -> None:
        class Once(Noting):
            async def search(self, query: str, **options: Any) -> list[Hit]:
                if query == "a" and not self.started["a"].is_set():
                    self.started["a"].set()
                    raise StoreError("not yet")
                return await super().search(query, **options)

        search = Once(found("a"))
        state = await run(search, written(node(1, "a")), search.started["a"])
        assert search.asked.count("a") == 1
        assert (state["hops"]["n1"]["error"], state["warnings"]) == (None, [])

    async def test_a_node_written_anew_is_searched_as_it_is_in_the_end(self) -> None:
        half = written(node(1, "a"))[:-2]
        model = ScriptedChatModel(answers=[[half, ConnectionError("gone")], written(node(1, "b"))])
        graph = build(deps_of(FakeSearch(found("a", "b")), model))
        state = await graph.ainvoke({"question": QUESTION}, context=Context(fallback=False))
        assert {i: hop["query"] for i, hop in state["hops"].items()} == {"n0": "q", "n1": "b"}

    @pytest.mark.parametrize(("op", "passages"), [("aggregate", 6), ("compare", 3)])
    async def test_what_an_aggregate_collects_from_keeps_more_passages(self, op: str, passages: int) -> None:
        search = Noting({"a": MANY, "b": MANY, QUESTION: []})
        plan = written(node(1, "a"), node(2, "b"), node(3, "all", 1, 2, op=op))
        state = await run(search, plan, search.ended["b"], top_k=3)
        assert [len(state["hops"][i]["passages"]) for i in ("n1", "n2")] == [passages] * 2
        assert search.asked.count("a") == 1

    async def test_after_a_crash_it_is_not_searched_again(self) -> None:
        class Crash(BaseException):
            """What a killed process looks like from inside."""

        class Crashing(Noting):
            crash = True

            async def search(self, query: str, **options: Any) -> list[Hit]:
                if query == "b of a" and self.crash:
                    raise Crash
                return await super().search(query, **options)

        search = Crashing(found("a", "b of a"))
        plan = pieces(written(node(1, "a"), node(2, "b of {n1}", 1, op="bridge")), "]}")
        model = Writer(answers=[plan], until=search.ended["a"])
        graph = build(deps_of(search, model, {"a": "a"}), InMemorySaver())
        with pytest.raises(Crash):
            await graph.ainvoke({"question": QUESTION}, CONFIG, context=Context(fallback=False))
        search.crash = False
        state = await graph.ainvoke(None, CONFIG, context=Context(fallback=False))
        assert state["hops"]["n2"]["passages"][0]["title"] == "b of a"
        assert search.asked.count("a") == 1


BY_OPERATOR = {q["operator"]: q["plan"]["nodes"] for q in questions() if "operator" in q}
FIRST = BY_OPERATOR["bridge"][0]
PLANS: dict[str, list[dict[str, Any]]] = {
    **BY_OPERATOR,
    "pruned": [*BY_OPERATOR["compare"], node(8, "Who wrote the first novel?", confidence=0.1)],
    "over the budget": [*BY_OPERATOR["aggregate"], *(node(i, f"What is the capital of country {i}?") for i in (6, 7))],
    "doubles": [FIRST, {**FIRST, "id": "n2"}, node(3, "Where was {n2} born?", 2, op="bridge"), node(4, "Linux")],
    "odd ids": [{**FIRST, "id": "step one"}, node(1, "Linux kernel"), {"query": "Who made Git?", "op": "search"}],
    "forward": [node(1, "Where was {n2} born?", 2), node(2, "Who made Git?")],
    "circle": [node(1, "Who knew {n2}?", 2), node(2, "Who made {n1}?", 1), node(3, "Who made Git?")],
}


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """Loaded once for all plans."""
    return {"embedder": load_embedder(), "reader": EmbeddedReader()}


@pytest.mark.parametrize("name", PLANS)
async def test_the_result_is_the_same_without(name: str, sample_store: str, models: dict[str, Any]) -> None:
    text = json.dumps({"nodes": PLANS[name]})
    settings = {"synthesizer": "embedded", "fallback": False, "max_budget": 6 if "budget" in name else 20}
    results, told = [], []
    async with Deps(sample_store, **models) as deps:
        for stream_plan in (True, False):
            model = ScriptedChatModel(answers=lambda _: text, seconds_per_piece=0.001)
            graph = build(deps, model=model)
            context = Context(stream_plan=stream_plan, **settings)  # type: ignore[arg-type]
            state: dict[str, Any] = {}
            async for part in graph.astream(
                {"question": WHERE}, context=context, stream_mode=["values", "custom"], version="v2"
            ):
                told += [part["data"]["type"]] if part["type"] == "custom" else []
                state = part["data"] if part["type"] == "values" else state
            hops = [(i, {**hop, "ms": 0}) for i, hop in state["hops"].items()]  # their order matters: of equals
            left_out = ("timings_ms", "started_at", "context", "message_id")
            results.append({**{k: v for k, v in state.items() if k not in left_out}, "hops": hops})
    assert results[0] == results[1]
    assert "plan_node" in told
