"""Input, settings and state of the benchmark graph. The state holds counts and paths; predictions go to the disk."""

from collections.abc import Mapping
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict

from nodes.checked_settings import checked
from nodes.context import Context
from nodes.state import merge

DEFAULT_METHODS = ["lookahead", "standard_rag", "ranked_rag", "multi_query", "sequential_plan", "react"]
POOLED = "pooled"
GIVEN = "given"


class BenchInput(TypedDict, total=False):
    """What a run is given: the flags of `lookahead bench`, under the same names."""

    file: Annotated[
        str,
        Field(
            default="",
            description="File of questions: JSON, JSON lines or parquet, each also gzipped; empty takes "
            "the fetched set that `dataset` names",
        ),
    ]
    dataset: Annotated[
        str,
        Field(
            default="auto",
            description="Layout of the file: auto (from its content), hotpotqa, 2wiki, musique, squad, "
            "lmcache, jsonl; without a file, the name of a fetched set",
        ),
    ]
    corpus: Annotated[
        str,
        Field(
            default=POOLED,
            description="What is searched: pooled (all paragraphs of all questions of the file), given "
            "(to each question its own paragraphs), or the name of a namespace that holds documents",
        ),
    ]
    store: Annotated[str, Field(default="", description="Store of that namespace; empty takes LOOKAHEAD_STORE")]
    methods: Annotated[
        list[str],
        Field(
            default=DEFAULT_METHODS, description="Methods that are compared; every other one is held against the first"
        ),
    ]
    sample: Annotated[int | None, Field(default=None, ge=1, description="Questions asked; none: all of the file")]
    seed: Annotated[int, Field(default=0, description="Which questions are drawn, and the jitter of simulated waits")]
    latency_sample: Annotated[
        int, Field(default=100, ge=0, description="Questions that are also asked one at a time, to be timed; 0: none")
    ]
    simulate: Annotated[
        str,
        Field(
            default="", description="Give every language call the wait of a real model: groq or ollama-cpu; empty: no"
        ),
    ]
    settings: Annotated[
        dict[str, Any],
        Field(default={}, description='Settings of every method that has them, as {"top_k": 8}'),
    ]
    ablate: Annotated[
        list[str],
        Field(
            default=[],
            description="lookahead once more without each of these: prune, probe, bind, rerank, compress, "
            "check, fallback, schedule",
        ),
    ]
    experiments: Annotated[
        str, Field(default="", description="YAML file of variants: a list of {name, hypothesis, method, settings}")
    ]
    parallel: Annotated[
        int, Field(default=4, ge=1, le=64, description="Questions asked at the same time where time is not measured")
    ]
    judge: Annotated[
        str,
        Field(default="", description="Language model that judges the answers, as groq or PROVIDER:MODEL; empty: none"),
    ]
    out: Annotated[
        str, Field(default="", description="Folder of the results; empty: benchmarks/ and the name of the file")
    ]
    fresh: Annotated[bool, Field(default=False, description="Begin anew where the folder holds another run")]


Flags = create_model(
    "Flags",
    __config__=ConfigDict(frozen=True, extra="forbid"),
    **get_type_hints(BenchInput, include_extras=True),
)
"""The same as a model: checked, with defaults."""


def flags_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """All flags, with defaults for those that are not given.

    Raises:
        InputError: an unknown flag, or a value that cannot be used.
    """
    model: BaseModel = checked(Flags, given, "bench")
    return model.model_dump()


class BenchContext(Context):
    """Settings that every method gets; `settings` of the input goes before. Embedded unless it is said otherwise.

    So that no question leaves the machine because a key was lying about.
    """

    planner: str = Field(
        "embedded",
        title="Models: who plans",
        examples=["embedded", "groq", "ollama"],
        description="Who writes plans: embedded, groq:MODEL, ollama:MODEL, PROVIDER:MODEL",
    )
    synthesizer: str = Field(
        "embedded",
        title="Models: who answers",
        examples=["embedded", "groq", "ollama"],
        description="Who writes answers: embedded, groq:MODEL, PROVIDER:MODEL",
    )


class Variant(TypedDict):
    """One row of the results: a method with settings of its own."""

    name: str
    method: str
    settings: dict[str, Any]
    """Those in which it differs from the others."""
    hypothesis: str
    """What an experiment is to show; empty for others."""


class BenchState(BenchInput, total=False):
    """Everything a run knows."""

    name: str
    """Of the question set."""
    layout: str
    sha256: str
    """Of the file."""
    variants: list[Variant]
    questions: int
    """Asked."""
    questions_in_file: int
    passages: int
    """Different paragraphs in the corpus made of the file; 0 for a namespace of the user's."""
    address: str
    """Of the store that is searched."""
    namespace: str
    """Searched; for the corpus `given`, what the names of all begin with."""
    answered: int
    """Predictions there are, over all variants."""
    failed: int
    """Of these, runs that raised."""
    resumed: int
    """Predictions that were there when the run began."""
    timed: int
    """Latency rows there are."""
    scores: dict[str, dict[str, float]]
    """Plain means of each variant: em, f1, and the number of its questions, n."""
    results: str
    """Path of results.json."""
    report: str
    """Path of report.html."""
    notes: list[str]
    """What is incomplete or was chosen for the user, a sentence each."""
    started_at: float
    """Seconds since the epoch."""
    timings_ms: Annotated[dict[str, float], merge]
    """Wall time of each step, and "total"."""
