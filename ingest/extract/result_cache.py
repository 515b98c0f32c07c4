"""Findings: what is found in an artifact, without paying a service twice for the same text."""

import hashlib
import json
from typing import Final

from core.dates import to_text
from core.knowledge.findings import Extraction
from core.knowledge.runs import Findings
from core.records import Artifact
from graph.store import Store
from ingest.extract.protocol import Extractor, RemoteExtractor, Usage

#: The fields of a memory that may change what is found in it; others are judgements about it.
_TELLING: Final = (
    "content", "context", "title", "key", "author", "author_title", "participants", "role", "source_type",
    "document_status", "conversation_id", "turn_index",
)  # fmt: skip


class SparingExtractor:
    """The local extractor as background work asks it: not for a text that a service has read. Fulfils `Extractor`."""

    def __init__(self, local: Extractor, store: Store) -> None:
        self.name = local.name
        self._local = local
        self._store = store

    def extract(self, artifact: Artifact) -> Extraction:
        kept = _taught(artifact, self._store)
        return kept[-1].found if kept else self._local.extract(artifact)


class KeepingExtractor:
    """A service as background work asks it: once for each text, and not for what was learnt without it.

    An item that already teaches what the local extractor found stays with that one, however often it is read again: a
    pass of a service over it is a run. Fulfils `RemoteExtractor`.
    """

    def __init__(self, remote: RemoteExtractor, local: Extractor, store: Store) -> None:
        """Take the service, which is closed with this."""
        self.name = remote.name
        self._remote = remote
        self._local = local
        self._store = store

    @property
    def still_seconds(self) -> float:
        return self._remote.still_seconds

    def extract(self, artifact: Artifact) -> Extraction:
        kept = _taught(artifact, self._store)
        of_text = [one for one in kept if one.text_hash == _text_hash(artifact)]
        if of_text:  # by the model that is set now, else by the one that was set last
            return next((one for one in of_text if one.extractor == self.name), of_text[-1]).found
        if not kept and self._is_learnt(artifact):
            return self._local.extract(artifact)
        return found_in(artifact, self._remote, self._store, proposed=False)

    def _is_learnt(self, artifact: Artifact) -> bool:
        lesson = self._store.lessons(artifact.project_id, [artifact.id]).get(artifact.id)
        return lesson is not None and bool(lesson.entities or lesson.events)

    def check(self) -> str:
        return self._remote.check()

    def usage(self) -> Usage:
        return self._remote.usage()

    def close(self) -> None:
        self._remote.close()


def found_in(
    artifact: Artifact, extractor: Extractor, store: Store, *, proposed: bool = True, anew: bool = False
) -> Extraction:
    """Return what the extractor finds; what a service found is kept, and taken from there the next time unless `anew`.

    `proposed` is that of `core.knowledge.runs.Findings`: what was proposed may be taught without asking again.

    Raises:
        Unavailable: the extractor or the record does not answer.
        Conflict: the extractor can't read this artifact.
    """
    if not isinstance(extractor, RemoteExtractor):
        return extractor.extract(artifact)
    text = _text_hash(artifact)
    kept = [] if anew else store.findings(artifact.project_id, artifact.id)
    known = next((one.found for one in kept if (one.extractor, one.text_hash) == (extractor.name, text)), None)
    found = extractor.extract(artifact) if known is None else known
    if known is None or not proposed:
        findings = Findings(extractor=extractor.name, text_hash=text, found=found, proposed=proposed)
        store.keep_findings(artifact.project_id, artifact.id, findings)
    return found


def _taught(artifact: Artifact, store: Store) -> list[Findings]:
    """Return what services found in the item for background work, latest last."""
    return [one for one in store.findings(artifact.project_id, artifact.id) if not one.proposed]


def _text_hash(artifact: Artifact) -> str:
    """Return the SHA-256 of the content, the fields that tell about it, and its date."""
    told = [getattr(artifact.memory, name) for name in _TELLING]
    return hashlib.sha256(json.dumps([*told, to_text(artifact.happened_at)]).encode()).hexdigest()
