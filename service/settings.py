"""Settings: the only reader of the environment and of `.env`."""

import difflib
import logging
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from core.errors import InvalidInput
from service.http.limits import Limits
from service.owner.home import Place

_log = logging.getLogger("remembrancer.settings")
_PREFIX: Final = "REMEMBRANCER_"


class Settings(BaseSettings):
    """Every setting, read once. Environment variables win over `.env` in the working folder.

    Each field's alias is the variable's name; docs and tests list them from here.
    """

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, env_ignore_empty=True
    )

    home: Path = Field(
        default_factory=lambda: user_data_path("remembrancer", appauthor=False),
        alias="REMEMBRANCER_HOME",
        description="where embedded stores live",
    )
    graph: Literal["embedded", "neo4j"] = Field(
        default="embedded", alias="REMEMBRANCER_GRAPH", description="engine of the record and the graph"
    )
    vectors: Literal["embedded", "server"] = Field(
        default="embedded", alias="REMEMBRANCER_VECTORS", description="where Chroma runs"
    )
    neo4j_uri: str | None = Field(
        default=None, alias="NEO4J_URI", description="address of Neo4j; neo4j:// routes in a cluster"
    )
    neo4j_username: str = Field(default="neo4j", alias="NEO4J_USERNAME", description="user of Neo4j")
    neo4j_password: SecretStr | None = Field(default=None, alias="NEO4J_PASSWORD", description="that user's password")
    neo4j_database: str = Field(default="neo4j", alias="NEO4J_DATABASE", description="database within Neo4j")
    chroma_url: str | None = Field(default=None, alias="CHROMA_URL", description="address of the Chroma server")
    chroma_token: SecretStr | None = Field(
        default=None, alias="CHROMA_TOKEN", description="bearer token sent to the Chroma server"
    )
    embedder: Literal["local", "openai"] = Field(
        default="local", alias="REMEMBRANCER_EMBEDDER", description="what makes the vectors"
    )
    extractor: str = Field(
        default="local",
        alias="REMEMBRANCER_EXTRACTOR",
        description="what finds entities and events: local, openai, or the name of an installed extractor",
    )
    extraction_seconds: float = Field(
        default=30,
        alias="REMEMBRANCER_EXTRACTION_SECONDS",
        description="seconds that an item or a file may take, and one more for each 1,000 characters",
        ge=0.1,
    )
    extraction_memory: int = Field(
        default=2_048,
        alias="REMEMBRANCER_EXTRACTION_MEMORY",
        description="MiB of memory that reading a file or extracting an item may take (on Linux)",
        ge=256,
    )
    reranker: str | None = Field(
        default=None,
        alias="REMEMBRANCER_RERANKER",
        description="name of an installed reranker; none if not set",
    )
    openai_api_key: SecretStr | None = Field(
        default=None, alias="OPENAI_API_KEY", description="as the OpenAI client reads it"
    )
    openai_base_url: str | None = Field(default=None, alias="OPENAI_BASE_URL", description="any compatible server")
    openai_embedding_model: str = Field(
        default="text-embedding-3-small",
        alias="REMEMBRANCER_OPENAI_EMBEDDING_MODEL",
        description="embedding model asked of that server",
    )
    openai_embedding_dimension: int | None = Field(
        default=None,
        alias="REMEMBRANCER_OPENAI_EMBEDDING_DIMENSION",
        description="vector length; needed for models whose length is not known",
        ge=1,
        le=16_384,
    )
    openai_extraction_model: str = Field(
        default="gpt-4o-mini",
        alias="REMEMBRANCER_OPENAI_EXTRACTION_MODEL",
        description="chat model asked of that server",
        min_length=1,
    )
    openai_extraction_budget: int | None = Field(
        default=None,
        alias="REMEMBRANCER_OPENAI_EXTRACTION_BUDGET",
        description="tokens that extraction may use a day (UTC), in all processes; no limit if not set",
        ge=1,
    )
    owner_idle: float = Field(
        default=600,
        alias="REMEMBRANCER_OWNER_IDLE",
        description="seconds after which the owner of an embedded home ends with no client and no work",
        ge=0.1,
    )
    tokens: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(), alias="REMEMBRANCER_TOKENS", description="bearer tokens for HTTP, separated by commas"
    )

    http_connections: int = Field(
        default=Limits().connections, alias="REMEMBRANCER_HTTP_CONNECTIONS", description="connections at a time", ge=1
    )
    http_requests: int = Field(
        default=Limits().requests, alias="REMEMBRANCER_HTTP_REQUESTS", description="requests in progress", ge=1
    )
    http_rate: int = Field(
        default=Limits().rate, alias="REMEMBRANCER_HTTP_RATE", description="requests of one token in a minute", ge=1
    )
    http_body: int = Field(
        default=Limits().body, alias="REMEMBRANCER_HTTP_BODY", description="bytes of the largest request", ge=1_000
    )
    http_seconds: float = Field(
        default=Limits().seconds,
        alias="REMEMBRANCER_HTTP_SECONDS",
        description="seconds for the headers of a request, and for a pause within its body",
        ge=0.1,
    )

    @field_validator("home")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("tokens", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @cached_property
    def limits(self) -> Limits:
        """The limits of an HTTP server."""
        return Limits(self.http_connections, self.http_requests, self.http_rate, self.http_body, self.http_seconds)

    @cached_property
    def record_path(self) -> Path:
        """The file of the embedded record."""
        return self.home / "remembrancer.db"

    @cached_property
    def logs_path(self) -> Path:
        """The folder of the owner's logs."""
        return self.home / "logs"

    @cached_property
    def vectors_path(self) -> Path:
        """The folder of the embedded vector index."""
        return self.home / "chroma"


def load(*, dotenv: bool = True) -> Settings:
    """Read the environment, and `.env` in the working folder unless `dotenv` is false; warn of unknown variables.

    Raises:
        InvalidInput: a variable has an invalid value; the message names it, never a secret's value.
    """
    for sentence in unknown_variables():
        _log.warning(sentence)
    try:
        return Settings() if dotenv else Settings(_env_file=None)
    except ValidationError as error:
        problems = "; ".join(f"{issue['loc'][0]}: {issue['msg']}" for issue in error.errors())
        raise InvalidInput(f"Invalid settings: {problems}. Correct the environment or .env.") from error


def unknown_variables() -> list[str]:
    """Return a sentence for each `REMEMBRANCER_…` variable that is no setting; it names the most similar setting."""
    aliases = [str(field.alias) for field in Settings.model_fields.values()]
    known = {alias.removeprefix(_PREFIX): alias for alias in aliases}
    sentences = []
    for name in sorted(Place.find().variables):
        if name.startswith(_PREFIX) and name not in aliases:
            similar = difflib.get_close_matches(name.removeprefix(_PREFIX), known, n=1)
            suggestion = f": did you mean {known[similar[0]]}?" if similar else "."
            sentences.append(f"{name} is not a setting and is ignored{suggestion}")
    return sentences
