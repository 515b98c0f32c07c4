"""What the suites see of an engine's own storage, so that no method is its own witness."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from core.knowledge.findings import Entity, Event
from core.records import Artifact, Chunk


class RawJob(NamedTuple):
    """A job as stored."""

    project_id: str
    artifact_id: str
    kind: str
    state: str


class Raw(Protocol):
    """Looks into the engine's storage and plants data there, without the store's methods."""

    def plant(self, artifact: Artifact, chunks: Sequence[Chunk]) -> None:
        """Store an artifact (a revision if `replaced_by` is set) with its chunks, no jobs."""
        ...

    def plant_entity(self, artifact: Artifact, entity: Entity) -> None:
        """Store an entity that a planted artifact names, with that many mentions as its `mention_count`, at 0, 1, …"""
        ...

    def plant_event(self, artifact: Artifact, event: Event) -> None:
        """Store an event of planted artifacts and entities, with its steps."""
        ...

    def artifact_ids(self, project_id: str) -> list[str]:
        """Return the ids of all artifacts stored, revisions included, sorted."""
        ...

    def chunk_texts(self, project_id: str) -> list[str]:
        """Return the texts of all chunks stored, sorted."""
        ...

    def indexed(self, word: str) -> int:
        """Return how many chunks of all projects the full-text index by stem has under a word."""
        ...

    def substring_entries(self) -> int:
        """Return how many items of all projects the substring index holds."""
        ...

    def jobs(self) -> list[RawJob]:
        """Return all jobs of all projects, sorted."""
        ...

    def embedded(self, model: str) -> list[str]:
        """Return the first 24 characters of the hashes with a cached embedding, sorted."""
        ...

    def knowledge_ids(self, project_id: str) -> list[str]:
        """Return the ids of all entities and events stored, sorted."""
        ...

    def steps(self) -> int:
        """Return how many steps between entities and events are stored in all projects, in both directions."""
        ...

    def ruin_words(self) -> None:
        """Empty the full-text indexes, as if they had never been made."""
        ...

    def lose_words(self, project_id: str, chunk_ids: Sequence[str]) -> None:
        """Take chunks out of the full-text index by stem."""
        ...

    def lose_spelling(self, project_id: str, word: str) -> None:
        """Have a term keep nothing by which its word is found when it is mistyped."""
        ...

    def lose_nodes(self, project_id: str, ids: Sequence[str]) -> None:
        """Delete entities and events with all that hangs on them, and no trace of them elsewhere."""
        ...

    def lose_evidence(self, project_id: str, ids: Sequence[str]) -> None:
        """Delete what items say of these entities and events."""
        ...

    def check(self) -> None:
        """Assert that the storage is sound by the engine's own means."""
        ...
