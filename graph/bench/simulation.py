"""How long the language calls of a run would take with a real model: servers, and the wait for each call.

Each call lasts: time to the first token + tokens read / reading speed + tokens written / writing speed. Read is the
prompt as it would be rendered, 4 bytes of UTF-8 a token, without what the same model has just read in this run (both
servers keep the prompt they read last: an agent that goes on with its own conversation gains by it). Written is a
stated number for each role, thoughts of a reasoning model not counted: they come with every call, so that leaving them
out favours whoever makes many. Jitter is log-normal with a median of 1, drawn by seed, question, role and number of the
call, so that methods which make the same call wait the same. Nothing here waits: that is `graph.bench.simulated`.

Figures got with it are estimates; every report marks them as simulated.
"""

import hashlib
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage

from models.model_names import GROQ_MODELS, OLLAMA_MODEL
from models.prices import price_of
from prompts.answer import Usage
from stores.errors import InputError

BYTES_PER_TOKEN = 4
"""English prose with the byte-pair encodings of today."""
WRITTEN: Mapping[str, int] = {"plan": 90, "synthesize": 90, "agent": 60, "rewrite": 60}
"""Tokens of a reply by role. plan: the JSON of an embedded plan, 277 bytes in the mean of 300 questions of HotpotQA
tune; synthesize: an answer and three sentences with citations; agent: a thought and a tool call; rewrite: four queries.
"""


class Speed(NamedTuple):
    """How fast a model is, medians."""

    model: str
    """As in `models.prices`."""
    first_token: float
    """Seconds to the first token of a short prompt: network and queue."""
    reads: float
    """Tokens of the prompt a second."""
    writes: float
    """Tokens of the reply a second."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of server."""

    name: str
    speeds: Mapping[str, Speed]
    """By role."""
    first_jitter: float
    """Standard deviation of the logarithm of the time to the first token."""
    speed_jitter: float
    """The same of both speeds."""
    streams_plan: bool
    """Whether a plan can be searched while it is written."""
    source: str

    def as_json(self) -> dict[str, Any]:
        """As it stands in results.json."""
        speeds = {role: speed._asdict() for role, speed in self.speeds.items()}
        return {**asdict(self), "speeds": speeds, "written": dict(WRITTEN), "bytes_per_token": BYTES_PER_TOKEN}


_GROQ_SMALL = Speed(f"groq:{GROQ_MODELS['planner']}", 0.22, 20_000, 1_000)
_GROQ_LARGE = Speed(f"groq:{GROQ_MODELS['synthesizer']}", 0.32, 20_000, 500)
_OLLAMA = Speed(f"ollama:{OLLAMA_MODEL}", 0.1, 150, 15)

PRESETS: Mapping[str, Preset] = {
    "groq": Preset(
        "groq",
        {"plan": _GROQ_SMALL, "agent": _GROQ_SMALL, "rewrite": _GROQ_SMALL, "synthesize": _GROQ_LARGE},
        first_jitter=0.5,
        speed_jitter=0.15,
        streams_plan=False,
        source="writing: console.groq.com/docs/models (2026-11), 1,000 and 500 tokens/s; first token: 223 and 318 ms, "
        "krabarena.org/claims/592e1fd1 (2026); reading: 409 tokens in 18 ms, as a reply of gpt-oss-120b reports in its "
        "usage (2026); jitter: p95/p50 of 2.3 and 1.3, tokenmix.ai/blog/ai-api-latency-benchmark (2026-04)",
    ),
    "ollama-cpu": Preset(
        "ollama-cpu",
        dict.fromkeys(WRITTEN, _OLLAMA),
        first_jitter=0.1,
        speed_jitter=0.1,
        streams_plan=True,
        source="writing: 14.8 tokens/s behind 2,000 tokens, llama3.2:3b on a server's CPU, "
        "parks.place/posts/context-length-cost (2026-02); reading: 65 tokens/s of a model of 7 billion parameters on "
        "two cores, blog.victorbona.dev/compendium/cpu-llm-inference (2025-06), times 7/3",
    ),
}
"""The servers that can be simulated."""


def preset_of(name: str) -> Preset | None:
    """The preset of this name; None for an empty one.

    Raises:
        InputError: there is none.
    """
    if name and name not in PRESETS:
        raise InputError(f"--simulate: there is no {name!r}; take {' or '.join(PRESETS)}")
    return PRESETS.get(name)


@dataclass(slots=True)
class Run:
    """What one question's simulated calls come to."""

    key: str = ""
    """Seed and question."""
    sleeps: bool = True
    """Whether the waits are waited, or only counted."""
    calls: Counter[str] = field(default_factory=Counter)
    """By role."""
    waited_ms: dict[str, float] = field(default_factory=dict)
    """What the calls of each role took together."""
    last_read: dict[str, str] = field(default_factory=dict)
    """By model, the prompt it read last."""


RUN: ContextVar[Run] = ContextVar("simulated_run")
"""Of the question that is being answered; set by whoever runs it, in the task that runs it."""


class Call(NamedTuple):
    """How long a call takes, in seconds from its start."""

    begins: float
    """When its first token comes."""
    ends: float
    usage: Usage


def simulate(preset: Preset, role: str, messages: Sequence[BaseMessage], run: Run) -> Call:
    """How long a call takes; it is counted in the run.

    >>> from prompts.planning import planning_messages
    >>> run = Run("0 q1")
    >>> call = simulate(PRESETS["groq"], "plan", planning_messages("Who founded Roseto?", [], 8), run)
    >>> 0.1 < call.begins < call.ends < 3, run.calls["plan"], call.usage["completion_tokens"]
    (True, 1, 90)
    """
    speed, text = preset.speeds[role], "\n".join(str(message.text) for message in messages)
    cached = _shared(run.last_read.get(speed.model, ""), text)
    read = math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)
    fresh = math.ceil(len(text[cached:].encode("utf-8", "replace")) / BYTES_PER_TOKEN)
    draw = _generator(run.key, role, run.calls[role])
    slow = math.exp(preset.speed_jitter * draw.gauss(0, 1))
    begins = speed.first_token * math.exp(preset.first_jitter * draw.gauss(0, 1)) + slow * fresh / speed.reads
    ends = begins + slow * WRITTEN[role] / speed.writes
    run.last_read[speed.model] = text
    run.calls[role] += 1
    run.waited_ms[role] = run.waited_ms.get(role, 0.0) + ends * 1000
    return Call(begins, ends, _usage(role, speed, read))


def _shared(a: str, b: str) -> int:
    """Length of what both begin with."""
    most = min(len(a), len(b))
    return next((place for place in range(most) if a[place] != b[place]), most)


def _generator(*key: object) -> random.Random:
    return random.Random(hashlib.blake2b(repr(key).encode(), digest_size=8).digest())


def _usage(role: str, speed: Speed, read: int) -> Usage:
    price = price_of(speed.model)
    return Usage(
        llm_calls=1,
        prompt_tokens=read,
        completion_tokens=WRITTEN[role],
        by_reason={role: 1},
        wait_ms=0.0,
        cost_usd=price.of(read, WRITTEN[role]) if price else 0.0,
        unpriced_calls=0 if price else 1,
    )
