"""Filters as SQL conditions on a row of `artifacts` named `a`; every value is a parameter."""

from collections.abc import Sequence
from datetime import datetime
from json import dumps
from typing import Any, Final

from core.dates import now
from core.filters import Filters
from graph.sqlite_store.database.bounds import THEN, since, until
from graph.timestamps import bounds_of, to_microseconds

#: No revisions among these, that are not expired at `:at`.
LISTED: Final = "a.project_id = :project_id AND (a.expires_at IS NULL OR a.expires_at > :at)"
#: Current items: no revision, not expired at `:at`.
CURRENT: Final = f"a.replaced_by IS NULL AND {LISTED}"
#: Newest first, as lists are read.
NEWEST: Final = "a.happened_at DESC, a.created_at DESC, a.id"
#: Each condition, by the field of `Filters` that asks for it.
_CONDITIONS: Final = {
    "context": "a.context = :context",
    "date_from": since("a.happened_at", "a.utc_offset", "date_from"),
    "date_to": until("a.happened_at", "a.utc_offset", "date_to"),
    "conversation_id": "a.conversation_id = :conversation_id",
    "source": "a.source = :source",
    "file_path": "a.file_path = :file_path",
    "task_id": "a.task_id = :task_id",
    "sensitivity": "a.sensitivity = :sensitivity",
    "as_of": THEN.format("a"),
    "stored_until": "a.created_at <= :stored_until",
    "stashes": "(a.context = 'stash' OR a.stashed = 1)",
}
_IMPORTANT: Final = "a.importance >= :min_importance"
_ACTIVE: Final = "a.stashed = 0"
_TAGGED: Final = "IN (SELECT item FROM tag_forms WHERE project_id = :project_id AND form"

_NUL: Final = "\0"

Parameters = dict[str, Any]


def filter_condition(
    project_id: str, filters: Filters, *, of_named: bool = False, among: str = CURRENT
) -> tuple[str, Parameters]:
    """Return the condition that an item passes the filters, and its parameters.

    For items that are named one by one tags are only checked: SQLite would go through all items with a tag for each.
    """
    item = "+a.item" if of_named else "a.item"
    conditions, parameters = [among], current(project_id, filters.at)
    for field, condition in _CONDITIONS.items():
        # As on every engine, what is empty asks nothing.
        if value := getattr(filters, field):
            conditions.append(condition)
            parameters |= bounds_of(field, value) if isinstance(value, datetime) else {field: value}
    if filters.min_importance > 0:
        conditions.append(_IMPORTANT)
        parameters["min_importance"] = filters.min_importance
    if not filters.include_stashed:
        conditions.append(_ACTIVE)
    for number, tag in enumerate(filters.tags):
        conditions.append(f"{item} {_TAGGED} = :tag{number})")
        parameters[f"tag{number}"] = tag
    if filters.any_tags:
        named = {f"any_tag{number}": tag for number, tag in enumerate(filters.any_tags)}
        conditions.append(f"{item} {_TAGGED} IN ({', '.join(f':{name}' for name in named)}))")
        parameters |= named
    return " AND ".join(conditions), parameters


def current(project_id: str, at: datetime | None = None) -> Parameters:
    """Return the parameters of `CURRENT`; `at` defaults to now."""
    return {"project_id": project_id, "at": to_microseconds(at or now())}


def id_list(ids: Sequence[str]) -> str:
    """Return ids as a JSON array for `json_each`, which would cut one at a NUL: no stored id has any."""
    return dumps([id_ for id_ in ids if _NUL not in id_])


def place_list(places: Sequence[tuple[str, int]]) -> str:
    """Return (id, index) pairs as the names and values of one JSON object; `json_each` finds those of one name all.

    Pairs within a JSON array would be parsed one by one, at twice the cost of all else.
    """
    return f"{{{','.join(f'{dumps(id_)}:{index}' for id_, index in places if _NUL not in id_)}}}"
