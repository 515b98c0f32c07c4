"""Settings, each checked. Their values come from `service/owner/home_config.py`, the only reader of the environment."""

import logging
import os
import re
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, Self
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from core.dates import use_zone
from core.dates.moments import load_zone
from core.errors import InvalidInput, nearest_name
from core.interface.operations import choose_tools
from core.knowledge.secrets import SecretsMode
from service.http.limits import Limits, is_loopback
from service.owner.home_config import HomeConfig, describe_misplaced_home

_log = logging.getLogger("remembrancer.settings")
_PREFIX: Final = "REMEMBRANCER_"
_OPENAI_HOST: Final = "api.openai.com"
_WITH_CREDENTIALS: Final = re.compile(r"(?:[\w+.-]+://)?[^/?#]*@")
#: What to use in place of a name or password inside an address, which would be shown with it.
_INSTEAD: Final = {
    "neo4j_uri": "NEO4J_USERNAME and NEO4J_PASSWORD",
    "chroma_url": "CHROMA_TOKEN",
    "openai_base_url": "OPENAI_API_KEY",
    "jwt_issuer": "none",
    "jwt_keys": "none",
}


class Settings(BaseModel):
    """Every setting, by the alias that is its variable's name; docs and tests list them from here."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
    timezone: str | None = Field(
        default=None,
        alias="REMEMBRANCER_TIMEZONE",
        description="IANA name: the zone of times written without one, of today, and of shown days; else the system's",
    )
    embedder: Literal["local", "multilingual", "openai"] = Field(
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
    ingest_roots: tuple[Path, ...] = Field(
        default=(),
        alias="REMEMBRANCER_INGEST_ROOTS",
        description="folders whose files the tool `ingest` may read, separated as in PATH",
    )
    archive_members: int = Field(
        default=100_000,
        alias="REMEMBRANCER_ARCHIVE_MEMBERS",
        description="members of an archive that is read",
        ge=1,
    )
    archive_member_bytes: int = Field(
        default=256_000_000,
        alias="REMEMBRANCER_ARCHIVE_MEMBER_BYTES",
        description="bytes of a member that is unpacked",
        ge=1,
    )
    archive_bytes: int = Field(
        default=4_000_000_000,
        alias="REMEMBRANCER_ARCHIVE_BYTES",
        description="bytes that are unpacked of one file, archives within among them",
        ge=1,
    )
    archive_ratio: int = Field(
        default=200,
        alias="REMEMBRANCER_ARCHIVE_RATIO",
        description="how many times as large as packed a member over 10 MB may be",
        ge=1,
    )
    archive_depth: int = Field(
        default=2,
        alias="REMEMBRANCER_ARCHIVE_DEPTH",
        description="archives within archives that are opened",
        ge=0,
        le=10,
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
    openai_embedding_budget: int | None = Field(
        default=None,
        alias="REMEMBRANCER_OPENAI_EMBEDDING_BUDGET",
        description="tokens that embeddings may use a day (UTC), in all processes; no limit if not set",
        ge=1,
    )
    openai_concurrency: int = Field(
        default=4,
        alias="REMEMBRANCER_OPENAI_CONCURRENCY",
        description="requests that a process has in flight at that server",
        ge=1,
        le=32,
    )
    tools: str = Field(
        default="all",
        alias="REMEMBRANCER_TOOLS",
        description="tools that are served: all, core (those that an agent needs every day), or names",
    )
    secrets: SecretsMode = Field(
        default="redact",
        alias="REMEMBRANCER_SECRETS",
        description="keys, tokens and passwords in what is stored: redact, keep or refuse",
    )
    owner_idle: float = Field(
        default=600,
        alias="REMEMBRANCER_OWNER_IDLE",
        description="seconds after which the owner of an embedded home ends with no client and no work",
        ge=0.1,
    )
    tokens: tuple[SecretStr, ...] = Field(
        default=(), alias="REMEMBRANCER_TOKENS", description="bearer tokens for HTTP, separated by commas"
    )
    jwt_issuer: str | None = Field(
        default=None, alias="REMEMBRANCER_JWT_ISSUER", description="issuer whose signed tokens HTTP accepts (`iss`)"
    )
    jwt_audience: str | None = Field(
        default=None,
        alias="REMEMBRANCER_JWT_AUDIENCE",
        description="whom these tokens must be for (`aud`): the address of this service's /mcp",
    )
    jwt_keys: str | None = Field(
        default=None, alias="REMEMBRANCER_JWT_KEYS", description="address of the issuer's keys (JWKS)"
    )

    public_url: str | None = Field(
        default=None,
        alias="REMEMBRANCER_PUBLIC_URL",
        description="address at which `serve` is reached; with it clients such as claude.ai and ChatGPT may sign in",
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

    @field_validator("tools")
    @classmethod
    def _known_tools(cls, value: str) -> str:
        try:
            choose_tools(value)
        except InvalidInput as error:
            raise ValueError(str(error)) from error
        return value

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str | None) -> str | None:
        try:
            load_zone(value)
        except InvalidInput as error:
            raise ValueError(str(error).removesuffix(".")) from error
        return value

    @field_validator("ingest_roots", mode="before")
    @classmethod
    def _folders(cls, value: object) -> object:
        return tuple(Path(part) for part in value.split(os.pathsep) if part) if isinstance(value, str) else value

    @field_validator("ingest_roots")
    @classmethod
    def _absolute_folders(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        folders = tuple(folder.expanduser() for folder in value)
        if relative := [str(folder) for folder in folders if not folder.is_absolute()]:
            raise ValueError(f"{relative[0]!r} is not an absolute path")
        return folders

    @field_validator(*_INSTEAD)
    @classmethod
    def _without_credentials(cls, value: str | None, info: ValidationInfo) -> str | None:
        if _WITH_CREDENTIALS.match(value or ""):
            raise ValueError(
                f"an address shows, so it must not hold a name or password: use {_INSTEAD[str(info.field_name)]}"
            )
        return value

    @field_validator("jwt_issuer", "jwt_keys")
    @classmethod
    def _encrypted(cls, value: str | None) -> str | None:
        address = urlsplit(value or "https://localhost")
        host = address.hostname or ""
        if (address.scheme == "https" and host) or (address.scheme == "http" and is_loopback(host)):
            return value
        raise ValueError("use an address that begins with https://")

    @field_validator("public_url")
    @classmethod
    def _origin(cls, value: str | None) -> str | None:
        if value is None:
            return None
        address = urlsplit(cls._encrypted(value) or "")
        if address.path.strip("/") or address.query or address.fragment or address.username:
            raise ValueError("use scheme and host alone, such as https://memory.example")
        return f"{address.scheme}://{address.netloc.lower()}"

    @model_validator(mode="after")
    def _one_issuer(self) -> Self:
        if self.public_url is not None and self.jwt_issuer is not None:
            raise ValueError("REMEMBRANCER_PUBLIC_URL and REMEMBRANCER_JWT_ISSUER exclude each other: use one")
        return self

    @model_validator(mode="after")
    def _whole_issuer(self) -> Self:
        if len({self.jwt_issuer is None, self.jwt_audience is None, self.jwt_keys is None}) > 1:
            raise ValueError("REMEMBRANCER_JWT_ISSUER, REMEMBRANCER_JWT_AUDIENCE and REMEMBRANCER_JWT_KEYS go together")
        return self

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone of the owner of the memory."""
        return load_zone(self.timezone)

    @cached_property
    def limits(self) -> Limits:
        """The limits of an HTTP server."""
        return Limits(self.http_connections, self.http_requests, self.http_rate, self.http_body, self.http_seconds)

    @cached_property
    def other_openai_host(self) -> str | None:
        """The host of `OPENAI_BASE_URL`, with its port; None if that is OpenAI's own."""
        host = urlsplit(self.openai_base_url or "").netloc
        return None if host in {"", _OPENAI_HOST} else host

    @cached_property
    def record_path(self) -> Path:
        """The file of the embedded record."""
        return self.home / "remembrancer.db"

    @cached_property
    def known_files_path(self) -> Path:
        """The table of the files that were ingested."""
        return self.home / "files.db"

    @cached_property
    def logs_path(self) -> Path:
        """The folder of the owner's logs."""
        return self.home / "logs"

    @cached_property
    def vectors_path(self) -> Path:
        """The folder of the embedded vector index."""
        return self.home / "chroma"


#: The variables that are settings, in order.
VARIABLES: Final = tuple(str(field.alias) for field in Settings.model_fields.values())


def load_settings(home: Path | None = None) -> Settings:
    """Read the settings of this process, and use their time zone; `home` goes before the environment's.

    Variables without effect are logged.

    Raises:
        InvalidInput: a variable has an invalid value; the message names it, never a secret's value.
    """
    home_config = HomeConfig.find(home)
    for sentence in ineffective_variables(home_config):
        _log.warning(sentence)
    given = {name: value for name, value in home_config.variables.items() if name in VARIABLES}
    try:
        settings = Settings.model_validate({**given, "REMEMBRANCER_HOME": home_config.home})
    except ValidationError as error:
        problems = "; ".join(": ".join([*map(str, issue["loc"][:1]), issue["msg"]]) for issue in error.errors())
        raise InvalidInput(
            f"Invalid settings: {problems}. Correct the environment, or {str(home_config.dotenv)!r}."
        ) from error
    use_zone(settings.zone)
    return settings


def ineffective_variables(home_config: HomeConfig) -> list[str]:
    """Return a sentence for each variable without effect: those that are no setting, with the most similar one, and
    a home in the home's own file."""
    known = {variable.removeprefix(_PREFIX): variable for variable in VARIABLES}
    sentences = [] if (misplaced := describe_misplaced_home(home_config)) is None else [misplaced]
    for name in sorted(home_config.variables):
        if name.startswith(_PREFIX) and name not in VARIABLES:
            similar = nearest_name(name.removeprefix(_PREFIX), known)
            question = "." if similar is None else f": did you mean {known[similar]}?"
            sentences.append(f"{name} is not a setting and is ignored{question}")
    return sentences
