"""The service as it ships, over the parts of a test: with the extractor that judges sentences, put together as
service/wiring.py does."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from core.knowledge.findings import Extraction
from core.records import Artifact
from core.search import Embedder, Reranker, VectorIndex
from graph.store import Store
from ingest.extract.local.extractor import LocalExtractor
from ingest.extract.protocol import CachedLocalExtractor, Extractor
from retrieval.models.local_embedder import LocalEmbedder
from service.app import App
from service.settings import Settings
from service.wiring import open_app


@cache
def shipped_embedder() -> LocalEmbedder:
    """Return the embedder of the install, one for the whole process: loading it takes a third of a second."""
    return LocalEmbedder()


class CachedExtractor:
    """The local extractor with its sentence classifier; each text is read once in a process. Fulfils `Extractor`."""

    name = LocalExtractor.name

    def __init__(self) -> None:
        self._local = LocalExtractor(shipped_embedder())
        self._results: dict[str, Extraction] = {}

    def extract(self, artifact: Artifact) -> Extraction:
        asked = repr((artifact.memory, artifact.happened_at))
        if (known := self._results.get(asked)) is None:
            known = self._results[asked] = self._local.extract(artifact)
        return known


@cache
def shipped_extractor() -> Extractor:
    """Return the extractor of the install, one for the whole process."""
    return CachedExtractor()


def assembled(
    store: Store,
    index: VectorIndex,
    *,
    embedder: Embedder | None = None,
    extractor: Extractor | None = None,
    reranker: Reranker | None = None,
) -> App:
    """Put the service over this record and this index; what else is not given is that of the install."""
    app = App.of(
        store=store,
        index=index,
        embedder=embedder or shipped_embedder(),
        tokenizer=shipped_embedder().tokenizer,
        extractor=extractor or CachedLocalExtractor(shipped_extractor(), store),
        reranker=reranker,
    )
    app.intake = replace(app.intake, reads_english_alone=extractor is None)
    return app


def open_shipped(home: Path) -> App:
    """Open an embedded home as a command does, whatever the environment says."""
    return open_app(Settings(REMEMBRANCER_HOME=home))
