"""Secrets and addresses from the environment and `.env`: read once, at the edge, never at import and never logged."""

from pathlib import Path
from typing import Any, Self

import platformdirs
from pydantic import Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from models.auto import Auto
from models.providers import Endpoints
from stores.errors import InputError


def default_store() -> str:
    """The folder that holds the documents when nothing else is said."""
    return str(Path(platformdirs.user_data_dir("lookahead-rag", appauthor=False)) / "store")


class Settings(BaseSettings):
    """Where things are. Knobs of one run are in `nodes.context.Context` instead.

    Raises:
        InputError: a variable has a value that cannot be used.
    """

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True)

    lookahead_store: str = Field(default_factory=default_store, description="Folder of the embedded store")
    lookahead_auto: Auto = Field("auto", description="What the planner and synthesizer `auto` stand for")
    lookahead_prices: str = Field("", description="Prices of models: a file, or JSON")
    groq_api_key: SecretStr | None = Field(None, description="Key of a Groq account")
    groq_api_base: str = Field(Endpoints().groq_api_base, description="Address of Groq")
    ollama_host: str = Field(Endpoints().ollama_host, repr=False, description="Address of Ollama; it may hold a login")
    ollama_api_key: SecretStr | None = Field(None, description="Key for an Ollama server that asks for one")
    ollama_model: str = Field(Endpoints().ollama_model, description="Model that `ollama` stands for")
    ollama_num_ctx: int = Field(
        Endpoints().ollama_num_ctx, ge=256, le=10_000_000, description="Tokens that prompt and reply may share"
    )

    @model_validator(mode="wrap")
    @classmethod
    def _one_sentence(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InputError(
                f"environment: {str(first['loc'][0]).upper()}={first['input']!r} cannot be used: {first['msg']}; "
                "mend it in the environment or in .env"
            ) from None

    def endpoints(self) -> Endpoints:
        """Keys and addresses of model servers.

        Raises:
            InputError: OLLAMA_HOST or GROQ_API_BASE is no address.
        """
        key = self.groq_api_key if self.groq_api_key and self.groq_api_key.get_secret_value().strip() else None
        bearer = self.ollama_api_key and SecretStr(f"Bearer {self.ollama_api_key.get_secret_value().strip()}")
        return Endpoints(
            groq_api_key=key and SecretStr(key.get_secret_value().strip()),
            groq_api_base=self.groq_api_base,
            ollama_host=self.ollama_host,
            ollama_authorization=bearer,
            ollama_model=self.ollama_model,
            ollama_num_ctx=self.ollama_num_ctx,
        )
