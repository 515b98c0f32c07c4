"""Filters as Cypher conditions on an artifact `a`; every value is a parameter."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, LiteralString

from core.dates import is_day_bound, now
from core.filters import Filters
from graph.neo4j_store.cypher import record_cypher

Parameters = dict[str, Any]
#: No offset from UTC is longer.
_DAY: Final = timedelta(days=1)


def condition_of(
    project_id: str, filters: Filters, among: LiteralString = record_cypher.CURRENT
) -> tuple[LiteralString, Parameters]:
    """Return the condition that an item passes the filters, and its parameters."""
    conditions: list[LiteralString] = [among]
    parameters = current(project_id, filters.at)
    for field, condition in record_cypher.CONDITIONS.items():
        if value := getattr(filters, field):
            conditions.append(condition)
            if isinstance(value, datetime):
                parameters |= bounds_of(field, value)
            else:
                parameters[field] = list(value) if isinstance(value, tuple) else value
    if not filters.include_stashed:
        conditions.append(record_cypher.ACTIVE)
    return " AND ".join(conditions), parameters


def bounds_of(name: str, time: datetime | None) -> Parameters:
    """Return a bound as the parameters of `schema_cypher.compared`, and as an instant; all are None without one.

    `{name}_day` is the bound of a day in local time, None for an instant, and `{name}_first` and `{name}_last` enclose
    the instants that it may be.
    """
    if time is None or not is_day_bound(time):
        # Neo4j orders equal instants by their offsets: all are in UTC.
        time = None if time is None else time.astimezone(UTC)
        return {name: time, f"{name}_first": time, f"{name}_last": time, f"{name}_day": None}
    local = time.replace(tzinfo=UTC)
    first = local - min(_DAY, local - datetime.min.replace(tzinfo=UTC))
    last = local + min(_DAY, datetime.max.replace(tzinfo=UTC) - local)
    return {name: time.astimezone(UTC), f"{name}_first": first, f"{name}_last": last, f"{name}_day": local}


def among(statement: LiteralString, condition: LiteralString) -> LiteralString:
    """Return a statement of `graph.neo4j_store.cypher` with the condition put where it says CONDITION."""
    assert "CONDITION" in statement
    return statement.replace("CONDITION", condition)


def current(project_id: str, at: datetime | None = None) -> Parameters:
    """Return the parameters of `record_cypher.CURRENT`; `at` defaults to now."""
    return {"project_id": project_id, "at": at or now()}


def valid_utf8(ids: Iterable[str]) -> list[str]:
    """Return the ids that can be stored at all, each once: half of a surrogate pair can't even be sent."""
    return [id_ for id_ in dict.fromkeys(ids) if id_.isascii() or _is_unicode(id_)]


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)
