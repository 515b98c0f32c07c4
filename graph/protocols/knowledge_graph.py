"""The protocol of the knowledge graph: entities, events and evidence."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from core.filters import Filters
from core.knowledge.findings import Category, Entity, Event, Knowledge, Link
from core.records import Scored


class KnowledgeGraph(Protocol):
    """Entities, events and evidence, and the bounded ways between them.

    An entity's `name` is the longest `name` that any stored artifact gives it (ties: the alphabetically first), its
    aliases are the other names and the aliases given, sorted; its role and organisation are those given by the newest
    (`happened_at`) artifact that gives one. Actors and subjects are shown under their entity's name, whatever an event
    was stored with.

    With `as_of` only what items dated until then say is known: entities under the names and with the counts that they
    had, events with the evidence of then, and with the status that the ledger gives them as of then. What a person or a
    later text made known of who is who holds for the past too.
    """

    def replace(self, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
        """Make `knowledge` all the knowledge of this artifact, dropping what an earlier run stored for it.

        Event statuses set since (done, superseded, …) are kept for events whose id stays; a new event without a
        status gets that of `core.knowledge.findings.FIRST_STATUS`. If the summaries of its events change, what repeats
        the artifact gets a pending `extract` job. False, and nothing written, if the artifact is not stored.

        Raises:
            InvalidInput: it names an entity that is not among its entities, or evidence in an artifact not stored.
        """
        ...

    def events(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Event]:
        """Return events with actors, subjects and evidence."""
        ...

    def events_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int = 50, *, as_of: datetime | None = None
    ) -> dict[str, list[Event]]:
        """Return the events with evidence in each artifact: by confidence, then in the text's order, then by id."""
        ...

    def list_events(
        self, project_id: str, categories: Sequence[Category], filters: Filters, limit: int, offset: int = 0
    ) -> list[Event]:
        """Return events of these categories with an artifact that passes, newest `event_time` first, then by id."""
        ...

    def entities(self, project_id: str, ids: Sequence[str], *, as_of: datetime | None = None) -> dict[str, Entity]:
        """Return entities with aliases and mention counts."""
        ...

    def entities_of(
        self, project_id: str, artifact_ids: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Entity]:
        """Return the entities that these artifacts mention, most mentioned in them first, ties by name."""
        ...

    def mentioned_entities(self, project_id: str, artifact_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the ids of all entities that each artifact mentions, sorted; one that mentions none is left out."""
        ...

    def node_ids(self, project_id: str, kind: Literal["entity", "event"], limit: int, after: str = "") -> list[str]:
        """Return the ids of entities, or of events, that a current item names or bears witness to, in their order.

        Those behind the id `after` only.
        """
        ...

    def graph_version(self, project_id: str) -> str:
        """Return a value that differs after any change of the project's graph; it costs reading one row.

        Other writes may change it as well.
        """
        ...

    def entities_by_name(self, project_id: str, names: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that have these names or aliases, compared as `core.knowledge.findings.normalise_name`
        does.

        Keys are the normalised names that were found; entities by mention count, highest first.
        """
        ...

    def entities_by_prefix(self, project_id: str, text: str, limit: int) -> list[Entity]:
        """Return entities with a name or alias of which a word begins with the text, as `normalised` does compare.

        The most mentioned first, ties by name; with an empty text any.
        """
        ...

    def mentions(self, project_id: str, entity_ids: Sequence[str], filters: Filters, limit: int) -> list[Scored]:
        """Return chunks in which the name of any of the entities begins, by how many different ones.

        Ties: newest item first, then in the text's order.
        """
        ...

    def links(
        self, project_id: str, ids: Sequence[str], kinds: Sequence[str], limit: int, *, as_of: datetime | None = None
    ) -> list[Link]:
        """Return up to `limit` steps from each of the nodes to neighbours of each of these kinds, heaviest first.

        From an event the neighbours are entities, from an entity events; `kinds` are entity types or event categories.
        Events with evidence in revisions only have no neighbours and are no neighbours.
        An entity's newer events (`event_time`, else their artifact's `happened_at`) are heavier, the surer of equally
        new ones; an event's entities weigh the same.
        The cost is bounded by nodes × kinds × limit, however many neighbours a node has; as of a time events with
        evidence in later items only are read past.
        """
        ...
