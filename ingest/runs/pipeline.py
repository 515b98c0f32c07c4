"""Extraction of one artifact: from its text to entities and events in the graph, each event with its evidence."""

from core.knowledge.annotations import merged_annotations
from core.knowledge.findings import Extraction, Knowledge
from core.records import Artifact
from graph.store import Store
from ingest.extract.protocol import Extractor
from ingest.extract.repeated_text import RepeatedText, find_repeated, index_sentences, is_document, link_origins
from ingest.identity.candidate_pairs import propose_pairs
from ingest.identity.resolution import resolve
from ingest.identity.stale_items import find_stale_items
from ingest.ledger.links import declare_again, find_resolutions_to_carry, link_events
from ingest.runs.text_work import IN_PROCESS, TextWork


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
