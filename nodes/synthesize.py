"""Evidence → answer, explanation and citations: one call, streamed."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime

from models.chat import ChatError
from models.chat_errors import explain
from models.questions import content_terms
from models.synthesizer import EmbeddedSynthesizer, SynthesisInput
from models.usage import call_usage, no_usage
from nodes.context import Context
from nodes.deadline import limits, seconds_left
from nodes.deps import Deps
from nodes.fallback import asked_nodes
from nodes.state import Citation, State
from prompts.answer import Evidence, Synthesis
from stores.errors import LookaheadError
from stores.sentences import split_sentences
from tools.evidence import jaccard

CITED = re.compile(r"\[([^\[\]]*)\]")
"""Square brackets; inside them n1.2, or several of them with commas."""
ID = re.compile(r"\bn\d+\.\d+\b")
GRACE = 0.2
"""Seconds: a synthesizer keeps to its limits and says what it took; one that does not is stopped so much later."""


async def synthesize(state: State, runtime: Runtime[Context], *, deps: Deps) -> dict[str, Any]:
    """Write the answer from the evidence; a model that fails is replaced by the embedded one, with a warning."""
    context = runtime.context
    given = synthesis_input(state)
    writer = _Writer(runtime.stream_writer)
    name, synthesis, warnings = await _write(given, writer, state, context, deps)
    explanation, cited, unknown = known_citations(synthesis["explanation"], state["evidence"])
    if unknown:
        warnings.append(f"synthesize: citations of nothing that was found were dropped: {', '.join(unknown)}")
    return {
        "answer": synthesis["answer"].strip(),
        "explanation": explanation,
        "sufficient": synthesis["sufficient"],
        "confidence": synthesis["probability"],
        "citations": citations(explanation, cited, state["evidence"]),
        "models": {"synthesizer": name},
        "usage": synthesis.get("usage", {}),
        "warnings": warnings,
    }


def synthesis_input(state: State) -> SynthesisInput:
    """What the state holds for an answer."""
    return SynthesisInput(
        question=state["question"],
        plan={**state["plan_graph"], "nodes": asked_nodes(state)},
        evidence=state["evidence"],
        bound_queries={hop["id"]: hop["bound_query"] for hop in state["hops"].values()},
        bindings={hop["id"]: list(hop["bindings"]) for hop in state["hops"].values()},
    )


class _Writer:
    """Streams the text, and takes it back where it will not stand."""

    def __init__(self, write: Callable[[dict[str, str]], None]) -> None:
        self.write = write
        self.shown = False

    def emit(self, piece: str) -> None:
        self.shown = True
        self.write({"type": "text", "text": piece})

    def reset(self) -> None:
        if self.shown:
            self.write({"type": "answer_reset"})
        self.shown = False


async def _write(
    given: SynthesisInput, writer: _Writer, state: State, context: Context, deps: Deps
) -> tuple[str, Synthesis, list[str]]:
    """The chosen model's answer; the embedded one, with a warning, when it fails or the deadline passes."""
    chosen = await deps.synthesizer(context.synthesizer, context.reader)
    if isinstance(chosen, EmbeddedSynthesizer):
        return chosen.name, await chosen.synthesize(given, emit=writer.emit), []
    limit = seconds_left(state, context)
    grace = None if limit is None else limit + GRACE
    problem, usage, more = f"the deadline of {context.deadline_ms} ms has passed", no_usage(), list[str]()
    if limit is None or limit > 0:
        try:
            async with asyncio.timeout(grace) as clock:
                wrote = await chosen.synthesize(
                    given, emit=writer.emit, reset=writer.reset, limits=limits(limit, context)
                )
            return chosen.name, wrote, [f"synthesize: {warning}" for warning in wrote.get("warnings", [])]
        except ChatError as error:
            problem, usage, more = str(error), error.usage, error.warnings
        except Exception as error:  # whatever a synthesizer raises: the run goes on and says so
            usage = call_usage("synthesize")
            if not clock.expired():
                problem = str(error) if isinstance(error, LookaheadError) else explain(chosen.name, error)
    writer.reset()
    embedded = EmbeddedSynthesizer(await deps.reader(context.reader))
    synthesis = Synthesis(**{**await embedded.synthesize(given, emit=writer.emit), "usage": usage})
    warnings = [f"the embedded answer stands in: {problem}", *more]
    return embedded.name, synthesis, [f"synthesize: {warning}" for warning in warnings]


def known_citations(explanation: str, evidence: list[Evidence]) -> tuple[str, list[str], list[str]]:
    """Keep the citations that exist: the text with [n1.2] marks only of these, their ids, and the unknown ids."""
    known = {i for e in evidence for i in e["ids"]}
    cited, unknown = list[str](), list[str]()

    def keep(match: re.Match[str]) -> str:
        ids = ID.findall(match[1])
        if not ids:
            return match[0]
        cited.extend(i for i in ids if i in known)
        unknown.extend(i for i in ids if i not in known)
        return "".join(f"[{i}]" for i in ids if i in known)

    text = CITED.sub(keep, explanation)
    tidy = re.sub(r"[ \t]+([.,;])", r"\1", text)
    return tidy.strip(), list(dict.fromkeys(cited)), list(dict.fromkeys(unknown))


def citations(explanation: str, cited: list[str], evidence: list[Evidence]) -> list[Citation]:
    """The cited evidence, with the sentence of each that is nearest to the sentence citing it."""
    by_id = {i: e for e in evidence for i in e["ids"]}
    claims = {i: " ".join(s for s in split_sentences(explanation) if f"[{i}]" in s) for i in cited}
    return [
        Citation(id=i, document_id=e["document_id"], title=e["title"], text=nearest_sentence(claims[i], e["text"]))
        for i in cited
        if (e := by_id[i])
    ]


def nearest_sentence(claim: str, text: str) -> str:
    """The sentence of `text` with the most terms of `claim` (Jaccard on ties)."""
    wanted = set(content_terms(ID.sub("", claim)))

    def nearness(sentence: str) -> tuple[int, float]:
        terms = set(content_terms(sentence))
        return len(wanted & terms), jaccard(wanted, terms)

    return max(split_sentences(text), key=nearness, default=text).strip()
