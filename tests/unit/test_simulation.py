"""How long simulated language calls take, what they count, and when they really wait."""

import time
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from graph.bench.simulated import Calls, SimulatedAgent, SimulatedPlanner, SimulatedRewriter, SimulatedSynthesizer
from graph.bench.simulation import PRESETS, RUN, WRITTEN, Preset, Run, Speed, preset_of, simulate
from graph.lookahead import build
from models.answering import SynthesisInput
from models.planner import PlanOptions
from nodes.context import Context
from nodes.deps import Deps
from prompts.plan import PlanNode
from stores.errors import InputError
from tests.fakes import FakePlanner, FakeReader, FakeSearch, FakeSynthesizer, hit

STEADY = Preset(
    "steady",
    dict.fromkeys(WRITTEN, Speed("ollama:steady", first_token=0.5, reads=100, writes=10)),
    first_jitter=0,
    speed_jitter=0,
    streams_plan=True,
    source="",
)
NODES = [{"id": "n1", "query": "a"}, {"id": "n2", "query": "b {n1}", "depends_on": ["n1"]}]


def said(text: str) -> list[BaseMessage]:
    return [HumanMessage(text)]


def test_a_call_lasts_for_its_first_token_what_it_reads_and_what_it_writes() -> None:
    call = simulate(STEADY, "plan", said("x" * 4000), Run())
    assert call.begins == pytest.approx(0.5 + 1000 / 100)
    assert call.ends == pytest.approx(call.begins + WRITTEN["plan"] / 10)
    assert (call.usage["prompt_tokens"], call.usage["completion_tokens"]) == (1000, WRITTEN["plan"])


def test_what_the_model_has_just_read_is_not_read_again_but_counted() -> None:
    run = Run()
    first = simulate(STEADY, "agent", said("x" * 4000), run)
    second = simulate(STEADY, "agent", said("x" * 4000 + "y" * 400), run)
    other = simulate(STEADY, "agent", said("z" * 4400), run)
    assert second.begins == pytest.approx(0.5 + 100 / 100)
    assert second.begins < first.begins < other.begins
    assert second.usage["prompt_tokens"] == 1100


def test_jitter_is_that_of_seed_question_role_and_number_of_the_call() -> None:
    groq = PRESETS["groq"]
    run = Run("0 q1")
    calls = [simulate(groq, "agent", said("x"), run).ends for _ in range(2)]
    again = Run("0 q1")
    assert [simulate(groq, "agent", said("x"), again).ends for _ in range(2)] == calls
    assert len({*calls, simulate(groq, "agent", said("x"), Run("1 q1")).ends}) == 3


def test_the_median_of_many_waits_is_the_one_stated() -> None:
    speed = PRESETS["groq"].speeds["plan"]
    waits = sorted(simulate(PRESETS["groq"], "plan", said("x"), Run(f"0 q{n}")).begins for n in range(1001))
    assert waits[500] == pytest.approx(speed.first_token, rel=0.1)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_knows_every_role_and_says_where_its_figures_are_from(name: str) -> None:
    assert set(PRESETS[name].speeds) == set(WRITTEN)
    assert "20" in PRESETS[name].source


def test_an_unknown_preset_is_refused() -> None:
    assert preset_of("") is None
    with pytest.raises(InputError, match="--simulate: there is no 'grok'; take groq or ollama-cpu"):
        preset_of("grok")


class Slept:
    """Notes for how long it was told to sleep."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def test_waits_are_waited_or_only_counted() -> None:
    slept = Slept()
    calls = Calls(STEADY, slept)
    for sleeps in (True, False):
        RUN.set(run := Run(sleeps=sleeps))
        await calls.last("plan", said("x" * 400), time.perf_counter())
        assert run.waited_ms == {"plan": pytest.approx(1000 * (0.5 + 1 + 9))}
    assert slept.seconds == [pytest.approx(10.5, abs=0.1)]


async def test_the_work_of_what_stands_in_is_part_of_the_call() -> None:
    slept = Slept()
    RUN.set(Run())
    await Calls(STEADY, slept).last("plan", said("x" * 400), time.perf_counter() - 8)
    await Calls(STEADY, slept).last("plan", said("x" * 400), time.perf_counter() - 20)
    assert slept.seconds == [pytest.approx(2.5, abs=0.1)]


@pytest.mark.parametrize(("streams", "told"), [(True, ["n1", "n2"]), (False, [])])
async def test_a_streamed_plan_is_told_node_by_node(streams: bool, told: list[str]) -> None:
    slept, nodes = Slept(), list[PlanNode]()
    RUN.set(Run())
    planner = SimulatedPlanner(FakePlanner(NODES), Calls(replace(STEADY, streams_plan=streams), slept))
    planned = await planner.plan("?", titles=[], max_nodes=8, options=PlanOptions(on_node=nodes.append))
    assert [node.id for node in nodes] == told
    assert planned["usage"]["by_reason"] == {"plan": 1}
    assert "simulated" in planner.name


async def test_an_agents_call_reads_what_was_said_and_found() -> None:
    class Agent:
        name = "fake"

        async def act(self, given: Any, **_: Any) -> Any:
            return {"message": AIMessage("done"), "searches": []}

    RUN.set(Run(sleeps=False))
    agent = SimulatedAgent(Agent(), Calls(STEADY))
    short = await agent.act({"messages": [HumanMessage("x")]})  # type: ignore[typeddict-item]
    long = await agent.act({"messages": [HumanMessage("x"), SystemMessage("y" * 400)]})  # type: ignore[typeddict-item]
    assert long["usage"]["prompt_tokens"] == pytest.approx(short["usage"]["prompt_tokens"] + 100, abs=1)


async def test_a_rewriter_and_a_synthesizer_make_one_call_each() -> None:
    class Rewriter:
        name = "fake"

        async def rewrite(self, question: str, **_: Any) -> Any:
            return {"queries": ["other"]}

    RUN.set(run := Run(sleeps=False))
    calls = Calls(STEADY)
    rewritten = await SimulatedRewriter(Rewriter(), calls).rewrite("?", names=[], count=3)
    given = SynthesisInput(question="?", plan={}, evidence=[], bound_queries={}, bindings={})
    synthesis = await SimulatedSynthesizer(FakeSynthesizer("Roseto"), calls).synthesize(given, emit=lambda text: None)
    assert (rewritten["queries"], synthesis["answer"]) == (["other"], "Roseto")
    assert run.calls == {"rewrite": 1, "synthesize": 1}


async def test_a_run_of_the_graph_counts_two_calls_whatever_the_hops() -> None:
    RUN.set(run := Run(sleeps=False))
    calls = Calls(PRESETS["groq"])
    deps = Deps(
        planner=SimulatedPlanner(FakePlanner(NODES), calls),
        synthesizer=SimulatedSynthesizer(FakeSynthesizer("Roseto"), calls),
        reader=FakeReader({"a": "Rome"}),
        search=FakeSearch({"a": [hit("A")], "b Rome": [hit("B")]}),
    )
    state = await build(deps).ainvoke({"question": "a b?"}, context=Context(fallback=False))
    assert state["usage"]["llm_calls"] == 2
    assert state["usage"]["cost_usd"] > 0
    assert run.calls == {"plan": 1, "synthesize": 1}
    assert "simulated" in state["models"]["planner"]
