"""How the folder gets into a memory: as `remembrancer ingest` takes it, without extraction, which finding needs not."""

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.records import Artifact
from evals.minutes.documents import Document
from evals.run import embedded
from evals.variants import OPENED, SHIPPED
from ingest.intake.artifacts import remember
from ingest.intake.files import ingest
from service.app import App
from service.display.reports import progress_bar

#: Everything is remembered in this one project.
PROJECT: Final = "minutes"


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The items' ids by the documents' names, and the names of files that were refused."""

    ids: dict[str, str]
    refused: tuple[str, ...]


def artifacts(folder: Path, part: str = "read") -> dict[str, Artifact]:
    """Return the annotated documents, or those of another part, as the service keeps them, by their files' names."""
    with (
        tempfile.TemporaryDirectory(prefix="remembrancer-evals-") as home,
        OPENED[SHIPPED](embedded(Path(home))) as app,
    ):
        for path in sorted(folder.glob(f"{part}/*")):
            for _ in ingest([path], PROJECT, context=None, records=app.store, tokenizer=app.tokenizer):
                pass
        items = app.store.newest(PROJECT, Filters(at=now()), sys.maxsize)
    return {Path(item.memory.file_path or "").name: item for item in items}


def take_in(app: App, documents: Sequence[Document], project_id: str = PROJECT) -> TakenIn:
    """Store every file and its vectors; one that is refused goes in whole, under its file's name as title."""
    refused = []
    with progress_bar("Reading", len(documents)) as advance:
        for document in documents:
            for tally in ingest([document.path], project_id, context=None, records=app.store, tokenizer=app.tokenizer):
                if tally.refused:
                    refused.append(document.name)
                    remember(_by_hand(document), project_id, app.store, app.tokenizer)
            advance(1)
    everything = Filters(at=now())
    ids = {one.name: app.store.by_key(project_id, _key(one), everything)[0].id for one in documents}
    with progress_bar("Embedding", len(ids)) as advance:
        for identity in ids.values():
            app.indexer.embed(project_id, [identity])
            advance(1)
    return TakenIn(ids, tuple(refused))


def _key(document: Document) -> str:
    return document.path.resolve().as_posix()


def _by_hand(document: Document) -> Memory:
    key = _key(document)
    return Memory(content=document.text, title=document.name, source="file", key=key, file_path=key)
