"""What requests bring, as OpenAPI shows it."""

from typing import Annotated, Any, Literal, get_args

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

Method = Literal["lookahead", "react", "standard_rag", "ranked_rag", "multi_query", "sequential_plan"]
METHODS: tuple[Method, ...] = get_args(Method)
PLAN: dict[str, Any] = {
    "nodes": [
        {"id": "n1", "query": "author of The Old Man and the Sea"},
        {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"]},
    ]
}


WHICH = "Which documents; a token is bound to its own, whatever stands here"
NamespaceQuery = Annotated[str | None, Query(min_length=1, max_length=100, description=WHICH)]


class Ask(BaseModel):
    """A question."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"question": "Where was the author of The Old Man and the Sea born?"},
                {"question": "Which is longer, the Danube or the Rhine?", "settings": {"top_k": 8}, "stream": True},
                {"question": "Where was the author of The Old Man and the Sea born?", "plan": PLAN},
            ]
        },
    )

    question: str = Field(description="Any multi-hop question")
    namespace: str | None = Field(None, min_length=1, max_length=100, description=WHICH)
    method: Method = Field("lookahead", description="Which graph answers, over the same documents and models")
    settings: dict[str, Any] = Field(
        {}, description="Settings of the run, as `lookahead ask --help` lists them; approve_plan stops at the plan"
    )
    plan: dict[str, Any] | None = Field(None, description="A ready plan for lookahead: no planner is called")
    stream: bool = Field(False, description="Server-sent events; so does the header Accept: text/event-stream")


class Decision(BaseModel):
    """What is to become of a plan that waits."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"action": "approve"}, {"action": "edit", "plan": PLAN}, {"action": "reject"}]},
    )

    action: Literal["approve", "edit", "reject"] = Field(description="Run it, run another in its place, or none")
    plan: dict[str, Any] | None = Field(None, description="The other plan, with edit")
    stream: bool = Field(False, description="Server-sent events; so does the header Accept: text/event-stream")


class Inline(BaseModel):
    """Documents as they are."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"documents": [{"id": "bern", "title": "Bern", "text": "Bern is a city."}]}]},
    )

    documents: list[dict[str, Any]] = Field(
        min_length=1, description='Each {"title", "text"} with an optional "id"; other fields become metadata'
    )


class Brought(BaseModel):
    """What became of the documents that were brought."""

    namespace: str
    added: int
    updated: int
    unchanged: int = Field(description="They were there already, with the same content")
    failed: int
    duplicates: int = Field(description="Their id came more than once; the last one is kept")
    passages: int = Field(description="Passages stored")
    failures: list[dict[str, str]] = Field(description="source and reason of the first hundred that failed")
    duplicate_keys: list[str] = Field(description="The first ten")
    embedder: str
    warnings: list[str]
    timings_ms: dict[str, float]


class DocumentPage(BaseModel):
    """Some of the documents of a namespace."""

    namespace: str
    total: int = Field(description="Documents in all")
    passages: int = Field(description="Passages in all")
    offset: int
    documents: list[dict[str, Any]] = Field(description="id, title, source, metadata and number of passages of each")


class Deleted(BaseModel):
    """A document that is no longer there."""

    namespace: str
    deleted: str = Field(description="Its id")


class Readiness(BaseModel):
    """Whether questions can be answered."""

    ready: bool
    error: str = Field("", description="One sentence, where it is not ready")
    missing: dict[str, str] = Field({}, description="store, embedder, reader or models -> what is wrong with it")


class Failure(BaseModel):
    """Every error."""

    error: str = Field(description="One sentence: the stage, the value and the remedy")
