"""Limits, tokens and places of the HTTP service, from the environment and `.env`."""

from pathlib import Path

import platformdirs
from pydantic import Field, SecretStr

from nodes.intake import MAX_QUESTION
from nodes.settings import Settings


def default_runs() -> str:
    """The file that keeps plans that wait, when nothing else is said."""
    return str(Path(platformdirs.user_data_dir("lookahead-rag", appauthor=False)) / "runs.sqlite")


class WebSettings(Settings):
    """What the service may do, beside where things are."""

    lookahead_tokens: SecretStr | None = Field(None, description="token=namespace, one for each client, by commas")
    lookahead_runs: str = Field(default_factory=default_runs, description="File that keeps plans that wait")
    lookahead_max_runs: int = Field(64, ge=1, le=10_000, description="Questions answered at the same time")
    lookahead_max_ingests: int = Field(2, ge=1, le=100, description="Ingestions at the same time")
    lookahead_max_question: int = Field(2_000, ge=1, le=MAX_QUESTION, description="Characters of a question")
    lookahead_max_body: int = Field(1_000_000, ge=1_000, description="Bytes of a request that asks")
    lookahead_max_upload: int = Field(100_000_000, ge=1_000, description="Bytes of a request that brings documents")
    lookahead_origins: str = Field("", description="Addresses of pages elsewhere that may call the service, by commas")

    def origins(self) -> list[str]:
        """Those addresses, one by one."""
        return [origin.strip().rstrip("/") for origin in self.lookahead_origins.split(",") if origin.strip()]
