"""Findings: what an extractor finds in an artifact, without paying a service twice for the same text."""

import hashlib
import json
from typing import Final

from core.dates import to_text
from core.knowledge import Extraction
from core.records import Artifact
from graph.store import Store
from ingest.extract.protocol import Extractor, RemoteExtractor

#: The fields of a memory that may change what is found in it; others are judgements about it.
_TELLING: Final = (
    "content", "context", "title", "key", "author", "author_title", "participants", "role", "source_type",
    "document_status", "conversation_id", "turn_index",
)  # fmt: skip


def findings(artifact: Artifact, extractor: Extractor, store: Store, *, anew: bool = False) -> Extraction:
    """Return what the extractor finds; what a service found is kept, and taken from there the next time unless `anew`.

    Raises:
        Unavailable: the extractor or the record does not answer.
        Conflict: the extractor can't read this artifact.
    """
    if not isinstance(extractor, RemoteExtractor):
        return extractor.extract(artifact)
    place = (artifact.project_id, artifact.id, extractor.name, _text_hash(artifact))
    kept = None if anew else store.findings(*place)
    if kept is not None:
        return kept
    found = extractor.extract(artifact)
    store.keep_findings(*place, found)
    return found


def _text_hash(artifact: Artifact) -> str:
    """Return the SHA-256 of the content, the fields that tell about it, and its date."""
    told = [getattr(artifact.memory, name) for name in _TELLING]
    return hashlib.sha256(json.dumps([*told, to_text(artifact.happened_at)]).encode()).hexdigest()
