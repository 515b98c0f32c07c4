"""Wiring: makes the parts that the settings name. The only file that names engines, each imported when it is chosen."""

import json
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.dates import use_zone
from core.errors import InvalidInput, Unavailable
from core.knowledge.findings import NOTHING, Extraction
from core.knowledge.secrets import use_secrets
from core.openai_usage import EMBEDDING, Gate, Spending
from core.records import Artifact
from core.search import Embedder, MeteredEmbedder, Reranker, Tokenizer, VectorIndex
from graph.disk_space import bytes_of
from graph.store import Store
from graph.vector_checks import known_model
from ingest.extract.protocol import CachedLocalExtractor, CachedRemoteExtractor, Extractor, RemoteExtractor
from ingest.indexing.rebuild import mark_rebuild_needed
from ingest.intake.known_files import KnownFiles, Record
from ingest.isolation import IsolatedProcess, Limits
from ingest.readers.formats.format import formats
from ingest.readers.formats.source import ArchiveLimits
from ingest.readers.isolated import IsolatedReader
from retrieval.scoring.recipe import SHIPPED, Recipe
from service import __version__
from service.actions.client_files import Intake
from service.actions.plugins import EXTRACTORS, RERANKERS
from service.app import App
from service.owner.shared_index import SharedIndex
from service.settings import Settings

if TYPE_CHECKING:
    from ingest.document.evidence import Verified
    from ingest.extract.repeated_text import RepeatedText, Sentence
    from ingest.runs.pipeline import IsolatedTextWork
    from retrieval.models.local_embedder import LocalEmbedder
    from retrieval.models.multilingual_embedder import MultilingualEmbedder

#: Bytes of a file for which its reader has a second more: it takes a hundredth of that.
_FILE_BYTES: Final = 100_000


def open_app(settings: Settings, *, recipe: Recipe = SHIPPED) -> App:
    """Open the stores that the settings name; background work is not started. Another recipe ranks otherwise.

    Servers are not asked for anything yet: the service starts while one is away, says so in `status`, and works as soon
    as it is back.

    Raises:
        InvalidInput: a setting that the chosen parts need is missing.
        Unavailable: the home folder or the embedded record can't be opened.
        Conflict: the embedded record was written by a newer release.
    """
    _check_keys(settings)
    use_zone(settings.zone)
    use_secrets(settings.secrets)
    embedder, tokenizer = _embedder(settings)
    index = _index(settings, embedder)
    reranker = make_reranker(settings)
    store = open_record(settings)
    _count(embedder, settings, store)
    extractor, local = make_extractor(settings, store, tokenizer), _Isolated("local", "local", settings)
    app = App.of(
        store=store,
        index=index,
        embedder=embedder,
        tokenizer=tokenizer,
        extractor=_background_extractor(extractor, local, store),
        texts=extractor if isinstance(extractor, _Isolated) else local,
        recipe=recipe,
        reranker=reranker,
    )
    app.tools = settings.tools
    app.storage = partial(measure_storage, settings)
    app.intake = Intake(
        make_reader(settings).items,
        settings.ingest_roots,
        partial(open_known_files, settings),
        reads_english_alone=settings.extractor == "local",
    )
    if settings.other_openai_host is not None:
        chosen = {"embedder": settings.embedder, "extractor": settings.extractor}
        app.destinations = {part: settings.other_openai_host for part, made in chosen.items() if made == "openai"}
    return app


def open_record(settings: Settings) -> Store:
    """Open the record alone, which any number of processes may have open. Raises as `open_app` does."""
    if settings.graph == "neo4j":
        from graph.neo4j_store import Neo4jStore

        if settings.neo4j_uri is None or settings.neo4j_password is None:
            raise InvalidInput("REMEMBRANCER_GRAPH is neo4j: set NEO4J_URI and NEO4J_PASSWORD too, or use embedded.")
        password = settings.neo4j_password.get_secret_value()
        return Neo4jStore(settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database)
    from graph.sqlite_store import SqliteStore

    _make_home(settings)
    return SqliteStore(settings.record_path)


def restore(settings: Settings, backup: Path) -> None:
    """Restore a backup into an empty home; the next process that opens it makes the vectors.

    Raises:
        InvalidInput: the settings name a record that is no file, or the backup is no file.
        NotFound: there is no such backup.
        Conflict: the home has a record, or a newer release wrote the backup.
        Unavailable: the backup can't be read, or the record not be written.
    """
    if settings.graph == "neo4j":
        raise InvalidInput(
            "REMEMBRANCER_GRAPH is neo4j: load a dump with neo4j-admin (docs/operations.md says how), or use "
            "`remembrancer import`."
        )
    from graph.sqlite_store import SqliteStore, incoming

    with incoming(backup, settings.record_path) as copy, SqliteStore(copy) as store:
        mark_rebuild_needed(store)


def vacuum(settings: Settings, show: Callable[[int, int], object]) -> None:
    """Rewrite the embedded parts without the space of what was deleted; no other process may have them open.

    `show` is called with how many rows of the record are done, and how many there are.

    Raises:
        InvalidInput: the settings name servers for both parts.
        Unavailable: the disk has not enough free space, or another process has a part open.
    """
    if (settings.graph, settings.vectors) == ("neo4j", "server"):
        raise InvalidInput(
            "REMEMBRANCER_GRAPH is neo4j and REMEMBRANCER_VECTORS is server: Neo4j uses freed space again by itself, "
            "and `chroma vacuum` is run on Chroma's own folder."
        )
    if settings.graph == "embedded" and settings.record_path.exists():
        from graph.sqlite_store import SqliteStore
        from graph.sqlite_store import vacuum as vacuum_record

        with SqliteStore(settings.record_path) as store:
            model = known_model(store)
        vacuum_record(settings.record_path, model, show)
    if settings.vectors == "embedded" and settings.vectors_path.exists():
        from retrieval.vectors import EmbeddedChroma

        EmbeddedChroma(settings.vectors_path).vacuum()


def measure_storage(settings: Settings) -> dict[str, int]:
    """Return the bytes on disk of each embedded part that there is; those of servers are not known here."""
    parts = {"files": settings.known_files_path}
    if settings.graph == "embedded":
        parts["record"] = settings.record_path
    if settings.vectors == "embedded":
        parts["vectors"] = settings.vectors_path
    return {name: bytes_of(path) for name, path in sorted(parts.items()) if path.exists()}


def _index(settings: Settings, embedder: Embedder) -> VectorIndex:
    from retrieval.vectors import ChromaIndex, ChromaServer, EmbeddedChroma

    if settings.vectors == "embedded":
        _make_home(settings)
        if (shared := SharedIndex.of(settings.home)) is not None:
            return shared
        return ChromaIndex(EmbeddedChroma(settings.vectors_path), embedder)
    if settings.chroma_url is None:
        raise InvalidInput("REMEMBRANCER_VECTORS is server and CHROMA_URL is not set: set it, or use embedded.")
    token = None if settings.chroma_token is None else settings.chroma_token.get_secret_value()
    return ChromaIndex(ChromaServer(settings.chroma_url, token), embedder)


def _make_home(settings: Settings) -> None:
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Unavailable(f"REMEMBRANCER_HOME {settings.home} can't be made ({error}): choose another.") from error


def _gate(settings: Settings) -> Gate:
    """Return the gate for all requests of this process to that service; extraction leaves one place to embeddings."""
    return _gate_to(settings.openai_base_url, settings.openai_concurrency, int(settings.embedder == "openai"))


@cache
def _gate_to(base_url: str | None, limit: int, kept_free: int) -> Gate:  # noqa: ARG001 - each service has its own limits
    return Gate(limit, kept_free=kept_free)


def _count(embedder: Embedder, settings: Settings, store: Store) -> None:
    """Have an embedder behind a service count its tokens in the record, within the budget."""
    if isinstance(embedder, MeteredEmbedder):
        setting = "REMEMBRANCER_OPENAI_EMBEDDING_BUDGET"
        embedder.count_in(Spending(store, settings.openai_embedding_budget, note=EMBEDDING, setting=setting))


def _embedder(settings: Settings) -> tuple[Embedder, Tokenizer]:
    if settings.embedder == "local":
        local = _local_embedder()
        return local, local.tokenizer
    if settings.embedder == "multilingual":
        multilingual = _multilingual_embedder()
        return multilingual, multilingual.tokenizer
    from retrieval.models.openai_embedder import OpenAIEmbedder

    remote = OpenAIEmbedder(
        api_key=_openai_key(settings, "REMEMBRANCER_EMBEDDER"),
        base_url=settings.openai_base_url,
        model=settings.openai_embedding_model,
        dimensions=settings.openai_embedding_dimension,
        gate=_gate(settings),
    )
    return remote, remote.tokenizer


@cache
def _local_embedder() -> "LocalEmbedder":
    """Return the one embedder with local weights, which vectors and the local extractor share: they are loaded once."""
    from retrieval.models.local_embedder import LocalEmbedder

    return LocalEmbedder()


@cache
def _multilingual_embedder() -> "MultilingualEmbedder":
    """Return the embedder of the extra `multilingual`, one for the whole process."""
    from retrieval.models.multilingual_embedder import MultilingualEmbedder

    return MultilingualEmbedder()


class _Isolated:
    """An extractor and the work on texts, in a process of their own. Imported at the first use, as no answer needs
    it."""

    def __init__(self, extractor: str, name: str, settings: Settings) -> None:
        self.name = name
        self._extractor = extractor
        self._zone = settings.timezone or ""
        self._limits = _limits(settings)

    @property
    def _made(self) -> "IsolatedTextWork":
        from ingest.runs.pipeline import IsolatedTextWork

        return IsolatedTextWork(self.name, _text_process(self._extractor, self._zone, self._limits, tuple(sys.path)))

    def extract(self, artifact: Artifact) -> Extraction:
        return self._made.extract(artifact)

    def sentences(self, content: str) -> "list[Sentence]":
        return self._made.sentences(content)

    def cited_origins(self, artifact: Artifact, found: Extraction, repeated: "RepeatedText") -> tuple[str, ...]:
        return self._made.cited_origins(artifact, found, repeated)

    def verify_extraction(
        self, artifact: Artifact, found: Extraction, repeated: "RepeatedText", annotations: Extraction = NOTHING
    ) -> "Verified":
        return self._made.verify_extraction(artifact, found, repeated, annotations)


@cache
def _text_process(
    extractor: str,
    zone: str,
    limits: Limits,
    folders: tuple[str, ...],  # noqa: ARG001 - modules come from these
) -> IsolatedProcess:
    """Return the one process of this kind, which all that this process opens share."""
    return IsolatedProcess("Extraction", f"{__package__}.actions.text_process:operations", [extractor, zone], limits)


def _limits(settings: Settings) -> Limits:
    return Limits(settings.extraction_seconds, settings.extraction_memory)


def make_reader(settings: Settings) -> IsolatedReader:
    """Return what reads files, which anybody may have made."""
    limits = Limits(settings.extraction_seconds, settings.extraction_memory, per_second=_FILE_BYTES)
    archives = ArchiveLimits(
        settings.archive_members,
        settings.archive_member_bytes,
        settings.archive_bytes,
        settings.archive_ratio,
        settings.archive_depth,
    )
    return IsolatedReader(IsolatedProcess("Reading", f"{IsolatedReader.__module__}:operations", [], limits), archives)


def open_known_files(
    settings: Settings,
    records: Record,
    project_id: str,
    context: str | None,
    *,
    trust: bool = False,
    is_rehearsal: bool = False,
) -> KnownFiles:
    """Return which files were taken in, and read in this way by the formats that there are now."""
    _make_home(settings)
    asked, reading = json.dumps([context, trust]), json.dumps([__version__, [known.name for known in formats()]])
    options = f"{asked}\n{reading}"
    return KnownFiles(settings.known_files_path, project_id, options, records, is_rehearsal=is_rehearsal)


def make_extractor(settings: Settings, store: Store, tokenizer: Tokenizer) -> Extractor:
    """Make the extractor that the settings name; the OpenAI extractor counts its usage in the store.

    Raises:
        InvalidInput: it needs a key that is not set, none of that name is installed, or it can't be made.
    """
    if settings.extractor == "local":
        return _Isolated("local", "local", settings)
    if settings.extractor != "openai":
        made = EXTRACTORS.make(settings.extractor)
        return made if isinstance(made, RemoteExtractor) else _Isolated(settings.extractor, made.name, settings)
    from ingest.extract.openai import OpenAIExtractor

    return OpenAIExtractor.of(
        store,
        tokenizer,
        api_key=_openai_key(settings, "REMEMBRANCER_EXTRACTOR"),
        base_url=settings.openai_base_url,
        model=settings.openai_extraction_model,
        budget=settings.openai_extraction_budget,
        gate=_gate(settings),
    )


def _background_extractor(made: Extractor, local: _Isolated, store: Store) -> Extractor:
    return (
        CachedRemoteExtractor(made, local, store)
        if isinstance(made, RemoteExtractor)
        else CachedLocalExtractor(made, store)
    )


def _check_keys(settings: Settings) -> None:
    """Refuse to open anything while a key is missing."""
    for part, variable in (
        (settings.embedder, "REMEMBRANCER_EMBEDDER"),
        (settings.extractor, "REMEMBRANCER_EXTRACTOR"),
    ):
        if part == "openai":
            _openai_key(settings, variable)


def _openai_key(settings: Settings, variable: str) -> str:
    if settings.openai_api_key is None:
        raise InvalidInput(f"{variable} is openai and OPENAI_API_KEY is not set: set it, or use local.")
    return settings.openai_api_key.get_secret_value()


def make_reranker(settings: Settings) -> Reranker | None:
    """Make the installed reranker that the settings name; None if they name none.

    Raises:
        InvalidInput: none of that name is installed, or it can't be made.
    """
    return None if settings.reranker is None else RERANKERS.make(settings.reranker)
