"""Secrets and addresses from the environment and `.env`: read once, at the edge, never at import and never logged."""

from pathlib import Path

import platformdirs
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_store() -> str:
    """The folder that holds the documents when nothing else is said."""
    return str(Path(platformdirs.user_data_dir("lookahead-rag", appauthor=False)) / "store")


class Settings(BaseSettings):
    """Where things are. Knobs of one run are in `nodes.context.Context` instead."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True)

    lookahead_store: str = Field(default_factory=default_store, description="Folder of the embedded store")
