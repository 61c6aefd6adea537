"""LLM-as-judge: does an answer mean the accepted one, and which key facts do answer and explanation state?

Knows no model: the call is given. What needs no judge is not asked: a method that declined or broke has stated nothing,
and a question without an answer is rightly declined. Verdicts are cached by what the judge saw and who it was, so that
the same answer of two methods, or of a resumed run, is judged once.

A judge has tastes of its own (long answers, its own kind): read its figures beside exact match and F1, not instead.
Source of key facts as a measure: `key_facts` of the LMCache questions.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage

from evaluation.predictions import Judgement, Prediction, append_row
from evaluation.scoring import is_answered, is_declined
from prompts.judge import JUDGE_SCHEMA, judge_messages, read_verdict

Ask = Callable[[Sequence[BaseMessage], dict[str, Any]], Awaitable[str]]
"""Sends messages to the judge's model and returns what it wrote; the schema is for models that can be held to one.
Raises `ModelError` when the model gives up."""
TRIES = 2
"""Replies that are read before an answer stays unjudged."""


class Judged(NamedTuple):
    """Predictions with their judgements."""

    predictions: list[Prediction]
    asked: int
    """Replies that were paid for."""
    notes: list[str]
    """What could not be judged, in a sentence."""


class JudgementCache:
    """Judgements by content, in a file of JSON lines; without a path, in memory only."""

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = Path(path) if path else None
        self._known: dict[str, Judgement] = {}
        if self._path and self._path.exists():
            for line in self._path.read_bytes().splitlines():
                self._remember(line)

    def get(self, key: str) -> Judgement | None:
        """What was found before."""
        return self._known.get(key)

    def put(self, key: str, judgement: Judgement) -> None:
        """Keep a judgement.

        Raises:
            StoreError: the file cannot be written.
        """
        self._known[key] = judgement
        if self._path:
            append_row(self._path, {"key": key, "judgement": judgement})

    def _remember(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            self._known[row["key"]] = row["judgement"]
        except (ValueError, KeyError, TypeError):
            return  # half a line of a killed run: that answer is judged again


async def judge(prediction: Prediction, ask: Ask, *, model: str, cache: JudgementCache) -> Judgement | None:
    """Judge one prediction.

    Args:
        prediction: what a method said.
        ask: calls the judge's model.
        model: its name, as it stands in the judgement.
        cache: of earlier judgements.

    Returns:
        None when the judge's replies could not be read.

    Raises:
        ModelError: the model gave up.
    """
    facts = list(dict.fromkeys(prediction["key_facts"])) if prediction["answerable"] else []
    if not prediction["answerable"] or not is_answered(prediction):
        right = not prediction["answerable"] and is_declined(prediction)
        return Judgement(correct=right, key_facts=dict.fromkeys(facts, False), reason="No judge was asked.", model="")
    messages = judge_messages(
        prediction["question"], prediction["golds"], facts, prediction["answer"], prediction["explanation"]
    )
    key = _key(model, messages)
    if known := cache.get(key):
        return known
    for _ in range(TRIES):
        try:
            verdict = read_verdict(await ask(messages, JUDGE_SCHEMA), len(facts))
        except ValueError:  # a reply that cannot be read
            continue
        stated = dict(zip(facts, verdict.facts, strict=True))
        judgement = Judgement(correct=verdict.correct, key_facts=stated, reason=verdict.reason, model=model)
        cache.put(key, judgement)
        return judgement
    return None


async def judge_all(
    predictions: Sequence[Prediction],
    ask: Ask,
    *,
    model: str,
    cache: JudgementCache,
    parallel: int = 4,
    on_done: Callable[[int], None] = lambda done: None,
) -> Judged:
    """Judge many, some at a time; equal answers one after the other, so that the second is found in the cache.

    Args:
        predictions: what the methods said.
        ask: calls the judge's model.
        model: its name.
        cache: of earlier judgements.
        parallel: most calls at the same time.
        on_done: told after each prediction how many are done.

    Raises:
        ModelError: the model gave up; what was judged until then is in the cache.
    """
    gate, locks, count = asyncio.Semaphore(parallel), dict[tuple[str, str], asyncio.Lock](), [0, 0]

    async def counted(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> str:
        count[0] += 1
        async with gate:
            return await ask(messages, schema)

    async def one(prediction: Prediction) -> Prediction:
        async with locks.setdefault((prediction["id"], prediction["answer"]), asyncio.Lock()):
            judgement = await judge(prediction, counted, model=model, cache=cache)
        count[1] += 1
        on_done(count[1])
        return prediction if judgement is None else {**prediction, "judged": judgement}

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(prediction)) for prediction in predictions]
    except ExceptionGroup as failed:  # the first error ended the others: it alone is the news
        raise failed.exceptions[0] from None
    judged = [task.result() for task in tasks]
    unread = sum("judged" not in prediction for prediction in judged)
    note = f"{unread:,} answers could not be judged: {model} wrote no verdict that can be read."
    return Judged(judged, count[0], [note] if unread else [])


def _key(model: str, messages: Sequence[BaseMessage]) -> str:
    seen = json.dumps([model, *(str(message.text) for message in messages)])
    return hashlib.blake2b(seen.encode(), digest_size=16).hexdigest()
