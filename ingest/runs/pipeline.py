"""Extraction of one artifact: from its text to entities and events in the graph, each event with its evidence."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

from core.dates import parse_iso, to_local_text
from core.interface.memory import Memory
from core.knowledge.findings import NOTHING, Extraction, Knowledge, Span
from core.knowledge.runs import merged_annotations
from core.records import Artifact
from graph.json_codec import extraction, extraction_text
from graph.store import Store
from ingest.document.evidence import Verified, verify_evidence
from ingest.extract.declared import add_declared_event, add_links
from ingest.extract.local.entities.attendee_lists import speaker_of
from ingest.extract.protocol import Extractor
from ingest.extract.repeated_text import (
    RepeatedText,
    Sentence,
    cited_origins,
    drop_repeated,
    find_repeated,
    index_sentences,
    is_document,
    link_origins,
    split_sentences,
)
from ingest.given import overlay_annotations
from ingest.identity.candidate_pairs import propose_pairs
from ingest.identity.resolution import disambiguate_names, resolve
from ingest.identity.stale_items import find_stale_items
from ingest.isolation import IsolatedProcess, Operations
from ingest.ledger.links import declare_again, find_resolutions_to_carry, link_events

#: Sentences in one message: reading more JSON at once would keep other threads waiting.
_SENTENCES: Final = 1_000
_TIMES: Final = ("happened_at", "created_at", "updated_at", "last_occurred")


class TextWork(Protocol):
    """What extraction does with the text of an item alone. Safe to call from several threads."""

    def sentences(self, content: str) -> list[Sentence]:
        """Return what `split_sentences` does.

        Raises:
            Conflict: the text exceeds a limit; trying again does not help.
            Unavailable: the process for it can't be started.
        """
        ...

    def cited_origins(self, artifact: Artifact, found: Extraction, repeated: RepeatedText) -> tuple[str, ...]:
        """Return what `cited_origins` does; raises as `sentences` does."""
        ...

    def verify_extraction(
        self, artifact: Artifact, found: Extraction, repeated: RepeatedText, annotations: Extraction = NOTHING
    ) -> Verified:
        """Return what is left of an extraction without repeated text and what lacks evidence, names joined.

        Caller annotations replace what was extracted from the same words.

        Raises as `sentences` does.
        """
        ...


class TextWorkHere:
    """`TextWork` in this process."""

    def sentences(self, content: str) -> list[Sentence]:
        return split_sentences(content)

    def cited_origins(self, artifact: Artifact, found: Extraction, repeated: RepeatedText) -> tuple[str, ...]:
        return cited_origins(artifact, found, repeated)

    def verify_extraction(
        self, artifact: Artifact, found: Extraction, repeated: RepeatedText, annotations: Extraction = NOTHING
    ) -> Verified:
        own = drop_repeated(artifact, NOTHING if annotations.replaces else found, repeated)
        content = artifact.memory.content
        proven = verify_evidence(content, add_links(artifact, add_declared_event(artifact, own)))
        return disambiguate_names(
            overlay_annotations(proven, annotations, content), content, speaker_of(artifact.memory)
        )


IN_PROCESS: Final = TextWorkHere()


class IsolatedTextWork:
    """`TextWork`, and the extractor that is called `name`, in a process of their own. An `Extractor`."""

    def __init__(self, name: str, process: IsolatedProcess) -> None:
        self.name = name
        self._process = process

    def extract(self, artifact: Artifact) -> Extraction:
        [found] = self._ask("extract", {"artifact": _artifact_fields(artifact)}, artifact.memory.content)
        return extraction(found.decode())

    def sentences(self, content: str) -> list[Sentence]:
        answers = self._ask("sentences", {"content": content}, content)
        return [Sentence(*fields) for answer in answers for fields in json.loads(answer)]

    def cited_origins(self, artifact: Artifact, found: Extraction, repeated: RepeatedText) -> tuple[str, ...]:
        asked = {
            "artifact": _artifact_fields(artifact),
            "found": extraction_text(found),
            "spans": _pairs(repeated.spans),
            "origins": repeated.origins,
            "shares": [_pairs(share) for share in repeated.shares],
        }
        [ids] = self._ask("cited_origins", asked, artifact.memory.content)
        return tuple(json.loads(ids))

    def verify_extraction(
        self, artifact: Artifact, found: Extraction, repeated: RepeatedText, annotations: Extraction = NOTHING
    ) -> Verified:
        asked = {
            "artifact": _artifact_fields(artifact),
            "found": extraction_text(found),
            "spans": _pairs(repeated.spans),
            "origins": repeated.origins,
            "annotations": extraction_text(annotations),
        }
        left, dropped, titles = self._ask("verify_extraction", asked, artifact.memory.content)
        kept = extraction(left.decode())
        behind = {name: frozenset(given) for name, given in json.loads(titles).items()}
        return Verified(kept.entities, kept.events, int(dropped), behind, kept.unread_language)

    def _ask(self, operation: str, asked: dict[str, Any], content: str) -> list[bytes]:
        return self._process.ask(operation, json.dumps(asked, ensure_ascii=False).encode(), len(content))


def operations_of(extractor: Extractor) -> Operations:
    """Return what the process of an `IsolatedTextWork` does."""

    def extract(body: bytes) -> Iterator[bytes]:
        yield extraction_text(extractor.extract(_artifact(json.loads(body)["artifact"]))).encode()

    def sentences(body: bytes) -> Iterator[bytes]:
        found = split_sentences(json.loads(body)["content"])
        for start in range(0, len(found), _SENTENCES):
            yield json.dumps(found[start : start + _SENTENCES]).encode()

    def cite_origins(body: bytes) -> Iterator[bytes]:
        asked = json.loads(body)
        shares = tuple(map(_spans, asked["shares"]))
        repeated = RepeatedText(_spans(asked["spans"]), tuple(asked["origins"]), shares)
        yield json.dumps(
            IN_PROCESS.cited_origins(_artifact(asked["artifact"]), extraction(asked["found"]), repeated)
        ).encode()

    def verify(body: bytes) -> Iterator[bytes]:
        asked = json.loads(body)
        repeated = RepeatedText(_spans(asked["spans"]), tuple(asked["origins"]))
        annotations = extraction(asked["annotations"])
        left = IN_PROCESS.verify_extraction(
            _artifact(asked["artifact"]), extraction(asked["found"]), repeated, annotations
        )
        kept = Extraction(left.entities, left.events, unread_language=left.unread_language)
        yield extraction_text(kept).encode()
        yield str(left.dropped).encode()
        yield json.dumps({name: sorted(given) for name, given in left.titles.items()}).encode()

    return {"extract": extract, "sentences": sentences, "cited_origins": cite_origins, "verify_extraction": verify}


def _pairs(spans: Sequence[Span]) -> list[tuple[int, int]]:
    return [(span.start_char, span.end_char) for span in spans]


def _spans(pairs: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    return tuple(Span(*pair) for pair in pairs)


def _artifact_fields(artifact: Artifact) -> dict[str, Any]:
    return {
        "id": artifact.id,
        "project_id": artifact.project_id,
        "content": artifact.memory.content,
        "given": artifact.memory.given(),
        "fingerprint": artifact.fingerprint,
        "token_count": artifact.token_count,
        "num_chunks": artifact.num_chunks,
        "frequency": artifact.frequency,
        "stashed": artifact.stashed,
        "replaced_by": artifact.replaced_by,
        "echoes": artifact.echoes,
        **{name: to_local_text(getattr(artifact, name)) for name in _TIMES},
    }


def _artifact(fields: dict[str, Any]) -> Artifact:
    memory = Memory.from_fields_unchecked(fields.pop("content"), fields.pop("given"))
    times = {name: parse_iso(fields[name], field=name) for name in _TIMES}
    return Artifact(**fields | times | {"memory": memory, "echoes": tuple(fields["echoes"])})


def extract_artifact(
    project_id: str, artifact_id: str, store: Store, extractor: Extractor, texts: TextWork = IN_PROCESS
) -> int:
    """Extract an artifact's knowledge and store it; return how many events were dropped for lack of evidence.

    It replaces what is stored for the artifact. The extraction comes from the latest run over the artifact if there is
    one, else the extractor's. An artifact that is gone is no error. Other artifacts whose names resolve differently
    after this are queued for extraction.

    Raises:
        Unavailable: the extractor or the record does not answer; what is stored stays as it is.
        Conflict: the extractor refuses the artifact, or its text exceeds a limit; what is stored stays as it is.
    """
    artifact: Artifact | None = store.get(project_id, [artifact_id]).get(artifact_id)
    if artifact is None:
        return 0
    repeated = index_sentences(artifact, texts.sentences(artifact.memory.content), store)
    while True:
        reading, annotations = (
            store.latest_extraction(project_id, artifact_id),
            store.annotations(project_id, [artifact_id]),
        )
        extraction = extractor.extract(artifact) if reading is None else reading.found
        link_origins(artifact, repeated, _cited_origins(artifact, extraction, repeated, texts), store)
        knowledge, dropped = resolve_extraction(artifact, extraction, store, texts, repeated)
        store_knowledge(project_id, artifact_id, knowledge, store)
        if (store.latest_extraction(project_id, artifact_id), store.annotations(project_id, [artifact_id])) == (
            reading,
            annotations,
        ):
            return dropped  # else a run read it meanwhile, was rolled back, or was annotated


def _cited_origins(
    artifact: Artifact, extraction: Extraction, repeated: RepeatedText, texts: TextWork
) -> tuple[str, ...]:
    """Return the origins that an event rests on; without asking where that makes no difference."""
    if not repeated.origins or not is_document(artifact.memory):
        return repeated.origins
    return texts.cited_origins(artifact, extraction, repeated)


def resolve_extraction(
    artifact: Artifact,
    extraction: Extraction,
    store: Store,
    texts: TextWork = IN_PROCESS,
    repeated: RepeatedText | None = None,
) -> tuple[Knowledge, int]:
    """Verify evidence and resolve names; return the knowledge and how many events lacked evidence. Stores nothing.

    Events that rest on `repeated` text alone are left out; it is read from the store if not given. Caller annotations
    of the item is put in the place of what was extracted from the same words.

    Raises:
        Unavailable: the record does not answer.
        Conflict: the text exceeds a limit.
    """
    if repeated is None:
        repeated = find_repeated(artifact, texts.sentences(artifact.memory.content), store)
    annotations = merged_annotations(
        reading.found for reading in store.annotations(artifact.project_id, [artifact.id]).get(artifact.id, ())
    )
    verified = texts.verify_extraction(artifact, extraction, repeated, annotations)
    return resolve(artifact, verified, store), verified.dropped


def store_knowledge(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> None:
    """Replace the artifact's knowledge, link it with the knowledge of others, and queue the artifacts whose names it
    changes.

    What was declared of a decision or promise holds for the one in its place.

    Raises:
        Unavailable: the record does not answer; calling it again finishes it.
    """
    others = find_stale_items(project_id, artifact_id, knowledge, store)
    declared = find_resolutions_to_carry(project_id, artifact_id, knowledge, store)
    store.replace(project_id, artifact_id, knowledge)
    declare_again(project_id, declared, store)
    link_knowledge(project_id, artifact_id, knowledge, store)
    if others:
        store.queue(project_id, others, "extract")


def link_knowledge(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> None:
    """Link stored knowledge with the knowledge of other artifacts: POSSIBLY_SAME between entities, the ledger between
    events.

    Raises:
        Unavailable: the record does not answer; calling it again finishes it.
    """
    propose_pairs(project_id, knowledge, store)
    link_events(project_id, artifact_id, knowledge, store)
