"""Learn: from an artifact's text to knowledge in the graph, each event with words that are really there."""

from core.records import Artifact
from graph.store import Store
from ingest.extract.declared import declared
from ingest.extract.evidence import verify
from ingest.extract.protocol import Extractor
from ingest.reconsider import outdated
from ingest.resolve import resolve


def learn(project_id: str, artifact_id: str, store: Store, extractor: Extractor) -> int:
    """Extract, verify, resolve and store what an artifact teaches; return how many events lacked evidence.

    What an earlier run found in the same artifact is replaced. An artifact that is gone teaches nothing. Other
    artifacts whose names mean someone else after this are queued to be extracted again.

    Raises:
        Unavailable: the extractor or the record does not answer; what stood before still stands.
    """
    artifact: Artifact | None = store.get(project_id, [artifact_id]).get(artifact_id)
    if artifact is None:
        return 0
    verified = verify(artifact.memory.content, declared(artifact, extractor.extract(artifact)))
    knowledge = resolve(artifact, verified, store)
    others = outdated(project_id, artifact_id, knowledge, store)
    store.replace(project_id, artifact_id, knowledge)
    if others:
        store.queue(project_id, others, "extract")
    return verified.dropped
