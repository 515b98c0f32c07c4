"""Calendar files (iCalendar, RFC 5545): an item for each event, task and journal entry."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Final

from icalendar import Calendar, Component

from core.errors import InvalidInput, TooLarge
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, line_of, memory_from
from ingest.readers.formats.item import Item, Part, Refused
from ingest.readers.formats.source import Source

_CONTEXTS: Final = {"VEVENT": "meeting", "VTODO": "task", "VJOURNAL": "note"}
_ZONE: Final = "VTIMEZONE"
#: Tasks of these states ask nothing of anybody any more.
_ENDED: Final = frozenset({"COMPLETED", "CANCELLED"})


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the entries in the order of the file; one that is damaged is refused by its number.

    An event is a meeting on its first day, a series the event that began it; an open task is a task. Names are kept as
    the file has them. People who were invited are participants unless they declined; rooms are places.

    Raises:
        InvalidInput: it is no calendar.
        TooLarge: the file is over its limit.
    """
    text = decoded(source, source.content(DOCUMENT_BYTES)).text
    if not text.lstrip()[:15].upper().startswith("BEGIN:VCALENDAR"):
        raise InvalidInput(f"{source.where!r} does not begin as a calendar: export it again.")
    blocks = list(_blocks(text))
    zones = "\n".join(block for kind, block in blocks if kind == _ZONE)
    entries = [(kind, block) for kind, block in blocks if kind != _ZONE]
    for number, (kind, block) in enumerate(entries, 1):
        where = f"{source.where}#{number}"
        try:
            entry = _parsed(kind, f"BEGIN:VCALENDAR\n{zones}\n{block}\nEND:VCALENDAR\n")
            yield Item(memory_from(_fields(kind, entry, source, where, context), where=repr(where)), spoken=True)
        except (InvalidInput, TooLarge) as error:
            yield Refused(str(error))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
            yield Refused(
                f"{where!r} is no sound entry of a calendar ({str(error)[:100]}): correct it and export it again."
            )


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the lines of each entry and time zone."""
    kind, begin = None, 0
    lines = text.splitlines()
    for number, line in enumerate(lines):
        name, _, value = line.strip().upper().partition(":")
        if kind is None and name == "BEGIN" and value in {*_CONTEXTS, _ZONE}:
            kind, begin = value, number
        elif kind is not None and name == "END" and value == kind:
            yield kind, "\n".join(lines[begin : number + 1])
            kind = None
    if kind is not None:
        yield kind, "\n".join(lines[begin:])


def _parsed(kind: str, text: str) -> Component:
    calendar = Calendar.from_ical(text)
    return next(entry for entry in calendar.walk(kind))


def _fields(kind: str, entry: Component, source: Source, where: str, context: str | None) -> dict[str, object]:
    start, end, due = (_moment(entry, name) for name in ("DTSTART", "DTEND", "DUE"))
    organizer, attendees = _all(entry, "ORGANIZER"), [one for one in _all(entry, "ATTENDEE") if not _is_room(one)]
    declined = _names(one for one in attendees if _has_declined(one))
    people = [name for name in _names([*organizer, *attendees]) if name not in declined]
    rooms = _names(one for one in _all(entry, "ATTENDEE") if _is_room(one))
    end = end or _end(entry)
    title, uid = _said(entry, "SUMMARY"), _said(entry, "UID")
    lines = {
        "When": f"{start} to {end}" if start and end else start,
        "Due": due,
        "Repeats": _rule(entry),
        "Except on": ", ".join(_days(entry, "EXDATE")) or None,
        "Where": _said(entry, "LOCATION") or ", ".join(rooms) or None,
        "Status": _said(entry, "STATUS"),
        "Organizer": next(map(_person, _all(entry, "ORGANIZER")), None),
        "With": ", ".join(people) or None,
        "Declined": ", ".join(declined) or None,
    }
    about = "\n".join(f"{name}: {value}" for name, value in lines.items() if value)
    text = storable(str(entry.get("DESCRIPTION", ""))).strip()
    own = f"{uid} {again}" if (again := _moment(entry, "RECURRENCE-ID")) else uid
    is_open = (_said(entry, "STATUS") or "").upper() not in _ENDED
    return {
        "content": "\n\n".join(filter(None, (title, about, text))) or "An entry without words",
        "title": title or source.path.stem,
        "context": context or (_CONTEXTS[kind] if kind != "VTODO" or is_open else "note"),
        "date": start or _moment(entry, "CREATED") or _moment(entry, "DTSTAMP"),
        "participants": people[:200] or None,
        "source": "file",
        "file_path": source.where,
        "source_id": uid,
        "source_url": _said(entry, "URL"),
        "key": f"{source.where}#{own}" if own else where,
        "tags": _tags(entry),
    }


def _said(entry: Component, name: str) -> str | None:
    value = entry.get(name)
    return line_of(storable(str(value[0] if isinstance(value, list) else value))) if value is not None else None


def _all(entry: Component, name: str) -> list[object]:
    value = entry.get(name)
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def _names(people: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_person, people))))


def _is_room(value: object) -> bool:
    """Whether an attendee is a room or a thing."""
    return str(getattr(value, "params", {}).get("CUTYPE", "")).upper() in {"ROOM", "RESOURCE"}


def _has_declined(value: object) -> bool:
    return str(getattr(value, "params", {}).get("PARTSTAT", "")).upper() == "DECLINED"


def _end(entry: Component) -> str | None:
    """Return the end of an entry that gives its length instead."""
    start, length = (getattr(entry.get(name), "dt", None) for name in ("DTSTART", "DURATION"))
    if not isinstance(start, datetime) or not isinstance(length, timedelta):
        return None
    return (start + length).isoformat()


def _days(entry: Component, name: str) -> list[str]:
    moments = (getattr(one, "dt", None) for group in _all(entry, name) for one in getattr(group, "dts", []))
    return [moment.isoformat()[:10] for moment in moments if isinstance(moment, date | datetime)]


def _person(value: object) -> str | None:
    """Return the name of somebody, or the address of who has none."""
    parameters = getattr(value, "params", {})
    name = line_of(storable(str(parameters.get("CN", ""))))
    return name or line_of(re.sub(r"(?i)^mailto:", "", storable(str(value))))


def _moment(entry: Component, name: str) -> str | None:
    value = entry.get(name)
    moment = getattr(value[0] if isinstance(value, list) else value, "dt", None)
    return moment.isoformat() if isinstance(moment, date | datetime) else None


def _rule(entry: Component) -> str | None:
    rule = entry.get("RRULE")
    rule = rule[0] if isinstance(rule, list) else rule
    return None if rule is None else line_of(rule.to_ical().decode("utf-8", "replace"))


def _tags(entry: Component) -> list[str] | None:
    found = [line_of(storable(str(tag))) for group in _all(entry, "CATEGORIES") for tag in getattr(group, "cats", [])]
    return list(dict.fromkeys(filter(None, found)))[:200] or None
