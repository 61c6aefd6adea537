"""score: what each prediction is worth, as plain means of each method; where a judge is set, it is asked first.

The figures with their intervals come after, in `aggregate`.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from evaluation.judging import JudgementCache, judge_all
from evaluation.predictions import Prediction, append_row, read_predictions
from evaluation.results import scored_by_method
from graph.bench.folder import PREDICTIONS, read_questions
from graph.bench.load import address_of
from graph.bench.opening import Bench
from graph.bench.state import BenchContext, BenchState
from graph.bench.telling import Tell, apart, teller
from models.calling import call
from models.chat import NO_STREAM, ChatModel, text_of
from nodes.deps import Deps

JUDGEMENTS = "judgements.jsonl"
SHOWN = ("em", "f1")


async def score(state: BenchState, runtime: Runtime[BenchContext], *, deps: Bench) -> dict[str, Any]:
    """Score the predictions.

    Raises:
        InputError: a row of the file cannot be read.
        ModelError: the judge gave up; what it said until then is kept.
    """
    tell, notes = teller(runtime, "score"), state["notes"]
    tell(0, 0, "")
    if state["judge"]:
        async with deps.open(address_of(state)) as opened:
            notes = [*notes, *await apart(_judge(state, opened, tell))]
    return {"scores": await asyncio.to_thread(_means, state), "notes": notes}


async def _judge(state: BenchState, opened: Deps, tell: Tell) -> list[str]:
    """Have the judge see what it has not seen yet; returns what could not be judged."""
    folder, chat = Path(state["out"]), await opened.chat_model("synthesizer", state["judge"])
    assert chat is not None  # `load` has looked
    predictions = await asyncio.to_thread(asked_predictions, state)
    waiting = [p for p in predictions if "judged" not in p or p["judged"]["model"] not in ("", chat.name)]
    try:
        judged = await judge_all(
            waiting,
            _asking(chat),
            model=chat.name,
            cache=JudgementCache(folder / JUDGEMENTS),
            parallel=state["parallel"],
            on_done=lambda done: tell(done, len(waiting), chat.name),
        )
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    for prediction in judged.predictions:
        if "judged" in prediction:
            await asyncio.to_thread(append_row, folder / PREDICTIONS, prediction)
    return judged.notes


def _asking(chat: ChatModel) -> Any:
    async def ask(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> str:
        config = RunnableConfig(run_name="judge", tags=[NO_STREAM])
        reply, _ = await call(
            chat, "judge", lambda: chat.model.ainvoke(list(messages), config), message_of=lambda m: m, prompt=messages
        )
        return text_of(reply)

    return ask


def asked_predictions(state: BenchState) -> list[Prediction]:
    """The predictions of this run: its methods and its questions, whatever else lies in the folder."""
    folder, names = Path(state["out"]), {row["name"] for row in state["variants"]}
    ids = {question["id"] for question in read_questions(folder)}
    rows = read_predictions(folder / PREDICTIONS).rows
    return [row for row in rows if row["method"] in names and row["id"] in ids]


def _means(state: BenchState) -> dict[str, dict[str, float]]:
    found = scored_by_method(asked_predictions(state), [row["name"] for row in state["variants"]])
    return {
        name: {
            **{key: sum(scores[key] or 0.0 for _, scores in scored.values()) / len(scored) for key in SHOWN},
            "n": len(scored),
        }
        for name, scored in found.items()
    }
