"""The other methods over fakes: what each searches, what it shows to the answer, and what it refuses."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph import closed_book, methods, multi_query, oracle, ranked_rag, sequential_plan, standard_rag
from graph.api import aask
from models.scripted import ScriptedChatModel
from nodes.context import Context
from nodes.deps import Deps
from prompts.multi_query import read_variants
from stores.errors import InputError, ModelError
from tests.fakes import FakePlanner, FakeReader, FakeSearch, FakeSynthesizer, hit, impatient

QUESTION = "Where was the director of Big Stone Gap born?"
PLAN = [
    {"id": "n1", "op": "lookup", "query": "director of Big Stone Gap", "confidence": 0.9},
    {"id": "n2", "op": "lookup", "query": "Big Stone Gap", "confidence": 0.9},
    {"id": "n3", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"], "confidence": 0.8},
]
FOUND = {
    QUESTION: [hit(f"T{i}", f"Text {i} of its own, unlike {'abcdefghij'[i] * 5}.") for i in range(10)],
    "director of Big Stone Gap": [hit("Big Stone Gap", "It was directed by Adriana Trigiani.")],
    "birthplace of Adriana Trigiani": [hit("Adriana Trigiani", "She was born in Roseto.")],
}
VARIANTS = ["director of Big Stone Gap", "birthplace of Adriana Trigiani", "x y"]


def deps(**changes: Any) -> Deps:
    parts: dict[str, Any] = {
        "search": FakeSearch(FOUND),
        "reader": FakeReader({"director of Big Stone Gap": "Adriana Trigiani"}, supported=0.01),
        "planner": FakePlanner(PLAN),
        "synthesizer": FakeSynthesizer("Roseto"),
    }
    return Deps(**{**parts, **changes})


async def run(build: Any, given: Deps | None = None, **settings: Any) -> dict[str, Any]:
    return await build(given or deps()).ainvoke({"question": QUESTION}, context=Context(**settings))


class TestOneSearch:
    @pytest.mark.parametrize("module", [standard_rag, ranked_rag])
    async def test_the_question_is_searched_and_nothing_else(self, module: Any) -> None:
        search, planner = FakeSearch(FOUND), FakePlanner(PLAN)
        state = await run(module.build, deps(search=search, planner=planner), fallback=True, planner="embedded")
        assert search.asked == [QUESTION]
        assert planner.calls == 0
        assert state["answer"] == "Roseto"
        assert state["fallbacks"] == state["triggers"] == []
        assert not state["check"]["supported"]

    @pytest.mark.parametrize("module", [standard_rag, ranked_rag])
    async def test_as_many_passages_as_several_hops_bring(self, module: Any) -> None:
        state = await run(module.build, top_k=2, rerank_top_k=6)
        assert len(state["ranked"]) == 6

    async def test_what_people_deploy_shows_all_it_found_in_its_order(self) -> None:
        state = await run(standard_rag.build, min_gain=1.0, passage_order="attention")
        assert [e["title"] for e in state["evidence"]] == [f"T{i}" for i in range(8)]
        assert not any(e["compressed"] for e in state["evidence"])


class TestSequentialPlan:
    async def test_the_same_plan_one_search_after_the_other(self) -> None:
        search = FakeSearch(FOUND, dict.fromkeys([QUESTION, *FOUND, "Big Stone Gap"], 0.001))
        state = await run(sequential_plan.build, deps(search=search), schedule="dataflow", fallback=False)
        assert search.most_running == 1
        assert search.asked[0] == QUESTION
        assert set(state["hops"]) == {"n0", "n1", "n2", "n3"}
        assert state["hops"]["n3"]["bound_query"] == "birthplace of Adriana Trigiani"

    async def test_it_falls_back_as_lookahead_does(self) -> None:
        assert (await run(sequential_plan.build))["fallbacks"]


class TestMultiQuery:
    async def test_a_model_writes_the_variants_in_one_call(self) -> None:
        model = ScriptedChatModel(
            answers=['["director of Big Stone Gap", "birthplace of Adriana Trigiani", "x y", "z z"]']
        )
        search = FakeSearch(FOUND, dict.fromkeys(FOUND, 0.001))
        state = await multi_query.build(deps(search=search), model=impatient(model)).ainvoke({"question": QUESTION})
        assert search.asked[0] == QUESTION
        assert set(search.asked[1:]) == set(VARIANTS)
        assert search.most_running > 1
        assert state["usage"]["by_reason"] == {"rewrite": 1}
        assert {"Big Stone Gap", "Adriana Trigiani"} <= {h["title"] for h in state["ranked"]}

    async def test_found_by_several_queries_ranks_first(self) -> None:
        alone = [hit(f"A{i}") for i in range(3)], [hit(f"B{i}") for i in range(3)]
        found = {QUESTION: [*alone[0], hit("Both")], "other words": [*alone[1], hit("Both")]}
        model = ScriptedChatModel(answers=['["other words"]'])
        graph = multi_query.build(deps(search=FakeSearch(found)), model=impatient(model))
        state = await graph.ainvoke({"question": QUESTION}, context=Context(reranker="ranker"))
        assert state["ranked"][0]["title"] == "Both"

    async def test_variants_are_searched_and_not_answered(self) -> None:
        synthesizer = FakeSynthesizer("Roseto")
        await run(multi_query.build, deps(synthesizer=synthesizer), planner="embedded")
        assert synthesizer.seen[0]["plan"]["nodes"] == []

    async def test_rules_stand_in_for_a_model_that_fails(self) -> None:
        for answer in (ValueError("no"), "Sorry!"):
            model = ScriptedChatModel(answers=[answer])
            state = await multi_query.build(deps(), model=impatient(model)).ainvoke({"question": QUESTION})
            assert state["hops"]["n1"]["query"] == "director of Big Stone Gap"
            assert "the embedded queries stand in: 'scripted'" in state["warnings"][0]
            assert state["usage"]["by_reason"] == {"rewrite": 1}
            assert state["models"]["rewriter"] == "embedded"

    @pytest.mark.parametrize(
        ("text", "queries"),
        [
            ('["a b", "c d"]', ["a b", "c d"]),
            ('```json\n{"queries": ["a b", "c d"]}\n```', ["a b", "c d"]),
            ('[{"query": "a b"}, {"query": "c d"}]', ["a b", "c d"]),
            ("Here they are:\n1. a b\n2) c d\n- e f", ["a b", "c d", "e f"]),
            ('["a b", "c d", "e', ["a b", "c d"]),
            ('<think>["no no"]</think>\na b\nc d', ["a b", "c d"]),
            ('["a b", "A  b?", "who is IT"]', ["a b"]),
            ("[1, 2]", []),
            ("Sorry, I cannot do that.", []),
            ("", []),
        ],
    )
    def test_what_a_model_wrote_is_read_tolerantly(self, text: str, queries: list[str]) -> None:
        assert read_variants(text, "Who is it?", 3) == queries


class TestClosedBook:
    async def test_a_model_answers_with_no_passage(self) -> None:
        model = ScriptedChatModel(answers=["Answer: Roseto\nI remember."])
        search = FakeSearch(FOUND)
        result = await aask(QUESTION, graph=closed_book.build(Deps(search=search), model=impatient(model)))
        assert (result["answer"], result["explanation"], result["abstained"]) == ("Roseto", "I remember.", False)
        assert result["usage"]["by_reason"] == {"synthesize": 1}
        assert search.asked == []
        assert "evidence" not in str(model.asked[0][0].text).lower()

    async def test_not_known_is_abstained(self) -> None:
        model = ScriptedChatModel(answers=["Answer: unknown\nNo idea."])
        state = await closed_book.build(Deps(), model=impatient(model)).ainvoke({"question": QUESTION})
        assert state["abstained"]
        assert state["answer"] == ""

    async def test_without_a_model_it_says_what_it_needs(self) -> None:
        with pytest.raises(ModelError, match="closed_book: it answers from what a language model knows"):
            await run(closed_book.build, Deps(), synthesizer="embedded")


class TestOracle:
    async def asked(self, passages: Any, **settings: Any) -> dict[str, Any]:
        given = {"question": QUESTION, "passages": passages}
        return await oracle.build(deps()).ainvoke(given, context=Context(**settings))

    async def test_all_that_is_given_is_shown_in_its_order(self) -> None:
        passages = [{"title": f"T{i}", "text": f"Passage {i} on {'abcdefghijkl'[i] * 4}."} for i in range(12)]
        state = await self.asked(passages)
        assert [e["title"] for e in state["evidence"]] == [p["title"] for p in passages]
        assert state["evidence"][0]["ids"] == ["n0.1"]
        assert state["answer"] == "Roseto"
        assert state["citations"][0]["title"] == "T0"

    @pytest.mark.parametrize("passages", [None, [], [{"title": "A"}], [{"text": "  "}], [7]])
    async def test_what_cannot_be_read_is_refused(self, passages: Any) -> None:
        with pytest.raises(InputError, match="passages: "):
            await self.asked(passages)

    async def test_stored_passages_are_named_by_id(self, sample_store: str) -> None:
        async with Deps(sample_store, synthesizer=FakeSynthesizer("x")) as opened:
            store = await opened.store()
            first, second, *_ = await store.documents("default")
            found = await store.document("default", first["id"])
            assert found is not None
            graph = oracle.build(opened)
            given = [found[1][0]["id"], second["id"]]
            state = await graph.ainvoke({"question": QUESTION, "passages": given})
            assert [e["title"] for e in state["evidence"]] == [first["title"], second["title"]]
            with pytest.raises(InputError, match="holds no 'nothing'"):
                await graph.ainvoke({"question": QUESTION, "passages": ["nothing"]})

    async def test_the_next_question_of_a_thread_inherits_no_passage(self) -> None:
        graph, config = oracle.build(deps(), InMemorySaver()), {"configurable": {"thread_id": "1"}}
        await graph.ainvoke({"question": QUESTION, "passages": [{"title": "A", "text": "B."}]}, config)
        with pytest.raises(InputError, match="none is given"):
            await graph.ainvoke({"question": QUESTION}, config)


class TestMethods:
    def test_each_has_a_description_and_makes_a_graph_of_its_name(self) -> None:
        assert set(methods.DESCRIPTIONS) == set(methods.METHODS)
        assert set(methods.ALIASES.values()) <= set(methods.METHODS)
        for name, build in methods.METHODS.items():
            assert build(deps()).name == name

    @pytest.mark.parametrize(
        ("name", "method"),
        [
            ("multiquery_rag", "multi_query"),
            ("agentic_rag", "react"),
            ("Lookahead-RAG", "lookahead"),
            ("vanilla", "standard_rag"),
        ],
    )
    def test_names_used_elsewhere(self, name: str, method: str) -> None:
        assert methods.method_of(name) == method

    @pytest.mark.parametrize("name", ["standard_rag", "ranked_rag", "multi_query", "react", "closed_book"])
    def test_the_form_asks_for_a_question_or_messages_alone(self, name: str) -> None:
        assert set(methods.METHODS[name](deps()).get_input_jsonschema()["properties"]) == {"question", "messages"}

    def test_an_unknown_one_is_refused_with_what_is_near(self) -> None:
        with pytest.raises(InputError, match="there is no 'reakt', did you mean 'react'"):
            methods.method_of("reakt")

    @pytest.mark.parametrize("name", sorted(set(methods.METHODS) - {"closed_book", "oracle"}))
    async def test_each_can_be_asked_and_tells_its_stages(self, name: str) -> None:
        graph = methods.METHODS[name](deps())
        result = await aask(QUESTION, graph=graph, planner="embedded", fallback=False)
        assert result["answer"] == "Roseto"
        assert result["citations"]
        assert result["timings_ms"]["synthesize"] > 0
