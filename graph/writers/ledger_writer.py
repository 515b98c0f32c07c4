"""Linking events, and declaring what has become of them."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from core.interface.audit import make_audit_entries
from core.knowledge.findings import EventLink
from core.knowledge.ledger import Origin, Resolution
from core.transfer import KeptResolution, Outcome
from graph.writers.project_writer import ProjectWriter


class LedgerWriter(ProjectWriter, Protocol):
    """The links and resolutions of the events of a project."""

    def set_links(self, event_ids: Sequence[str], links: Sequence[EventLink]) -> bool:
        """Do what `graph.protocols.knowledge.Ledger.set_event_links` promises."""
        there = self._stored_events(end for link in links for end in (link.source, link.target))
        wanted = {link for link in links if {link.source, link.target} <= there}
        stored = set(self.links(event_ids))
        gone, added = stored - wanted, wanted - stored
        self._unlink(gone)
        self._link(added)
        self._refresh_statuses({link.target for link in gone | added})
        return bool(gone or added)

    def resolve(self, resolution: Resolution) -> bool:
        """Do what `graph.protocols.knowledge.Ledger.add_resolution` promises."""
        event_id = resolution.event_id
        origin = self.origins([event_id]).get(event_id)
        if origin is None:
            return False
        declared = self.resolutions([event_id]).get(event_id, ())
        if not declared or (declared[-1].status, declared[-1].note) != (resolution.status, resolution.note):
            self._put_resolution(resolution, origin.artifact_id)
            self.write_entries(make_audit_entries("resolve", self.project_id, [event_id]))
        return True

    def import_link(self, link: EventLink) -> Outcome:
        """Store a link if its events are stored and have none of its relation."""
        ends = {link.source, link.target}
        known = {(one.source, one.target, one.relation) for one in self.links([link.source])}
        if self._stored_events(ends) != ends or (link.source, link.target, link.relation) in known:
            return "unchanged"
        self._link([link])
        self._refresh_statuses([link.target])
        return "stored"

    def import_resolution(self, record: KeptResolution) -> Outcome:
        """Store a resolution that is not stored, whether its event is or not."""
        event_id = record.resolution.event_id
        if record.resolution in self.resolutions([event_id]).get(event_id, ()):
            return "unchanged"
        self._put_resolution(record.resolution, record.artifact_id)
        return "stored"

    def _put_resolution(self, resolution: Resolution, artifact_id: str) -> None:
        self._insert_resolution(resolution, artifact_id)
        self._refresh_statuses([resolution.event_id])

    def links(self, event_ids: Sequence[str]) -> list[EventLink]: ...

    def origins(self, event_ids: Sequence[str]) -> dict[str, Origin]: ...

    def resolutions(self, event_ids: Sequence[str]) -> dict[str, list[Resolution]]: ...

    def drop_resolutions(self, artifact_ids: Sequence[str]) -> None:
        """Drop the resolutions of events that rested on items, except of those with other evidence."""

    def _stored_events(self, event_ids: Iterable[str]) -> set[str]:
        """Return those of the ids that are events."""

    def _link(self, links: Iterable[EventLink]) -> None: ...

    def _unlink(self, links: Iterable[EventLink]) -> None: ...

    def _insert_resolution(self, resolution: Resolution, artifact_id: str) -> None:
        """Store a resolution as the latest of its event, which rests on this item."""

    def _refresh_statuses(self, event_ids: Iterable[str]) -> None:
        """Recompute the statuses of events."""
