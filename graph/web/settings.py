"""Limits, tokens and places of the HTTP service, from the environment and `.env`."""

import os
from pathlib import Path

import platformdirs
from pydantic import Field, SecretStr

from models.model_names import GROQ_MODELS
from nodes.intake import MAX_QUESTION
from nodes.settings import Settings


def default_runs() -> str:
    """The file that keeps plans that wait, when nothing else is said."""
    return str(Path(platformdirs.user_data_dir("lookahead-rag", appauthor=False)) / "runs.sqlite")


def default_at_once() -> int:
    """Questions that keep the processors busy: more of them would only take each other's time."""
    return max(4, 2 * len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 8)


class WebSettings(Settings):
    """What the service may do, beside where things are."""

    lookahead_tokens: SecretStr | None = Field(None, description="token=namespace, one for each client, by commas")
    lookahead_allow: str = Field("", description="What clients may name beside what is shipped, by commas")
    lookahead_runs: str = Field(default_factory=default_runs, description="File that keeps plans that wait")
    lookahead_plan_hours: float = Field(24, gt=0, le=8_760, description="How long a plan waits to be decided")
    lookahead_max_waiting: int = Field(1_000, ge=1, le=1_000_000, description="Plans that wait at the same time")
    lookahead_max_runs: int = Field(64, ge=1, le=10_000, description="Questions answered at the same time")
    lookahead_at_once: int = Field(
        default_factory=default_at_once,
        ge=1,
        le=10_000,
        description="Of these, those worked on where no server answers",
    )
    lookahead_max_ingests: int = Field(2, ge=1, le=100, description="Ingestions at the same time")
    lookahead_max_seconds: float = Field(600, gt=0, le=86_400, description="Seconds that answering may take")
    lookahead_stalled_seconds: float = Field(
        30, gt=0, le=3_600, description="Seconds that a client may send nothing, or take nothing"
    )
    lookahead_max_question: int = Field(2_000, ge=1, le=MAX_QUESTION, description="Characters of a question")
    lookahead_max_body: int = Field(1_000_000, ge=1_000, description="Bytes of a request that asks")
    lookahead_max_upload: int = Field(100_000_000, ge=1_000, description="Bytes of a request that brings documents")
    lookahead_max_unpacked: int = Field(1_000_000_000, ge=1_000, description="Bytes that uploaded files unpack to")
    lookahead_origins: str = Field("", description="Addresses of pages elsewhere that may call the service, by commas")

    def origins(self) -> list[str]:
        """Those addresses, one by one."""
        return [origin.strip().rstrip("/") for origin in self.lookahead_origins.split(",") if origin.strip()]

    def offered(self) -> list[str]:
        """What clients may name beside what is shipped: what `auto` could stand for here, and LOOKAHEAD_ALLOW.

        Raises:
            InputError: OLLAMA_HOST or GROQ_API_BASE is no address.
        """
        offered = [name.strip() for name in self.lookahead_allow.split(",") if name.strip()]
        if self.lookahead_auto in ("auto", "groq") and self.endpoints().groq_api_key:
            offered += ["groq", *(f"groq:{model}" for model in GROQ_MODELS.values())]
        if self.lookahead_auto in ("auto", "ollama"):
            offered += ["ollama", f"ollama:{self.ollama_model}"]
        return offered
