"""The protocols of extractors, and the cache of their results: no service is paid twice for the same text."""

import hashlib
import json
import threading
from collections import OrderedDict
from typing import Final, Protocol, runtime_checkable

from core.dates import to_local_text
from core.knowledge.findings import Extraction
from core.knowledge.runs import Findings
from core.openai_usage import Usage
from core.records import Artifact
from core.timing import CACHES
from graph.store import Store


class Extractor(Protocol):
    """Finds entities and events in an artifact. Safe to call from several threads."""

    #: Names the extractor in `status`, for example `local`.
    name: str

    def extract(self, artifact: Artifact) -> Extraction:
        """Return the entities and events of the artifact's content and fields; none is an empty `Extraction`.

        Quotes and mentions are claims: `ingest.document.evidence.verify_evidence` checks them against the content.

        Raises:
            Unavailable: the service behind the extractor does not answer; the same call may work later.
            Conflict: the extractor refuses this artifact; trying again does not help.
        """
        ...


@runtime_checkable
class RemoteExtractor(Extractor, Protocol):
    """An extractor behind a service, which may be unavailable, slow and paid for."""

    @property
    def seconds_since_response(self) -> float:
        """Seconds since the service last answered; large while nothing is asked."""
        ...

    def check(self) -> str:
        """Return one line for `status`: the model and its usage. This costs nothing.

        Raises:
            Unavailable: extraction waits, for the service, its key or its budget; or the record does not answer.
        """
        ...

    def usage(self) -> Usage:
        """Return the usage of all processes on this record so far.

        Raises:
            Unavailable: the record does not answer.
        """
        ...

    def close(self) -> None:
        """Release connections; calling it twice is no error."""
        ...


@runtime_checkable
class ConcurrentExtractor(RemoteExtractor, Protocol):
    """A service that background work asks about several items at a time."""

    @property
    def concurrency(self) -> int:
        """The number of items to ask about at a time."""
        ...


#: The fields of a memory that an extractor reads.
_READ_FIELDS: Final = (
    "content", "context", "title", "key", "author", "author_title", "participants", "role", "source_type",
    "document_status", "conversation_id", "turn_index",
)  # fmt: skip


#: Characters of the texts whose extractions are kept in memory.
_KEPT_CHARACTERS: Final = 4_000_000


class CachedLocalExtractor:
    """The local extractor for background work: a cached extraction of a service comes first. An `Extractor`.

    An item is extracted again whenever another one changes what its names mean: the newest extractions are kept in
    memory, so that its text is not read again for that. Safe to call from several threads.
    """

    def __init__(self, local: Extractor, store: Store) -> None:
        self.name = local.name
        self._local = local
        self._store = store
        self._kept: OrderedDict[bytes, tuple[int, Extraction]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()
        CACHES.add(self)

    def extract(self, artifact: Artifact) -> Extraction:
        if cached := _cached(artifact, self._store):
            return cached[-1].found
        key = _digest(artifact)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
        found = self._local.extract(artifact)
        self._keep(key, len(artifact.memory.content), found)
        return found

    def empty(self) -> None:
        with self._lock:
            self._kept.clear()
            self._characters = 0

    def _keep(self, key: bytes, size: int, found: Extraction) -> None:
        with self._lock:
            self._characters += size - self._kept.pop(key, (0, found))[0]
            self._kept[key] = size, found
            while self._characters > _KEPT_CHARACTERS:
                self._characters -= self._kept.popitem(last=False)[1][0]


class CachedRemoteExtractor:
    """A service for background work: asked once for each text, and not for items extracted locally before.

    Those stay with the local extractor until a run reads them with the service. A
    `ConcurrentExtractor`, which is asked about one item at a time if the wrapped one is none.
    """

    def __init__(self, remote: RemoteExtractor, local: Extractor, store: Store) -> None:
        """Wrap `remote`, which is closed with this."""
        self.name = remote.name
        self._remote = remote
        self._local = local
        self._store = store

    @property
    def seconds_since_response(self) -> float:
        return self._remote.seconds_since_response

    @property
    def concurrency(self) -> int:
        return self._remote.concurrency if isinstance(self._remote, ConcurrentExtractor) else 1

    def extract(self, artifact: Artifact) -> Extraction:
        cached = _cached(artifact, self._store)
        of_text = [one for one in cached if one.text_hash == _text_hash(artifact)]
        if of_text:  # by the model of the settings, else by the latest one
            return next((one for one in of_text if one.extractor == self.name), of_text[-1]).found
        if not cached and self._has_knowledge(artifact):
            return self._local.extract(artifact)
        return extract_cached(artifact, self._remote, self._store, proposed=False)

    def _has_knowledge(self, artifact: Artifact) -> bool:
        knowledge = self._store.artifact_knowledge(artifact.project_id, [artifact.id]).get(artifact.id)
        return knowledge is not None and bool(knowledge.entities or knowledge.events)

    def check(self) -> str:
        return self._remote.check()

    def usage(self) -> Usage:
        return self._remote.usage()

    def close(self) -> None:
        self._remote.close()


def extract_cached(
    artifact: Artifact, extractor: Extractor, store: Store, *, proposed: bool = True, anew: bool = False
) -> Extraction:
    """Return an artifact's extraction; the extraction of a service is cached, and read from the cache unless `anew`.

    `proposed` as in `core.knowledge.runs.Findings`: a proposed extraction may be stored later without a request.

    Raises:
        Unavailable: the extractor or the record does not answer.
        Conflict: the extractor refuses this artifact.
    """
    if not isinstance(extractor, RemoteExtractor):
        return extractor.extract(artifact)
    text = _text_hash(artifact)
    kept = [] if anew else store.cached_findings(artifact.project_id, artifact.id)
    known = next((one.found for one in kept if (one.extractor, one.text_hash) == (extractor.name, text)), None)
    found = extractor.extract(artifact) if known is None else known
    if known is None or not proposed:
        findings = Findings(extractor=extractor.name, text_hash=text, found=found, proposed=proposed)
        store.cache_findings(artifact.project_id, artifact.id, findings)
    return found


def _cached(artifact: Artifact, store: Store) -> list[Findings]:
    """Return the extractions of services for background work, latest last."""
    return [one for one in store.cached_findings(artifact.project_id, artifact.id) if not one.proposed]


def _digest(artifact: Artifact) -> bytes:
    """Return the SHA-256 of all that an extractor may read of an item."""
    times = [to_local_text(time) for time in (artifact.happened_at, artifact.created_at)]
    read = [artifact.project_id, artifact.id, artifact.memory.content, artifact.memory.given(), times]
    return hashlib.sha256(json.dumps(read, sort_keys=True).encode()).digest()


def _text_hash(artifact: Artifact) -> str:
    """Return the SHA-256 of the content, the other fields that are read, and the date."""
    read = [getattr(artifact.memory, name) for name in _READ_FIELDS]
    return hashlib.sha256(json.dumps([*read, to_local_text(artifact.happened_at)]).encode()).hexdigest()
