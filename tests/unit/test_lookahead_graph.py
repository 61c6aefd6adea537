"""The whole graph over fakes: what each rule of the design promises."""

import asyncio
import gc
import time
from collections.abc import Sequence
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graph.lookahead import build
from models.synthesizer import SynthesisInput
from models.usage import no_usage
from nodes.context import Context
from nodes.deps import Deps
from nodes.fallback import triggers_of
from prompts.answer import Synthesis
from stores.errors import InputError, ModelError, StoreError
from stores.records import Passage
from tests.fakes import FakePlanner, FakeReader, FakeSearch, FakeSynthesizer, hit

QUESTION = "Where was the director of Big Stone Gap born?"
PLAN = [
    {"id": "n1", "op": "lookup", "query": "director of Big Stone Gap", "confidence": 0.9},
    {"id": "n2", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"], "confidence": 0.8},
]
FOUND = {
    QUESTION: [hit("Big Stone Gap"), hit("Birth")],
    "director of Big Stone Gap": [hit("Big Stone Gap", "It was directed by Adriana Trigiani.")],
    "birthplace of Adriana Trigiani": [hit("Adriana Trigiani", "She was born in Roseto.")],
}
READ = {"director of Big Stone Gap": "Adriana Trigiani"}


def deps(**changes: Any) -> Deps:
    parts = {
        "search": FakeSearch(FOUND),
        "reader": FakeReader(READ),
        "planner": FakePlanner(PLAN),
        "synthesizer": FakeSynthesizer("Roseto"),
    }
    return Deps(**{**parts, **changes})


async def run(question: str = QUESTION, *, context: Context | None = None, **changes: Any) -> dict[str, Any]:
    return await build(deps(**changes)).ainvoke({"question": question}, context=context or Context())


async def test_a_bridge_is_bound_searched_and_cited() -> None:
    state = await run()
    assert state["answer"] == "Roseto"
    assert state["hops"]["n2"]["bound_query"] == "birthplace of Adriana Trigiani"
    binding = state["hops"]["n2"]["bindings"][0]
    assert (binding["text"], binding["node"], binding["passage_id"]) == ("Adriana Trigiani", "n1", "big stone gap")
    assert {i for e in state["evidence"] for i in e["ids"]} >= {"n0.1", "n1.1", "n2.1"}
    assert state["plan_coverage"] == 1.0
    assert state["usage"] == no_usage()
    assert {"plan", "probe", "retrieve", "rerank", "assemble", "synthesize", "check", "total"} <= state[
        "timings_ms"
    ].keys()
    assert state["timings_ms"]["total"] >= state["timings_ms"]["retrieve"]


async def test_a_passage_found_by_two_hops_keeps_both_ids() -> None:
    state = await run()
    gap = next(e for e in state["evidence"] if e["title"] == "Big Stone Gap")
    assert gap["ids"] == ["n1.1", "n0.1"]


@pytest.mark.parametrize("context", [None, Context()])
async def test_a_question_without_settings_does_not_take_those_of_the_one_before(context: Context | None) -> None:
    graph, config = build(deps(), InMemorySaver()), {"configurable": {"thread_id": "1"}}
    await graph.ainvoke({"question": QUESTION}, config, context=Context(planner="none", top_k=1))
    state = await graph.ainvoke({"question": QUESTION}, config, context=context)
    assert state["context"] == Context().model_dump()


async def test_two_questions_on_one_thread_share_nothing() -> None:
    search = FakeSearch({**FOUND, "x": StoreError("broken"), "Who?": [hit("Other"), hit("Another")]})
    graph = build(deps(search=search), InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    plan = {"nodes": [{"id": "n1", "query": "x"}]}
    first = await graph.ainvoke({"question": QUESTION, "plan": plan}, config, context=Context())
    assert first["warnings"]
    assert first["planning"]["rung"] == "given"
    second = await graph.ainvoke({"question": "Who?"}, config, context=Context(planner="none", max_fallbacks=0))
    assert second["planning"]["rung"] == "none"
    assert list(second["hops"]) == ["n0"]
    assert second["fallbacks"] == []
    assert second["warnings"] == []


async def test_a_ready_plan_needs_no_planner() -> None:
    planner = FakePlanner()
    graph = build(deps(planner=planner))
    state = await graph.ainvoke({"question": QUESTION, "plan": {"nodes": PLAN}})
    assert planner.calls == 0
    assert state["hops"]["n2"]["passages"]


async def test_a_failed_parent_leaves_the_child_searching_without_it() -> None:
    search = FakeSearch(
        {**FOUND, "director of Big Stone Gap": StoreError("the disk is gone"), "birthplace of": [hit("B")]}
    )
    state = await run(search=search, context=Context(fallback=False))
    assert "the disk is gone" in state["hops"]["n1"]["error"]
    assert state["hops"]["n2"]["passages"]
    assert "n1, which failed" in state["hops"]["n2"]["error"]
    assert any("the disk is gone" in w for w in state["warnings"])


async def test_nothing_to_bind_searches_with_the_parents_best_passage() -> None:
    search = FakeSearch(FOUND)
    state = await run(search=search, reader=FakeReader({}), context=Context(fallback=False))
    assert "birthplace of Big Stone Gap It was directed by Adriana Trigiani." in search.asked
    assert "nothing was read" in state["hops"]["n2"]["error"]


async def test_a_pruned_parent_leaves_the_child_searching_without_it() -> None:
    plan = [{**PLAN[0], "confidence": 0.1}, PLAN[1]]
    search = FakeSearch({**FOUND, "birthplace of": [hit("Birthplace")]})
    state = await run(search=search, planner=FakePlanner(plan), context=Context(fallback=False))
    assert state["pruning"]["kept"] == ["n2"]
    assert "confidence 0.10" in state["pruning"]["dropped"][0]["reason"]
    assert state["hops"]["n2"]["bound_query"] == "birthplace of"
    assert "n1, which was pruned" in state["hops"]["n2"]["error"]


async def test_close_candidates_are_both_searched() -> None:
    reader = FakeReader(
        {"director of Big Stone Gap": [("Adriana Trigiani", 0.4), ("Ashley Judd", 0.35), ("Nobody", 0.1)]}
    )
    search = FakeSearch({**FOUND, "birthplace of Ashley Judd": [hit("Ashley Judd")]})
    state = await run(search=search, reader=reader)
    assert {h["title"] for h in state["hops"]["n2"]["passages"]} == {"Adriana Trigiani", "Ashley Judd"}
    assert "birthplace of Nobody" not in search.asked


class Crash(BaseException):
    """What a killed process looks like from inside."""


async def test_a_resumed_crash_gives_every_hop_its_own_passages() -> None:
    names = ["a", "b", "c", "d", "e"]
    parents = {"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["b", "d"]}
    ids = {name: f"n{i}" for i, name in enumerate(names, 1)}
    plan = {"nodes": [{"id": ids[n], "query": n, "depends_on": [ids[p] for p in parents[n]]} for n in names]}
    search = FakeSearch({n: [hit(n)] for n in names} | {"q": [hit("q")]}, {"a": 0.01, "b": 0.05, "c": 0.03, "d": 0.01})

    async def crash(query: str, **options: Any) -> Any:
        if query == "d":
            raise Crash
        return await FakeSearch.search(search, query, **options)

    search.search = crash  # type: ignore[method-assign]
    graph = build(deps(search=search), InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    with pytest.raises(Crash):
        await graph.ainvoke({"question": "q", "plan": plan}, config, context=Context())
    gc.collect()  # futures that nobody reads any more say so when they are collected: here, not inside another test
    del search.search
    before = set(search.asked)
    assert "a" in before
    search.asked.clear()
    search.delays = {"b": 0.0, "d": 0.02}
    state = await graph.ainvoke(None, config, context=Context())
    assert {n: [h["title"] for h in state["hops"][ids[n]]["passages"]] for n in names} == {n: [n] for n in names}
    assert not {"a", "c"} & set(search.asked)


@pytest.mark.parametrize(("schedule", "overtakes"), [("dataflow", True), ("waves", False), ("sequential", False)])
async def test_dataflow_starts_a_child_before_its_slow_uncle_is_done(schedule: str, overtakes: bool) -> None:
    plan = [
        {"id": "n1", "query": "quick"},
        {"id": "n2", "query": "slow"},
        {"id": "n3", "query": "child of quick", "depends_on": ["n1"]},
    ]
    search = FakeSearch({q: [hit(q)] for q in ("quick", "slow", "child of quick", "q")}, {"slow": 0.3})
    finished: list[str] = []

    async def noted(query: str, **options: Any) -> Any:
        found = await FakeSearch.search(search, query, **options)
        finished.append(query)
        return found

    search.search = noted  # type: ignore[method-assign]
    await run("q", search=search, planner=FakePlanner(plan), context=Context(schedule=schedule))  # type: ignore[arg-type]
    assert (finished.index("child of quick") < finished.index("slow")) == overtakes


async def test_no_more_hops_run_at_once_than_allowed() -> None:
    plan = [{"id": f"n{i}", "query": f"q{i}"} for i in range(1, 7)]
    search = FakeSearch({f"q{i}": [hit(f"q{i}")] for i in range(1, 7)}, {f"q{i}": 0.01 for i in range(1, 7)})
    await run("q", search=search, planner=FakePlanner(plan), context=Context(max_parallel=2, fallback=False))
    assert search.most_running == 2


async def test_a_hop_past_the_deadline_fails_alone() -> None:
    plan = [{"id": "n1", "query": "slow"}, {"id": "n2", "query": "director of Big Stone Gap"}]
    search = FakeSearch(FOUND, {"slow": 5})
    state = await run(search=search, planner=FakePlanner(plan), context=Context(deadline_ms=1000, fallback=False))
    assert "took longer" in state["hops"]["n1"]["error"]
    assert state["hops"]["n2"]["passages"]
    assert state["answer"] == "Roseto"


@pytest.mark.parametrize("switch", ["prune", "probe", "bind", "compress", "check", "fallback"])
async def test_the_graph_answers_with_any_switch_off(switch: str) -> None:
    state = await run(context=Context(**{switch: False}))
    assert state["answer"] == "Roseto"
    assert not state["abstained"]


@pytest.mark.parametrize("reranker", ["ranker", "rrf", "cosine", "none"])
async def test_the_graph_answers_with_any_reranker(reranker: str) -> None:
    assert (await run(context=Context(reranker=reranker)))["answer"] == "Roseto"


async def test_without_a_planner_the_question_alone_is_searched() -> None:
    state = await run(context=Context(planner="none", fallback=False))
    assert list(state["hops"]) == ["n0"]
    assert state["plan_coverage"] == 1.0


async def test_the_question_itself_is_not_searched_where_that_is_off_and_there_is_a_plan() -> None:
    assert "n0" not in (await run(context=Context(probe=False, fallback=False)))["hops"]
    assert "n0" in (await run(context=Context(probe=False, planner="none", fallback=False)))["hops"]


@pytest.mark.parametrize("question", ["", "   \n", "x" * 10_001])
async def test_a_question_that_cannot_be_asked_is_refused(question: str) -> None:
    with pytest.raises(InputError, match="question: it"):
        await run(question)


async def test_a_plan_that_cannot_be_run_is_refused() -> None:
    with pytest.raises(InputError, match="the given plan cannot be run"):
        await build(deps()).ainvoke({"question": "q", "plan": {"nodes": [{"op": "lookup"}]}})


class TestFallback:
    async def test_thin_evidence_is_searched_again_before_an_answer_is_spent(self) -> None:
        synthesizer = FakeSynthesizer("x")
        state = await run(
            "Who knew Ada Lovelace of London?", search=FakeSearch({}), planner=FakePlanner(), synthesizer=synthesizer
        )
        assert state["fallbacks"]
        assert len(state["fallbacks"]) <= 2
        assert "few_passages" in state["fallbacks"][0]["trigger"]
        assert state["fallbacks"][0]["queries"]
        assert set(state["hops"]) > {"n0"}
        assert len(synthesizer.seen) == 1

    async def test_an_unsupported_answer_is_tried_again_and_taken_back(self) -> None:
        graph = build(deps(reader=FakeReader(READ, supported=0.01)))
        events = [e async for e in graph.astream({"question": QUESTION}, context=Context(), stream_mode="custom")]
        assert {"type": "answer_reset"} in events
        assert events.index({"type": "answer_reset"}) > 0
        assert events[-1]["type"] == "text"

    async def test_the_better_answer_stands(self) -> None:
        class Fading(FakeReader):
            def support(self, question: str, answer: str, passages: Sequence[Passage]) -> float:
                return 0.09 if answer == "first" else 0.01

        said = iter(["first", "second", "third"])

        def say(given: SynthesisInput) -> Synthesis:
            word, cited = next(said), given["evidence"][0]["ids"][0]
            return Synthesis(answer=word, explanation=f"It is {word} [{cited}].", sufficient=True, probability=0.5)

        state = await run(reader=Fading(READ), synthesizer=FakeSynthesizer(say))
        assert len(state["fallbacks"]) >= 1
        assert state["answer"] == "first"
        assert state["explanation"].startswith("It is first")

    async def test_the_queries_of_a_fallback_are_not_answered(self) -> None:
        synthesizer = FakeSynthesizer("x")
        await run(reader=FakeReader(READ, supported=0.01), synthesizer=synthesizer)
        assert len(synthesizer.seen) > 1
        assert [n["id"] for n in synthesizer.seen[-1]["plan"]["nodes"]] == ["n1", "n2"]

    async def test_it_ends_when_nothing_helps(self) -> None:
        state = await run(reader=FakeReader(READ, supported=0.01), context=Context(max_fallbacks=5))
        assert len(state["fallbacks"]) <= 5
        assert state["check"]["supported"] is False

    def test_each_trigger_fires_for_its_own_reason(self) -> None:
        hop = {"id": "n1", "passages": [hit("A"), hit("B")], "error": None}
        node = {"id": "n1", "query": "a", "confidence": 0.8, "depends_on": []}
        fine = {
            "hops": {"n1": hop}, "plan_graph": {"nodes": [node]}, "pruning": {"kept": ["n1"], "dropped": []},
            "fallbacks": [], "planning": {"entropy": None}, "check": {"supported": True}, "sufficient": True,
        }  # fmt: skip
        child = {"id": "n2", "query": "b", "confidence": 0.8, "depends_on": ["n1"]}
        empty = {**hop, "passages": []}
        failed = {**empty, "error": "no"}
        chain = {"nodes": [node, child]}
        cases = [
            ([], fine, False),
            (["entropy"], {**fine, "planning": {"entropy": 2.0}}, False),
            (["few_passages"], {**fine, "hops": {"n1": {**hop, "passages": [hit("A")]}}}, False),
            (["plan_coverage", "few_passages"], {**fine, "hops": {"n1": empty}}, False),
            (["plan_coverage", "few_passages", "failed_node"], {**fine, "hops": {"n1": failed}}, False),
            (
                ["plan_coverage", "few_passages", "empty_parent"],
                {**fine, "hops": {"n1": empty}, "plan_graph": chain},
                False,
            ),
            (["unsupported"], {**fine, "check": {"supported": False}}, True),
            ([], {**fine, "check": {"supported": False}}, False),
        ]
        for expected, state, answered in cases:
            assert triggers_of(state, Context(), answered=answered) == expected  # type: ignore[arg-type]


class TestApproval:
    CONFIG: dict[str, Any] = {"configurable": {"thread_id": "1"}}  # noqa: RUF012

    async def asked(self) -> Any:
        graph = build(deps(), InMemorySaver())
        state = await graph.ainvoke({"question": QUESTION}, self.CONFIG, context=Context(approve_plan=True))
        shown = state["__interrupt__"][0].value
        assert [n["id"] for n in shown["plan"]["nodes"]] == ["n1", "n2"]
        return graph

    async def resumed(self, decision: Any) -> dict[str, Any]:
        graph = await self.asked()
        return await graph.ainvoke(Command(resume=decision), self.CONFIG, context=Context(approve_plan=True))

    async def test_on_a_server_it_is_resumed_with_a_context_that_sets_nothing(self) -> None:
        graph = await self.asked()
        for settings in (Context(), Context(top_k=3)):  # all left out, or some of it
            state = await graph.ainvoke(Command(resume={"action": "aprove"}), self.CONFIG, context=settings)
            assert "is no answer to the plan" in state["__interrupt__"][0].value["problem"]
        state = await graph.ainvoke(Command(resume={"action": "reject"}), self.CONFIG, context=Context())
        assert (state["abstained"], set(state["hops"])) == (True, {"n0"})

    async def test_resumed_it_goes_on_with_the_settings_it_began_with_but_for_those_it_is_given(self) -> None:
        for given in (None, Context(), Context(rerank_top_k=2)):  # none in process, none on a server, some
            graph = build(deps(), InMemorySaver())
            begun = Context(approve_plan=True, bind=False, fallback=False)
            await graph.ainvoke({"question": QUESTION}, self.CONFIG, context=begun)
            state = await graph.ainvoke(Command(resume="approve"), self.CONFIG, context=given)
            assert [hop["bindings"] for hop in state["hops"].values()] == [[], [], []]

    async def test_approved_it_goes_on(self) -> None:
        assert (await self.resumed({"action": "approve"}))["answer"] == "Roseto"

    async def test_the_wait_is_not_counted(self) -> None:
        begun = time.perf_counter()
        graph = await self.asked()
        waited = time.perf_counter()
        await asyncio.sleep(0.5)
        waited = time.perf_counter() - waited
        state = await graph.ainvoke(Command(resume="approve"), self.CONFIG, context=Context(approve_plan=True))
        at_work = time.perf_counter() - begun - waited
        assert state["timings_ms"]["total"] < 1000 * at_work + 100

    async def test_edited_the_edited_plan_runs(self) -> None:
        plan = {"nodes": [{"id": "n1", "query": "birthplace of Adriana Trigiani"}]}
        state = await self.resumed({"action": "edit", "plan": plan})
        assert set(state["hops"]) == {"n0", "n1"}

    async def test_rejected_nothing_is_searched(self) -> None:
        state = await self.resumed({"action": "reject"})
        assert state["abstained"]
        assert state["answer"] == ""
        assert "n1" not in state["hops"]

    @pytest.mark.parametrize(
        "answer",
        ["maybe", pytest.param('{"a": ' + "[" * 100_000, id="deep"), {"action": "edit", "plan": {"nodes": []}}],
    )
    async def test_an_answer_that_is_none_is_asked_for_again(self, answer: Any) -> None:
        graph = await self.asked()
        context = Context(approve_plan=True)
        again = await graph.ainvoke(Command(resume=answer), self.CONFIG, context=context)
        assert 0 < len(again["__interrupt__"][0].value["problem"]) < 1000
        state = await graph.ainvoke(Command(resume="approve"), self.CONFIG, context=context)
        assert state["answer"] == "Roseto"

    async def test_resumed_without_settings_it_goes_on_with_its_own(self) -> None:
        graph = await self.asked()
        state = await graph.ainvoke(Command(resume={"action": "reject"}), self.CONFIG)
        assert state["abstained"]
        assert "n1" not in state["hops"]

    async def test_the_total_holds_the_longer_of_what_ran_at_once(self) -> None:
        class Slow(FakePlanner):
            async def plan(self, question: str, **options: Any) -> Any:
                await asyncio.sleep(0.05)
                return await super().plan(question, **options)

        graph = build(deps(planner=Slow(PLAN)), InMemorySaver())
        state = await graph.ainvoke({"question": QUESTION}, self.CONFIG, context=Context(approve_plan=True))
        assert state["timings_ms"]["total"] >= state["timings_ms"]["plan"]

    async def test_without_a_checkpointer_it_says_what_is_missing(self) -> None:
        with pytest.raises(InputError, match="needs a checkpointer"):
            await run(context=Context(approve_plan=True))


async def test_the_embedded_answer_stands_in_for_a_model_that_fails() -> None:
    def fail(given: Any) -> Any:
        raise ModelError("synthesizer: 'groq:x' is down")

    state = await run(synthesizer=FakeSynthesizer(fail, "groq:x"))
    assert state["models"]["synthesizer"] == "embedded"
    assert any("'groq:x' is down" in w for w in state["warnings"])


async def test_a_failing_probe_is_a_failed_hop_like_any_other() -> None:
    state = await run(search=FakeSearch({**FOUND, QUESTION: RuntimeError("no connection")}))
    assert state["answer"] == "Roseto"
    assert any("no connection" in w for w in state["warnings"])


async def test_the_deadline_is_the_runs_and_not_each_hops() -> None:
    chain = [{"id": f"n{i}", "query": f"q{i}", "depends_on": [f"n{i - 1}"] if i > 1 else []} for i in range(1, 6)]
    delays = {f"q{i}": 0.25 for i in range(1, 6)}
    search = FakeSearch({f"q{i}": [hit(f"q{i}")] for i in range(1, 6)}, delays)
    state = await run(search=search, planner=FakePlanner(chain), context=Context(deadline_ms=1000, fallback=False))
    assert [bool(state["hops"][f"n{i}"]["passages"]) for i in (1, 5)] == [True, False]


async def test_unknown_citations_are_dropped_and_reported() -> None:
    def invent(given: Any) -> Synthesis:
        text = "Born in Roseto [n2.1, n9.9]. Truly [n7.1]."
        return Synthesis(answer="Roseto", explanation=text, sufficient=True, probability=0.9)

    state = await run(synthesizer=FakeSynthesizer(invent))
    assert state["explanation"] == "Born in Roseto [n2.1]. Truly."
    assert [c["id"] for c in state["citations"]] == ["n2.1"]
    assert state["citations"][0]["text"] == "She was born in Roseto."
    assert any("n9.9, n7.1" in w for w in state["warnings"])


async def test_the_state_survives_a_checkpoint_unchanged() -> None:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    state = await run()
    serde = JsonPlusSerializer()
    assert serde.loads_typed(serde.dumps_typed(state)) == state


async def test_what_an_aggregate_collects_from_brings_more_passages() -> None:
    many = [hit(f"Item {i}") for i in range(12)]
    plan = [{"id": "n1", "query": "items"}, {"id": "n2", "query": "other"}]
    plan.append({"id": "n3", "op": "aggregate", "query": "all", "depends_on": ["n1"]})  # type: ignore[dict-item]
    search = FakeSearch({"items": many, "other": many})
    state = await run(search=search, planner=FakePlanner(plan), context=Context(top_k=3, fallback=False))
    assert {i: len(state["hops"][i]["passages"]) for i in ("n1", "n2", "n3")} == {"n1": 6, "n2": 3, "n3": 6}


async def test_settings_given_to_build_are_the_defaults_that_a_server_makes_its_context_of() -> None:
    """A server hands over what its client said as a dict, be it empty, and LangGraph makes the context of that."""
    own = Context(top_k=3, planner="none", prune_weights=[1, 0, 0])
    graph = build(deps(), context=own)
    for said in ({}, {"top_k": 4, "max_nodes": 6}):
        state = await graph.ainvoke({"question": QUESTION}, context=said)  # type: ignore[arg-type]
        assert state["context"] == {**own.model_dump(), **said}
    form, plain = (one.get_context_jsonschema()["properties"] for one in (graph, build(deps())))
    assert form["top_k"] == {**plain["top_k"], "default": 3}
    assert list(form) == list(plain)
