"""The knobs of one ingestion. JSON only, so that Studio shows them as a form; the store keeps what shapes vectors."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class IngestContext(BaseModel):
    """Settings of one ingestion."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: str = Field(
        default="default",
        title="Documents: namespace",
        min_length=1,
        max_length=100,
        description="Where the documents go",
    )
    embedder: str = Field(
        default="auto",
        title="Vectors: embedding model",
        examples=["auto", "all-MiniLM-L6-v2"],
        min_length=1,
        description="Embedding model; auto: the namespace's own, else all-MiniLM-L6-v2",
    )
    chunk_size: int = Field(
        default=800, title="Passages: size", ge=100, le=20_000, description="Most characters of a passage"
    )
    chunk_overlap: int = Field(
        default=100,
        title="Passages: overlap",
        ge=0,
        le=10_000,
        description="Characters that neighbouring passages share",
    )
    batch_size: int = Field(
        default=256,
        title="Run: documents at once",
        ge=1,
        le=10_000,
        description="New or changed documents in one transaction",
    )
    on_error: Literal["skip", "fail"] = Field(
        default="skip",
        title="Run: a file that cannot be read",
        description="What to do about a file that cannot be read",
    )
    vector_cache: bool = Field(
        default=True, title="Run: keep vectors", description="Keep vectors on disk: no text is embedded twice"
    )

    @model_validator(mode="after")
    def _overlap_fits(self) -> Self:
        if self.chunk_overlap * 2 > self.chunk_size:
            raise ValueError(
                f"chunk_overlap {self.chunk_overlap!r} is over half of chunk_size {self.chunk_size!r}: make it smaller"
            )
        return self
