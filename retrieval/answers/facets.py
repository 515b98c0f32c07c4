"""Faceted search: pages of what filters alone leave, newest first, as lines of text.

Pages of one question belong together: the first takes a snapshot, and those after it show the memory of that moment.
"""

import json
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from core.dates import now, to_local_text, to_zone_text
from core.filters import Filters
from core.interface.question import FacetCount, FacetQuestion
from core.records import Artifact, ListCursor, text_hash
from graph.store import Store

#: Questions whose snapshots are kept, the latest asked, and for how many seconds.
_KEPT, _KEPT_SECONDS = 1_000, 3_600.0
#: Ends of pages remembered of each.
_ENDS: Final = 100
#: Characters of a content, of its tags and of its metadata that are shown unless all are asked for.
_SHOWN: Final = 500
#: Values of one facet that are listed.
_MOST: Final = 50
#: What would end a field or a line for some reader; of line breaks all that `str.splitlines` knows.
_SPECIAL: Final = re.compile("[\\\\|\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_COMMA: Final = re.compile("[,]")
_WHITE: Final = re.compile(r"\s")
_SHORT: Final = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r"}


@dataclass(slots=True)
class _Snapshot:
    """The state at a question's first page: when that was, and how many items there were."""

    at: datetime
    total: int
    seen_at: float
    #: Where the latest pages ended: the last item, by the offset of what is behind it.
    ends: OrderedDict[int, ListCursor] = field(default_factory=OrderedDict)
    #: The lines of the facets, if they were asked for.
    facets: list[str] | None = None


class Snapshots:
    """The snapshots that the pages of a question share, kept for an hour. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Snapshot] = OrderedDict()

    def find(self, project_id: str, question: FacetQuestion) -> _Snapshot | None:
        """Return the snapshot of the question's first page; None if there is none, or it has expired."""
        with self._lock:
            found = self._kept.get(_key(project_id, question))
            return None if found is None or self._clock() - found.seen_at > _KEPT_SECONDS else found

    def end(self, snapshot: _Snapshot, offset: int, cursor: ListCursor) -> None:
        """Note where a page ended."""
        with self._lock:
            snapshot.ends[offset] = cursor
            while len(snapshot.ends) > _ENDS:
                snapshot.ends.popitem(last=False)

    def note(self, project_id: str, question: FacetQuestion, at: datetime, total: int) -> _Snapshot:
        """Take a snapshot for the first page of a question, in place of an earlier one."""
        with self._lock:
            key = _key(project_id, question)
            made = self._kept[key] = _Snapshot(at, total, self._clock())
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return made


def _key(project_id: str, question: FacetQuestion) -> str:
    """Return what all pages of a question have in common, as a digest: a question may be long."""
    return text_hash(repr((project_id, replace(question, page=1, page_size=1, counts=False))))


def faceted_search(store: Store, snapshots: Snapshots, project_id: str, question: FacetQuestion) -> str:
    """Return a header, a line an item, and with `counts` the lines of the facets; see docs/interface.md
    `faceted_search`.

    Raises:
        Unavailable: the record does not answer.
    """
    at = now()
    known = None if question.page == 1 else snapshots.find(project_id, question)
    asked = question.filters(at if known is None else known.at)
    # What has expired since is left out, even if it was on an earlier page.
    filters = replace(asked, at=at)
    if known is None:
        known = snapshots.note(project_id, question, at, store.count(project_id, filters))
    elif filters.stored_until is None:
        filters = replace(filters, stored_until=known.at)
    items: list[Artifact] = []
    if question.offset < known.total:
        # After the end of the page before it, if that is known, so that no item is skipped whatever was removed since.
        end = known.ends.get(question.offset)
        offset = question.offset if end is None else 0
        items = store.newest(project_id, filters, question.page_size, offset, after=end)
    if items:
        snapshots.end(known, question.offset + len(items), items[-1].cursor)
    if question.counts and known.facets is None:
        known.facets = _facets(store, project_id, filters)
    shown = known.facets if question.counts and known.facets else []
    lines = (format_item(item, full=question.full) for item in items)
    return "\n".join((_header(question, known.total), *lines, *shown))


def _header(question: FacetQuestion, total: int) -> str:
    pages = -(-total // question.page_size)
    more = "true" if question.page < pages else "false"
    return f"# page={question.page} total={total} page_size={question.page_size} has_more={more} total_pages={pages}"


def format_item(item: Artifact, *, full: bool = True) -> str:
    """Return an item's line: content, tags, metadata, when it happened, when it was changed, and id.

    Unless it is `full`, each of the first three has at most `_SHOWN` characters before `…`, and metadata only entries
    that fit, with how many others there are under `…`.
    """
    memory = item.memory
    content, tags, metadata = memory.content, list(memory.tags), memory.metadata or {}
    if not full:
        content, tags, metadata = _beginning(content), _beginnings(tags), _fitting(metadata)
    shown = ",".join(_COMMA.sub(r"\\,", _escaped(tag)) for tag in tags)
    times = (to_local_text(item.happened_at), to_zone_text(item.updated_at))
    return "|".join((_escaped(content), shown, _escaped(_json(metadata)), *times, item.id))


def _beginning(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"


def _beginnings(tags: list[str]) -> list[str]:
    """Return the first tags that fit, each of them cut as a text is."""
    left, kept = _SHOWN, list[str]()
    for tag in map(_beginning, tags):
        left -= len(tag) + 1
        if left < 0 and kept:
            return [*kept, "…"]
        kept.append(tag)
    return kept


def _fitting(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the first entries that fit, and how many others there are."""
    left, kept = _SHOWN, dict[str, Any]()
    for name, value in metadata.items():
        left -= len(_json({name: value}))
        if left < 0:
            return kept | {"…": f"{len(metadata) - len(kept)} more"}
        kept[name] = value
    return kept


def _json(metadata: dict[str, Any]) -> str:
    return json.dumps(metadata, ensure_ascii=False, separators=(",", ":"))


def _escaped(text: str) -> str:
    """Format text for a field: on one line, and without a bare `|` or backslash."""
    return _SPECIAL.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", text)


def _facets(store: Store, project_id: str, filters: Filters) -> list[str]:
    counted = store.facets(project_id, filters, _MOST)
    facets = {"tags": counted.tags, "types": counted.types, "months": counted.months}
    return [_facet(name, facet) for name, facet in facets.items()]


def _facet(name: str, facet: FacetCount) -> str:
    """Return a facet's line; a value has no white space, so that the line can be split, and its number is last."""
    values = [f"{_WHITE.sub(_code, _escaped(value))}={number}" for value, number in facet.values]
    more = [f"({facet.more} more)"] if facet.more else []
    return " ".join((f"# {name}", *values, *more))


def _code(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
