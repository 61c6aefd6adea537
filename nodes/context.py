"""The knobs of one run. JSON only, so that Studio shows a form; secrets and addresses live in the environment."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

DEFAULT_READER: Literal["trained", "rules"] = "trained"
"""Who reads where nothing is said."""
DAY_MS = 86_400_000


class Context(BaseModel):
    """Settings of one question. `lookahead ask --help` reports every field, `--set key=value` sets it.

    In the order of the pipeline; what stands before the colon of a title is the group in Studio's form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    planner: str = Field(
        "auto",
        title="Models: who plans",
        examples=["auto", "embedded", "groq", "ollama", "none"],
        description="Who writes the plan: auto (the chat model given to build(); else Groq where GROQ_API_KEY is set, "
        "else Ollama where it runs, else embedded), embedded, groq:MODEL, ollama:MODEL, PROVIDER:MODEL or none",
    )
    synthesizer: str = Field(
        "auto",
        title="Models: who answers",
        examples=["auto", "embedded", "groq", "ollama"],
        description="Who writes the answer: auto, embedded, groq:MODEL, ollama:MODEL or PROVIDER:MODEL",
    )
    reader: Literal["trained", "rules"] = Field(
        DEFAULT_READER,
        title="Models: who reads",
        description="Who reads, to bind, to answer and to check: trained (a small network with the rules beside it) or "
        "rules (patterns and counting alone)",
    )

    namespace: str = Field(
        "default",
        title="Documents: namespace",
        min_length=1,
        max_length=100,
        description="Which documents are searched",
    )

    approve_plan: bool = Field(
        False, title="Plan: approve it first", description="Stop and ask before the plan is run (needs a checkpointer)"
    )
    max_nodes: int = Field(8, title="Plan: searches", ge=1, le=32, description="Most nodes in a plan")
    samples: int = Field(
        1,
        title="Plan: samples",
        ge=1,
        le=10,
        description="Plans that a language model writes; where they disagree, confidence falls",
    )
    stream_plan: bool = Field(
        True,
        title="Plan: search while it is written",
        description="Search for what a language model has planned while it still writes the rest of the plan",
    )
    confidence_threshold: float = Field(
        0.3, title="Plan: least confidence", ge=0, le=1, description="Plan nodes under this confidence are dropped"
    )

    prune: bool = Field(True, title="Prune: on", description="Drop plan nodes of little use")
    prune_weights: list[float] = Field(
        [0.4, 0.3, 0.3],
        title="Prune: weights",
        json_schema_extra={"items": {"type": "number", "minimum": 0}, "minItems": 3, "maxItems": 3},
        description="Weights of confidence, novelty and hop coverage",
    )
    max_budget: int = Field(10, title="Prune: budget", ge=1, le=100, description="Most retrieval cost a plan may have")

    retrieval: Literal["hybrid", "bm25", "dense"] = Field(
        "hybrid",
        title="Search: how",
        description="How a hop finds candidates: hybrid, bm25 (words alone) or dense (meaning; "
        "the words of the question that the best candidates leave open are still searched)",
    )
    top_k: int = Field(5, title="Search: passages for a hop", ge=1, le=50, description="Passages kept for each hop")
    max_parallel: int = Field(
        5, title="Search: at the same time", ge=1, le=64, description="Hops searched at the same time"
    )
    schedule: Literal["dataflow", "waves", "sequential"] = Field(
        "dataflow",
        title="Search: schedule",
        description="When a hop starts: as soon as its parents are done, level by level, or one by one",
    )
    probe: bool = Field(
        True,
        title="Search: the question beside its plan",
        description="Search the question itself beside its plan (where there is no plan, always)",
    )
    bind: bool = Field(
        True, title="Search: fill placeholders", description="Fill placeholders of a hop with what its parents found"
    )

    reranker: str = Field(
        "ranker",
        title="Rank: by what",
        examples=["ranker", "rrf", "cosine", "none", "cross-encoder:BAAI/bge-reranker-base"],
        pattern=r"^(ranker|rrf|cosine|none|cross-encoder:.+)$",
        description="ranker, rrf, cosine, cross-encoder:NAME, none",
    )
    rerank_top_k: int = Field(
        8, title="Rank: passages kept", ge=1, le=100, description="Passages kept after reranking the union of all hops"
    )

    context_tokens: int = Field(
        3000, title="Evidence: tokens", ge=100, le=200_000, description="Tokens of evidence given to synthesis"
    )
    dedup_threshold: float = Field(
        0.8, title="Evidence: doubles", ge=0, le=1, description="Passages with this Jaccard similarity are the same"
    )
    coverage_alpha: float = Field(
        0.5,
        title="Evidence: relevance against coverage",
        ge=0,
        le=1,
        description="Relevance against new coverage when choosing evidence",
    )
    min_gain: float = Field(
        0.01,
        title="Evidence: least gain",
        ge=0,
        le=1,
        description="Stop choosing evidence when the gain falls under this",
    )
    compress: bool = Field(
        True,
        title="Evidence: cut to sentences",
        description="Cut all but the best passages to their relevant sentences",
    )
    passage_order: Literal["attention", "rank"] = Field(
        "attention", title="Evidence: order", description="attention: best evidence first and last; rank: best first"
    )

    check: bool = Field(True, title="Check: on", description="Check that the answer is supported by what it cites")

    fallback: bool = Field(
        True, title="Search again: on", description="Search again when the evidence or the answer is too thin"
    )
    max_fallbacks: int = Field(
        2, title="Search again: rounds", ge=0, le=5, description="Most rounds of searching again"
    )
    min_plan_coverage: float = Field(
        0.3,
        title="Search again: plan covered",
        ge=0,
        le=1,
        description="Search again when less of the plan found passages",
    )
    min_passages: int = Field(
        2,
        title="Search again: passages found",
        ge=0,
        le=100,
        description="Search again when fewer passages were found in all",
    )
    max_entropy: float = Field(
        1.5,
        title="Search again: entropy",
        le=10,
        ge=0,
        description="Search again when sampled plans disagree by more bits than this",
    )

    deadline_ms: int | None = Field(
        None, title="Limits: time", le=DAY_MS, ge=1, description="Wall time for the run; late stages take the quick way"
    )
    model_timeout_ms: int = Field(
        120_000,
        title="Limits: time of a model's call",
        le=DAY_MS,
        ge=1,
        description="Longest time for one call of a language model; the embedded one then stands in",
    )
    min_confidence: float = Field(
        0.0, title="Limits: confidence", ge=0, le=1, description="Abstain when confidence is under this"
    )

    @field_validator("prune_weights")
    @classmethod
    def _three_weights(cls, value: list[float]) -> list[float]:
        if len(value) != 3 or min(value) < 0 or sum(value) == 0:
            raise ValueError(
                "prune_weights takes three numbers of 0 or more, not all zero: confidence, novelty, hop coverage"
            )
        return value
