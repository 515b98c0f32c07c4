"""The ledger's protocol: links between events, what people declared of them, and the status that follows."""

from collections.abc import Sequence
from typing import Protocol

from core.filters import Filters
from core.knowledge.findings import EventLink, EventStatus
from core.knowledge.ledger import EventSearch, LedgerQuery, Origin, Resolution


class Ledger(Protocol):
    """Statuses of decisions and commitments, and why they are so.

    `Event.status` is the newest resolution, else what links from events with evidence in a current item make of it
    (`core.knowledge.ledger.LINKED_STATUS`), else the status the event was stored with. It is kept right by every
    write: of a link, a resolution, knowledge, a revision, and a removal. Links are removed with either event.
    Resolutions stay while an event is not stored, and apply again when it is; they are removed with the item that the
    event rested on.
    """

    def set_event_links(self, project_id: str, event_ids: Sequence[str], links: Sequence[EventLink]) -> bool:
        """Make `links` all links from or to these events; return whether that changed any.

        Links of events that are not stored are left out.
        """
        ...

    def event_links(self, project_id: str, event_ids: Sequence[str]) -> list[EventLink]:
        """Return the links from and to these events, by source, target and relation."""
        ...

    def similar_events(self, project_id: str, searches: Sequence[EventSearch], limit: int) -> list[list[str]]:
        """Return for each search up to `limit` events of current items, by how many and how rare words they share.

        Best first, ties by id. Words come from summary, quotes, title and key, as `graph.text.tokens` has
        them; the most common ones are left out where rarer ones find enough. The cost is bounded whatever the size of
        the project.
        """
        ...

    def origins(self, project_id: str, event_ids: Sequence[str]) -> dict[str, Origin]:
        """Return where events come from, events of revisions included."""
        ...

    def add_resolution(self, project_id: str, resolution: Resolution) -> bool:
        """Keep what a person declared; False, and nothing kept, if the event is not stored.

        One equal to the newest of the event but for its time is not kept again.
        """
        ...

    def resolutions(self, project_id: str, event_ids: Sequence[str]) -> dict[str, list[Resolution]]:
        """Return what was declared of each event, oldest first, whether it is stored at present or not."""
        ...

    def statuses(self, project_id: str, event_ids: Sequence[str], filters: Filters) -> dict[str, EventStatus]:
        """Return the status of each stored event that has one, as of `filters.as_of`.

        As of a date only links from events with evidence in an item dated until then count, and resolutions made until
        then. Without it the status is `Event.status`.
        """
        ...

    def ledger_page(self, project_id: str, query: LedgerQuery, limit: int, offset: int = 0) -> tuple[list[str], int]:
        """Return the ids of matching events with an item that passes `query.filters`, and how many match in all.

        Those that share most words of the topic first (an event about one of `about` shares all), then newest
        `event_time`, or with `by_due` the earliest due first and those without a due date last; ties by id.
        Events with evidence in revisions only are there if a link leads to them from an event of a current item.
        """
        ...
