"""Secrets and addresses from the environment and `.env`: read once, at the edge, never at import and never logged."""

from pathlib import Path
from typing import Any, Self

import platformdirs
from pydantic import AliasChoices, Field, ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from models.auto import Auto
from models.providers import Endpoints
from stores.base import PassageStore
from stores.errors import InputError
from stores.neo4j_address import Neo4jSettings
from stores.opening import open_store


def default_store(known: dict[str, Any]) -> str:
    """Where the documents are when LOOKAHEAD_STORE does not say it: NEO4J_URI, else a folder of the user."""
    return known.get("neo4j_uri") or str(Path(platformdirs.user_data_dir("lookahead-rag", appauthor=False)) / "store")


class Settings(BaseSettings):
    """Where things are. Knobs of one run are in `nodes.context.Context` instead.

    Raises:
        InputError: a variable has a value that cannot be used.
    """

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True)

    neo4j_uri: str = Field("", repr=False, description="Address of a Neo4j server")
    neo4j_username: str = Field(
        Neo4jSettings().username,
        validation_alias=AliasChoices("neo4j_username", "neo4j_user"),
        description="Who logs in there",
    )
    neo4j_password: SecretStr | None = Field(None, description="With which password")
    neo4j_database: str = Field("", description="Which of the server's databases")
    neo4j_connections: int = Field(Neo4jSettings().connections, ge=1, le=10_000, description="At most, to one server")
    neo4j_timeout: float = Field(Neo4jSettings().timeout, gt=0, le=86_400, description="Seconds that a call may take")
    neo4j_hnsw_m: int = Field(Neo4jSettings().hnsw_m, ge=1, le=512, description="Neighbours in a new vector index")
    neo4j_hnsw_ef_construction: int = Field(
        Neo4jSettings().hnsw_ef_construction, ge=1, le=3200, description="How far a new vector index looks for them"
    )
    neo4j_quantization: bool = Field(Neo4jSettings().quantization, description="Compress vectors in a new index")
    lookahead_store: str = Field(default_factory=default_store, repr=False, description="Where the documents are kept")
    lookahead_auto: Auto = Field("auto", description="What the planner and synthesizer `auto` stand for")
    lookahead_prices: str = Field("", description="Prices of models: a file, or JSON")
    ingest_root: str = Field("", description="Folder whose files a server ingests when a client names them")
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

    def open_store(self, address: str | None = None, *, read_only: bool = False) -> PassageStore:
        """The store at an address, by default the one that the environment names; not yet opened.

        Raises:
            StoreError: it is no address of a store, or holds a login.
        """
        where = self.lookahead_store if address is None else address
        return open_store(where, read_only=read_only, neo4j=self.neo4j())

    def neo4j(self) -> Neo4jSettings:
        """Login and knobs of Neo4j."""
        return Neo4jSettings(
            username=self.neo4j_username,
            password=self.neo4j_password.get_secret_value() if self.neo4j_password else "",
            database=self.neo4j_database,
            connections=self.neo4j_connections,
            timeout=self.neo4j_timeout,
            hnsw_m=self.neo4j_hnsw_m,
            hnsw_ef_construction=self.neo4j_hnsw_ef_construction,
            quantization=self.neo4j_quantization,
        )

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
