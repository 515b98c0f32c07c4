"""Wiring: makes the parts that the settings name. The only file that names engines, each imported when it is chosen."""

from core.embedding import Embedder, Tokenizer
from core.errors import InvalidInput, Unavailable
from service.app import App
from service.settings import Settings


def open_app(settings: Settings) -> App:
    """Open the stores that the settings name; background work is not started.

    Raises:
        InvalidInput: a setting that the chosen parts need is missing.
        Unavailable: the home folder or the record can't be opened.
        Conflict: the record was written by a newer release.
    """
    from graph.sqlite_store import SqliteStore
    from ingest.extract.local import LocalExtractor
    from retrieval.vectors import ChromaIndex

    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise Unavailable(f"REMEMBRANCER_HOME {settings.home} can't be made ({error}): choose another.") from error
    embedder, tokenizer = _embedder(settings)
    index = ChromaIndex(settings.vectors_path, embedder)
    store = SqliteStore(settings.record_path)
    return App.of(store=store, index=index, embedder=embedder, tokenizer=tokenizer, extractor=LocalExtractor())


def _embedder(settings: Settings) -> tuple[Embedder, Tokenizer]:
    if settings.embedder == "local":
        from retrieval.embedder import LocalEmbedder

        local = LocalEmbedder()
        return local, local.tokenizer
    from retrieval.openai_embedder import OpenAIEmbedder

    if settings.openai_api_key is None:
        raise InvalidInput("REMEMBRANCER_EMBEDDER is openai and OPENAI_API_KEY is not set: set it, or use local.")
    remote = OpenAIEmbedder(
        api_key=settings.openai_api_key.get_secret_value(),
        base_url=settings.openai_base_url,
        model=settings.openai_embedding_model,
        dimensions=settings.openai_embedding_dimension,
    )
    return remote, remote.tokenizer
