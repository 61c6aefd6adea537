"""Bodies of requests, as OpenAPI shows them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Method = Literal["lookahead", "react", "standard_rag", "ranked_rag", "multi_query", "sequential_plan"]
METHODS: tuple[Method, ...] = get_args(Method)
PLAN: dict[str, Any] = {
    "nodes": [
        {"id": "n1", "query": "author of The Old Man and the Sea"},
        {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"]},
    ]
}


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
    namespace: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Which documents; a token is bound to its own, whatever stands here",
    )
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


class Failure(BaseModel):
    """Every error."""

    error: str = Field(description="One sentence: the stage, the value and the remedy")
