"""Learn: from an artifact's text to knowledge in the graph, each event with words that are really there."""

from core.knowledge.findings import Extraction, Knowledge
from core.records import Artifact
from graph.store import Store
from ingest.document.evidence import verify
from ingest.extract.declared import declared
from ingest.extract.local.entities.attendee_lists import speaker_of
from ingest.extract.protocol import Extractor
from ingest.extract.repeated_text import Echoed, hear, listen, without_echoes
from ingest.identity.candidate_pairs import liken
from ingest.identity.resolution import resolve
from ingest.identity.stale_items import outdated
from ingest.ledger.links import settle


def learn(project_id: str, artifact_id: str, store: Store, extractor: Extractor) -> int:
    """Extract, verify, resolve and store what an artifact teaches; return how many events lacked evidence.

    What stood for the same artifact is replaced: by what the latest run over it found, if one did, else by what the
    extractor finds. An artifact that is gone teaches nothing. Other artifacts whose names mean someone else after this
    are queued to be extracted again.

    Raises:
        Unavailable: the extractor or the record does not answer; what stood before still stands.
    """
    artifact: Artifact | None = store.get(project_id, [artifact_id]).get(artifact_id)
    if artifact is None:
        return 0
    echo = listen(artifact, store)
    while True:
        reading = store.reading(project_id, artifact_id)
        found = extractor.extract(artifact) if reading is None else reading.found
        knowledge, dropped = understand(artifact, found, store, echo)
        teach(project_id, artifact_id, knowledge, store)
        if store.reading(project_id, artifact_id) == reading:  # else a run came to it meanwhile, or was rolled back
            return dropped


def understand(
    artifact: Artifact, found: Extraction, store: Store, echo: Echoed | None = None
) -> tuple[Knowledge, int]:
    """Return what the artifact teaches by what was found in it, and how many events lacked evidence; stores nothing.

    What it repeats of others (`echo`, read from the store if not given) is not learnt again.

    Raises:
        Unavailable: the record does not answer.
    """
    own = without_echoes(artifact, found, hear(artifact, store) if echo is None else echo)
    verified = verify(artifact.memory.content, declared(artifact, own))
    return resolve(artifact, verified, store, speaker_of(artifact.memory)), verified.dropped


def teach(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> None:
    """Make this all that the artifact teaches, and see to what follows from it.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    others = outdated(project_id, artifact_id, knowledge, store)
    store.replace(project_id, artifact_id, knowledge)
    connect(project_id, artifact_id, knowledge, store)
    if others:
        store.queue(project_id, others, "extract")


def connect(project_id: str, artifact_id: str, knowledge: Knowledge, store: Store) -> None:
    """Connect what an artifact teaches with what others do: who may be the same, and what bears on what.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    liken(project_id, knowledge, store)
    settle(project_id, artifact_id, knowledge, store)
