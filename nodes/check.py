"""Checks the answer against what it cites: supported, of the asked type, and how sure one may be of it."""

import asyncio
import math
import re
from typing import Any, cast

from langgraph.runtime import Runtime

from models.answering import Case, as_passage, read_at_once
from models.bound_reading import best_bindings
from models.completeness import completeness
from models.questions import answer_type, choices
from models.reader import Reader
from nodes.context import Context
from nodes.deps import Deps
from nodes.fallback import answered, asked_nodes, plan_coverage, triggers_of
from nodes.probe import PROBE
from nodes.state import Answered, Check, Hop, State
from nodes.synthesize import ID, synthesis_input
from stores.records import Passage
from stores.sentences import split_sentences

SUPPORTED = 0.1
"""An answer under this probability counts as unsupported."""
SENTENCE_SUPPORTED = 0.65
"""A cited sentence under this probability counts as unsupported."""
NUMBER_WORD = re.compile(
    r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|"
    r"seventy|eighty|ninety|hundred|thousand|million|billion|dozen|first|second|third|\w+th|once|twice|none|no|single|double)\b",
    re.IGNORECASE,
)


async def check(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Judge the answer, keep the better of it and one turned down before, and ask for another round if it is thin."""
    context = runtime.context
    found, confidence = Check(supported=True, unsupported=[], problems=[]), state["confidence"]
    if context.check:
        found, confidence = await asyncio.to_thread(judge, state, await deps.reader(context.reader))
    update = Answered(**{**answered(state), "check": found, "confidence": float(confidence)})
    rejected = state["rejected"]
    if rejected is not None and rejected["confidence"] >= update["confidence"]:
        update = rejected
        runtime.stream_writer({"type": "answer_reset"})
        runtime.stream_writer({"type": "text", "text": rejected["explanation"]})
    doubtful = [f"check: its source does not bear out {s!r}" for s in update["check"]["unsupported"]]
    known: dict[str, Any] = {
        **update,
        "plan_coverage": plan_coverage(state),
        "abstained": not update["answer"] or not update["sufficient"] or update["confidence"] < context.min_confidence,
    }
    return {
        **known,
        "warnings": doubtful,
        "triggers": triggers_of(cast(State, {**state, **known}), context, answered=True),
    }


def judge(state: State, reader: Reader) -> tuple[Check, float]:
    """Check every cited sentence and the answer; returns the findings, and the probability that the answer is right.

    That is `support`, the probability if nothing is missing, times the probability that nothing is.
    """
    known = {i: as_passage(e) for e in state["evidence"] for i in e["ids"]}
    cited = [known[c["id"]] for c in state["citations"] if c["id"] in known]
    unsupported = []
    asked = [_said(text) for text in (state["question"], *(hop["bound_query"] for hop in state["hops"].values()))]
    for sentence in split_sentences(state["explanation"]):
        sources = [known[i] for i in ID.findall(sentence) if i in known]
        sources += asked if sources else []  # what the question says need not be in the source
        if sources and reader.support(state["question"], ID.sub("", sentence), sources) < SENTENCE_SUPPORTED:
            unsupported.append(sentence.strip())
    problems = type_problems(state["question"], state["answer"])
    if not cited:
        problems.append("nothing is cited")
    said = support(state, reader) if cited and state["answer"] else 0.0
    found = searched(state)
    complete = completeness(state["question"], found, state["evidence"]) if found else 1.0
    supported = said >= SUPPORTED and not problems
    return Check(supported=supported, unsupported=unsupported, problems=problems), said * complete


def searched(state: State) -> list[list[float]]:
    """Of the question's own search, then of each planned one, the ranker's probabilities of its passages.

    Empty where something else than the ranker has searched. Searches of fallback rounds ask the same in other words,
    and are left out.
    """
    planned = [hop for node in asked_nodes(state) if (hop := state["hops"].get(node["id"]))]
    probe = state["hops"].get(PROBE)
    first = [probe] if probe else planned
    if not first or not all("why" in hit for hop in (*first, *planned) for hit in hop["passages"]):
        return []
    own: dict[str, float] = {}
    for hit in (hit for hop in first for hit in hop["passages"]):
        own[hit["id"]] = max(hit["score"], own.get(hit["id"], 0.0))
    return [list(own.values()), *([hit["score"] for hit in hop["passages"]] for hop in planned)]


def _said(text: str) -> Passage:
    return Passage(id="", document_id="", title="", text=text, metadata={})


def support(state: State, reader: Reader) -> float:
    """Probability that the answer is right if nothing is missing, from two calibrated estimates.

    One asks the question of all the evidence; the other asks the last hop's bound query of what that hop is read in,
    times the root of the certainty of what it was bound to. Both readings were made for the answer, so the embedded
    reader has them in memory.

    Args:
        state: with question, answer, evidence, plan and hops.
        reader: the calibrated reader.
    """
    answer = state["answer"]
    whole = reader.support(state["question"], answer, read_at_once(state["evidence"]))
    case = Case(synthesis_input(state), reader)
    hopwise = [
        reader.support(way.query, answer, way.passages) * way.share * joint_certainty(hop) ** 0.5
        for node in case.sinks()
        if node.depends_on and (hop := state["hops"].get(node.id))
        for way in case.ways(node.id)
    ]
    return (whole + max(hopwise)) / 2 if hopwise else whole


def joint_certainty(hop: Hop) -> float:
    """Probability that all of a hop's placeholders were filled with the right thing: the product of the best ones."""
    return math.prod(one["probability"] for one in best_bindings(hop["bindings"]).values())


def type_problems(question: str, answer: str) -> list[str]:
    """What keeps the answer from being one to this question.

    >>> type_problems("How many moons has Mars?", "Phobos")
    ["a number is asked for, not 'Phobos'"]
    """
    if not answer:
        return ["the answer is empty"]
    match answer_type(question):
        case "yes_no" if answer.lower() not in ("yes", "no"):
            return [f"yes or no is asked for, not {answer!r}"]
        case "number" if not NUMBER_WORD.search(answer):
            return [f"a number is asked for, not {answer!r}"]
        case "date" if not re.search(
            r"\d|(?i:century|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)",
            answer,
        ):
            return [f"a date is asked for, not {answer!r}"]
        case "choice" if (options := choices(question)) and not any(
            answer.lower() in option.lower() or option.lower() in answer.lower() for option in options
        ):
            return [f"one of {options[0]!r} and {options[1]!r} is asked for, not {answer!r}"]
    return []
