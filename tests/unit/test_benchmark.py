"""The steps of the benchmark graph, on a small question set with fakes for the models and a real store."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.runtime import Runtime

from evaluation.predictions import read_latency, read_predictions
from evaluation.results import load_results
from graph.bench.aggregate import aggregate
from graph.bench.answer import answer
from graph.bench.index import index
from graph.bench.latency import latency
from graph.bench.load import load
from graph.bench.opening import Bench, bench_store
from graph.bench.running import ask
from graph.bench.score import score
from graph.bench.state import BenchContext, BenchInput, BenchState, flags_of
from graph.bench.telling import each
from graph.benchmark import build
from models.scripted import ScriptedChatModel
from nodes.deps import Deps
from stores.errors import InputError, LookaheadError, NamespaceNotFound, StoreError
from stores.opening import open_store
from stores.records import EmbedderSpec, Matrix
from tests.fakes import FakePlanner, FakeReader, FakeSynthesizer

LONG = "It was shot in Wise County. " * 100


def entry(number: int, answer: str = "Roseto") -> dict[str, Any]:
    """A question in the layout of HotpotQA, with two paragraphs that hold its answer and one of all questions."""
    first, second = f"Film {number}", f"Director {number}"
    return {
        "_id": f"q{number}",
        "question": f"Where was the director of Film {number} born?",
        "answer": answer,
        "type": "bridge",
        "supporting_facts": [[first, 0], [second, 0]],
        "context": [[first, [f"Directed by {second}. {LONG}"]], [second, ["Born in Roseto."]], ["Other", ["Nothing."]]],
    }


class Embedder:
    """Counts what it embeds."""

    def __init__(self) -> None:
        self.spec = EmbedderSpec("all-MiniLM-L6-v2", 4)
        self.embedded = 0

    def embed_passages(self, texts: Any) -> Matrix:
        self.embedded += len(texts)
        return self.embed_queries(texts)

    def embed_queries(self, texts: Any) -> Matrix:
        rows = np.array([[len(text), 1, 0, 0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class World:
    """A file of questions and a folder for results, with fakes for all models."""

    def __init__(self, folder: Path) -> None:
        self.embedder, self.planner = Embedder(), FakePlanner()
        self.synthesizer = FakeSynthesizer("Roseto")
        self.file, self.out = folder / "set" / "three.json", folder / "out"
        self.file.parent.mkdir()
        self.file.write_text(json.dumps([entry(n) for n in range(3)]))
        self.events: list[dict[str, Any]] = []
        self.reader = FakeReader()
        self.bench = Bench(self.deps, self.reader)

    def deps(self, address: str | None, **roles: Any) -> Deps:
        fakes = {"planner": self.planner, "synthesizer": self.synthesizer, "embedder": self.embedder}
        return Deps(address, **{**fakes, **roles})

    def given(self, **flags: Any) -> BenchInput:
        usual = {"file": str(self.file), "out": str(self.out), "methods": ["lookahead", "standard_rag"]}
        return {**usual, "latency_sample": 2, **flags}  # type: ignore[typeddict-item, return-value]

    async def step(self, step: Callable[..., Awaitable[dict[str, Any]]], state: Any) -> BenchState:
        runtime = Runtime(context=BenchContext(), stream_writer=self.events.append)
        return {**state, **await step(state, runtime, deps=self.bench)}  # type: ignore[no-any-return]

    async def run(self, *steps: Callable[..., Awaitable[dict[str, Any]]], **flags: Any) -> BenchState:
        state: Any = self.given(**flags)
        for step in steps:
            state = await self.step(step, state)
        return state  # type: ignore[no-any-return]

    def predictions(self) -> dict[tuple[str, str], Any]:
        return {(row["method"], row["id"]): row for row in read_predictions(self.out / "predictions.jsonl").rows}


@pytest.fixture
def world(own_folders: Path) -> World:
    return World(own_folders)


def test_the_form_has_every_flag_with_default_and_description() -> None:
    fields = build().get_input_jsonschema()["properties"]
    assert set(fields) == set(BenchInput.__annotations__) == set(flags_of({}))
    assert all(field["description"] and "default" in field for field in fields.values())


@pytest.mark.parametrize(
    ("flags", "problem"),
    [({"sampel": 3}, "did you mean 'sample'"), ({"sample": 0}, "sample=0 cannot"), ({"parallel": "x"}, "parallel='x'")],
)
def test_flags_are_checked(flags: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        flags_of(flags)


async def test_the_pool_is_that_of_the_whole_file_whatever_the_sample(world: World) -> None:
    state = await world.run(load, sample=1)
    assert (state["questions"], state["questions_in_file"], state["passages"]) == (1, 3, 7)
    assert len((world.out / "pool.jsonl").read_text().splitlines()) == 7
    (asked,) = [json.loads(line) for line in (world.out / "questions.jsonl").read_text().splitlines()]
    assert len(asked["passages"]) == 2, "only those that hold the answer are kept with the question"


async def test_a_sample_larger_than_the_file_is_all_of_it_and_says_so(world: World) -> None:
    state = await world.run(load, sample=9)
    assert state["questions"] == 3
    assert "the file holds 3" in state["notes"][0]


@pytest.mark.parametrize(
    ("flags", "error", "problem"),
    [
        ({"file": "nowhere.json"}, InputError, "nowhere.json"),
        ({"dataset": "hotpot"}, InputError, "no layout 'hotpot': did you mean 'hotpotqa'"),
        ({"file": "", "dataset": "hotpotqa"}, InputError, "lookahead datasets fetch hotpotqa"),
        ({"file": "", "dataset": "hotpotq"}, InputError, "no set 'hotpotq': did you mean 'hotpotqa'"),
        ({"file": ""}, InputError, "name one with --file"),
        ({"corpus": "mine"}, NamespaceNotFound, "--corpus: namespace 'mine'"),
        ({"methods": ["magic"]}, InputError, "there is no 'magic'"),
        ({"settings": {"topk": 5}}, InputError, "did you mean 'top_k'"),
        ({"simulate": "grok"}, InputError, "take groq or ollama-cpu"),
        ({"simulate": "groq", "settings": {"planner": "ollama"}}, InputError, "'ollama' .* is a real model"),
        ({"simulate": "groq", "ablate": ["reader"]}, InputError, "'lookahead −reader' asks for reader='rules'"),
        ({"methods": ["closed_book"]}, InputError, "'closed_book' answers from what a language model knows"),
        ({"judge": "embedded"}, InputError, "'embedded' is no language model"),
    ],
)
async def test_what_cannot_be_run_is_refused_before_anything_is_asked(
    world: World, flags: dict[str, Any], error: type[LookaheadError], problem: str
) -> None:
    with pytest.raises(error, match=problem) as caught:
        await world.run(load, **flags)
    assert "\n" not in str(caught.value)
    assert not (world.out / "predictions.jsonl").exists()


async def test_questions_without_paragraphs_need_a_namespace(world: World) -> None:
    world.file.write_text('{"question": "Who?", "answer": "Ada"}')
    with pytest.raises(InputError, match=r"came without paragraphs: .* take --corpus NAME"):
        await world.run(load)
    world.file.write_text("[]")
    with pytest.raises(InputError, match="holds no questions"):
        await world.run(load)


async def test_a_folder_that_cannot_be_written(world: World) -> None:
    world.out.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        await world.run(load)


async def test_a_corpus_is_ingested_once_each_paragraph_a_passage(world: World) -> None:
    state = await world.run(load, index)
    async with open_store(bench_store()) as store:
        info = await store.info(state["namespace"])
        assert info is not None
        assert (info.documents, info.passages) == (7, 7)
    await world.run(load, index, sample=1)
    assert world.embedder.embedded == 7
    assert not (world.out / "pool.jsonl").exists()


async def test_every_question_goes_to_every_method_and_gold_is_known_by_document(world: World) -> None:
    state = await world.run(load, index, answer)
    rows = world.predictions()
    assert set(rows) == {(m, f"q{n}") for m in ("lookahead", "standard_rag") for n in range(3)}
    assert (state["answered"], state["failed"], state["resumed"]) == (6, 0, 0)
    row = rows["lookahead", "q1"]
    assert (row["golds"], row["answer"], row["hop_count"]) == (["Roseto"], "Roseto", 2)
    assert set(row["gold_documents"]) <= set(row["ranked"])
    assert {evidence["document_id"] for evidence in row["evidence"]} <= set(row["ranked"])
    assert set(state) <= set(BenchState.__annotations__)
    assert world.events[-1]["done"] == world.events[-1]["total"] == 6


async def test_what_is_answered_is_not_asked_again(world: World) -> None:
    await world.run(load, index, answer, sample=1)
    asked = world.planner.calls
    with (world.out / "predictions.jsonl").open("a") as file:
        file.write('{"method": "lookahead", "id": "q')  # cut off by a kill
    state = await world.run(load, index, answer)
    assert (state["answered"], state["resumed"]) == (6, 2)
    assert world.planner.calls == asked + 2
    assert len(world.predictions()) == 6


async def test_a_run_that_raises_is_a_wrong_answer_and_is_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ZeroDivisionError("out of luck")

    with monkeypatch.context() as luck:
        luck.setattr(world.reader, "support", fail)
        state = await world.run(load, index, answer)
    assert state["failed"] == 6
    assert world.predictions()["lookahead", "q0"]["error"] == "ZeroDivisionError: out of luck"
    state = await world.run(load, index, answer)
    assert (state["failed"], state["resumed"]) == (0, 0)
    assert world.predictions()["lookahead", "q0"]["answer"] == "Roseto"


async def test_answers_made_otherwise_are_not_mixed_in(world: World) -> None:
    await world.run(load, settings={"top_k": 3})
    await world.run(load, index, answer)  # nothing was answered yet: there is nothing to mix with
    with pytest.raises(InputError, match=r"answers of 'lookahead' .*settings.top_k was 5 and is 3.* --fresh"):
        await world.run(load, settings={"top_k": 3})
    with pytest.raises(InputError, match="simulated was '' and is 'groq'"):
        await world.run(load, simulate="groq")
    await world.run(load, index, answer, settings={"top_k": 3}, fresh=True)
    assert {row["fingerprint"] for row in world.predictions().values()} != {None}
    world.file.write_text(json.dumps([entry(n, "Rome") for n in range(3)]))
    with pytest.raises(InputError, match="questions was"):
        await world.run(load, settings={"top_k": 3})


async def test_another_method_may_join_later(world: World) -> None:
    await world.run(load, index, answer, methods=["lookahead"])
    state = await world.run(load, index, answer, methods=["lookahead", "ranked_rag"])
    assert (state["resumed"], state["answered"]) == (3, 6)


async def test_each_question_is_asked_against_its_own_paragraphs(world: World) -> None:
    await world.run(load, index, answer, corpus="given")
    rows = world.predictions()
    assert [len(rows["standard_rag", f"q{n}"]["ranked"]) for n in range(3)] == [3, 3, 3]
    embedded = world.embedder.embedded
    await world.run(load, index, corpus="given", fresh=True)
    assert world.embedder.embedded == embedded


async def test_a_namespace_of_the_users_knows_its_gold_by_title(world: World) -> None:
    state = await world.run(load, index)
    flags = {"corpus": state["namespace"], "store": bench_store(), "out": str(world.out / "own")}
    await world.run(load, index, answer, **flags)
    rows = read_predictions(world.out / "own" / "predictions.jsonl").rows
    row = next(row for row in rows if row["id"] == "q0")
    assert row["gold_documents"] == ["Film 0", "Director 0"]
    assert set(row["ranked"]) >= {"Film 0", "Director 0"}


async def test_the_oracle_is_shown_the_passages_that_hold_the_answer(world: World) -> None:
    await world.run(load, index, answer, methods=["oracle"])
    row = world.predictions()["oracle", "q2"]
    assert row["ranked"] == row["gold_documents"]
    assert (row["error"], len(row["evidence"])) == (None, 2)


@pytest.mark.parametrize("corpus", ["pooled", "given"])
async def test_the_oracle_leaves_a_question_without_gold_unanswered_and_says_so(world: World, corpus: str) -> None:
    world.file.write_text(json.dumps([entry(0), {**entry(1), "supporting_facts": []}]))
    flags: dict[str, Any] = {"methods": ["oracle"], "corpus": corpus, "latency_sample": 2}
    state = await world.run(load, index, answer, latency, score, aggregate, **flags)
    rows = world.predictions()
    row = rows["oracle", "q1"]
    assert (row["answer"], row["abstained"], row["error"]) == ("", True, None)
    (warning,) = row["warnings"]
    assert "does not say which passages hold the answer" in warning
    assert (rows["oracle", "q0"]["answer"], rows["oracle", "q0"]["warnings"]) == ("Roseto", [])
    assert (state["failed"], state["scores"]["oracle"]) == (0, {"em": 0.5, "f1": 0.5, "n": 2})
    times = {row["id"]: row["ms"] for row in read_latency(world.out / "latency.jsonl").rows}
    assert times["q0"]
    assert times["q1"] is None
    assert "oracle was shown nothing on 1 of the questions" in " ".join(load_results(state["results"])["notes"])
    assert (await world.run(load, index, answer, **flags))["resumed"] == 2, "it is not asked again"


@pytest.mark.parametrize("corpus", ["pooled", "given"])
async def test_an_oracle_that_would_be_shown_nothing_at_all_is_refused(world: World, corpus: str) -> None:
    world.file.write_text(json.dumps([{**entry(1), "supporting_facts": []}]))
    with pytest.raises(InputError, match="'oracle' is shown the passages that hold the answer"):
        await world.run(load, methods=["oracle"], corpus=corpus)


async def test_latency_is_taken_one_at_a_time_in_turns_and_once(world: World) -> None:
    state = await world.run(load, index, latency)
    rows = read_latency(world.out / "latency.jsonl").rows
    assert state["timed"] == len(rows) == 4
    assert [row["method"] for row in rows] == ["lookahead", "standard_rag", "standard_rag", "lookahead"]
    assert all(row["ms"] and row["ms"] > 0 for row in rows)
    assert world.reader.forgotten == 4
    await world.run(load, index, latency)
    assert len((world.out / "latency.jsonl").read_text().splitlines()) == 4
    assert (await world.run(load, index, latency, latency_sample=0))["timed"] == 0


async def test_simulated_waits_are_waited_where_time_is_taken_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeps: list[bool] = []

    async def noting(*given: Any, **options: Any) -> Any:
        sleeps.append(options["sleeps"])
        return await ask(*given, **{**options, "sleeps": False})

    for step in ("answer", "latency"):
        monkeypatch.setattr(f"graph.bench.{step}.ask", noting)
    flags: dict[str, Any] = {"simulate": "groq", "methods": ["lookahead"], "settings": {"fallback": False}}
    state = await world.run(load, index, answer, **flags, latency_sample=1)
    assert sleeps == [False] * 3
    await world.step(latency, state)
    assert sleeps[3:] == [False, True], "the first one warms up"
    (row,) = read_latency(world.out / "latency.jsonl").rows
    assert set(row["simulated_ms"]) == {"plan", "synthesize"}
    assert world.predictions()["lookahead", "q0"]["usage"]["llm_calls"] == 2


async def test_no_more_jobs_than_wanted_run_at_once_and_the_first_error_ends_all() -> None:
    running = most = 0

    async def job(number: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        if number == 7:
            raise StoreError("full")

    with pytest.raises(StoreError, match="full"):
        await each(range(20), job, 3)
    assert most == 3


async def test_a_checkpoint_holds_counts_and_none_of_the_runs_inside(world: World) -> None:
    saver = InMemorySaver()
    config: Any = {"configurable": {"thread_id": "1"}}
    state = await build(world.bench, saver).ainvoke(world.given(), config, interrupt_before=["score"])
    assert (state["answered"], state["timed"]) == (6, 4)
    kept = [item async for item in saver.alist(config)]
    assert {item.config["configurable"]["checkpoint_ns"] for item in kept} == {""}
    assert "Roseto" not in json.dumps(state)


async def test_a_judge_sees_each_answer_once_and_what_it_said_is_kept(world: World) -> None:
    verdict = '{"reason": "It is the town.", "facts": [], "correct": true}'
    model = ScriptedChatModel(answers=lambda messages: verdict)
    world.bench = Bench(lambda address, **roles: world.deps(address, **roles, model=model), FakeReader())
    await world.run(load, index, answer, score, methods=["lookahead"], judge="model")
    assert {row["judged"]["correct"] for row in world.predictions().values()} == {True}
    asked = len(model.asked)
    state = await world.run(load, index, answer, score, methods=["lookahead"], judge="model")
    assert (asked, len(model.asked), state["resumed"]) == (3, 3, 3)
    assert state["scores"]["lookahead"] == {"em": 1.0, "f1": 1.0, "n": 3}


async def test_the_results_say_how_every_answer_was_made(world: World) -> None:
    flags: dict[str, Any] = {"simulate": "groq", "methods": ["lookahead"], "ablate": ["bind"], "latency_sample": 0}
    state = await world.run(load, index, answer, score, aggregate, **flags)
    results = load_results(state["results"])
    settings = results["settings"]
    assert (results["simulated"], settings["simulation"]["speeds"]["plan"]["model"]) == (
        "groq", "groq:openai/gpt-oss-20b"
    )  # fmt: skip
    assert [settings["contexts"][name]["bind"] for name in ("lookahead", "lookahead −bind")] == [True, False]
    assert (settings["questions"], settings["passages"], settings["sha256"]) == (3, 7, state["sha256"])
    assert results["methods"]["lookahead −bind"]["llm_calls"]["value"] >= 2
    assert set(results["descriptions"]) == {"lookahead", "lookahead −bind"}
