"""Calendar files (iCalendar, RFC 5545): an item for each event, task and journal entry."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Any, Final

from icalendar import Calendar, Component, Journal, Todo
from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput, TooLarge
from core.regex import regex
from ingest.readers.documents.web_page import main_text
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, line_of, memory_from
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.readers.front_matter import UNREAD

_CONTEXTS: Final = {"VEVENT": "meeting", "VTODO": "task", "VJOURNAL": "note"}
_ZONE: Final = "VTIMEZONE"
#: What those who are invited answered; who did not is only invited.
_INVITED: Final = "No answer"
_ANSWERS: Final = {
    "ACCEPTED": "Accepted", "COMPLETED": "Accepted", "TENTATIVE": "Tentative", "DECLINED": "Declined",
    "DELEGATED": "Delegated",
}  # fmt: skip
_LINKS: Final = (
    "URL", "CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL", "X-MICROSOFT-ONLINEMEETINGCONFLINK",
    "ATTACH",
)  # fmt: skip
_MOST_LINKS: Final = 50
_MARKUP: Final = regex(r"<(?:br|p|div|span|b|i|ul|ol|li|a href|html)\b[^<>]{0,500}>", re.I)
_UNITS: Final = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS: Final = {
    "": "", "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday",
    "SU": "Sunday",
}  # fmt: skip
#: Tasks of these states ask nothing of anybody any more.
_ENDED: Final = frozenset({"COMPLETED", "CANCELLED"})

Todo.ignore_exceptions = Journal.ignore_exceptions = True  # a broken property costs no entry, as the library has events


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
    start, due = _moment(entry, "DTSTART"), _moment(entry, "DUE")
    answers = _answers(entry)
    declined, groups, rooms = answers.get("Declined", []), answers.pop("Groups", []), answers.pop("Rooms", [])
    organizers = [one for one in map(_person, _all(entry, "ORGANIZER")) if one]
    people = [name for name in dict.fromkeys([*organizers, *chain(*answers.values())]) if name not in declined]
    title, uid, status = _said(entry, "SUMMARY"), _said(entry, "UID"), _said(entry, "STATUS")
    links = _links(entry)
    lines = {
        "When": " to ".join(filter(None, (start, _end(entry)))),
        "Due": due,
        "Completed": _moment(entry, "COMPLETED"),
        "Repeats": _rule(entry),
        "Also on": ", ".join(_days(entry, "RDATE")),
        "Except on": ", ".join(_days(entry, "EXDATE")),
        "Instead of": _moment(entry, "RECURRENCE-ID"),
        "Where": _said(entry, "LOCATION") or ", ".join(rooms),
        "Status": status,
        "Organizer": next(iter(organizers), None),
        "With": ", ".join(people),
        "Groups": ", ".join(groups),
        **{answer: ", ".join(names) for answer, names in answers.items() if answer != _INVITED},
        "Links": " ".join(links),
    }
    about = "\n".join(f"{name}: {value}" for name, value in lines.items() if value)
    content, broken = "\n\n".join(filter(None, (title, about, _text(entry)))), _broken(entry)
    if broken and not content:
        raise ValueError(", ".join(broken.values()))
    own = f"{uid} {again}" if (again := _moment(entry, "RECURRENCE-ID")) else uid
    is_open = (status or "").upper() not in _ENDED
    return {
        "content": content or "An entry without words",
        "title": title or source.path.stem,
        "context": context or (_CONTEXTS[kind] if kind != "VTODO" or is_open else "note"),
        "date": start or _moment(entry, "CREATED") or _moment(entry, "DTSTAMP"),
        "participants": people[:200] or None,
        "source": "file",
        "file_path": source.where,
        "source_id": uid,
        "source_url": _said(entry, "URL") or next(iter(links), None),
        "key": f"{source.where}#{own}" if own else where,
        "tags": _tags(entry),
        "metadata": {UNREAD: broken} if broken else None,
    }


def _answers(entry: Component) -> dict[str, list[str]]:
    """Return those invited by what they answered, and apart from them the groups and rooms."""
    found: dict[str, list[str]] = {}
    for one in _all(entry, "ATTENDEE"):
        parameters = getattr(one, "params", {})
        kind, answer = (str(parameters.get(name, "")).upper() for name in ("CUTYPE", "PARTSTAT"))
        said = "Rooms" if kind in {"ROOM", "RESOURCE"} else "Groups" if kind == "GROUP" else None
        if name := _person(one):
            found.setdefault(said or _ANSWERS.get(answer, _INVITED), []).append(name)
    return found


def _text(entry: Component) -> str:
    """Return the description, of one in HTML the text."""
    text = storable(str(entry.get("DESCRIPTION", ""))).strip()
    page = text if _MARKUP.search(text) else "" if text else storable(str(entry.get("X-ALT-DESC", "")))
    return main_text(LexborHTMLParser(page.replace("\n", "<br>"))).strip() if page else text


def _links(entry: Component) -> list[str]:
    """Return the addresses of an entry: its own, those of its call, and of what is attached."""
    said = (
        str(one) for name in _LINKS for one in _all(entry, name) if getattr(one, "params", {}).get("VALUE") != "BINARY"
    )
    links = (line_of(storable(one)) for one in said if one.startswith(("http://", "https://")))
    return list(dict.fromkeys(filter(None, links)))[:_MOST_LINKS]


def _said(entry: Component, name: str) -> str | None:
    value = entry.get(name)
    return line_of(storable(str(value[0] if isinstance(value, list) else value))) if value is not None else None


def _all(entry: Component, name: str) -> list[object]:
    value = entry.get(name)
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def _end(entry: Component) -> str | None:
    """Return the end of an entry, of days the last one; None if it ends on the day on which it starts."""
    start, end, length = (_when(entry, name) for name in ("DTSTART", "DTEND", "DURATION"))
    try:
        if isinstance(start, date) and isinstance(length, timedelta) and end is None:
            end = start + length
        if isinstance(end, date) and not isinstance(end, datetime):
            end -= timedelta(days=1)
            return end.isoformat() if isinstance(start, date) and end.isoformat() > start.isoformat() else None
    except OverflowError:
        return None
    return end.isoformat() if isinstance(end, datetime) else None


def _days(entry: Component, name: str) -> list[str]:
    moments = (getattr(one, "dt", None) for group in _all(entry, name) for one in getattr(group, "dts", []))
    return [moment.isoformat()[:10] for moment in moments if isinstance(moment, date | datetime)]


def _person(value: object) -> str | None:
    """Return the name of somebody, or the address of who has none."""
    parameters = getattr(value, "params", {})
    name = line_of(storable(str(parameters.get("CN", ""))))
    return name or line_of(re.sub(r"(?i)^mailto:", "", storable(str(value))))


def _moment(entry: Component, name: str) -> str | None:
    moment = _when(entry, name)
    return moment.isoformat() if isinstance(moment, date | datetime) else None


def _when(entry: Component, name: str) -> object:
    """Return the day, time or length that a property gives, None if it gives none that exists."""
    value = next(iter(_all(entry, name)), None)
    try:
        return getattr(value, "dt", None)
    except ValueError:  # a broken property, such as a day in the year 0
        return None


def _broken(entry: Component) -> dict[str, str]:
    """Return the properties that hold no day or time that exists, as the file has them."""
    names = ("DTSTART", "DTEND", "DURATION", "DUE", "COMPLETED", "RECURRENCE-ID")
    found = {name: value for name in names if (value := next(iter(_all(entry, name)), None)) is not None}
    return {name: f"{str(value)[:100]!r} is no day" for name, value in found.items() if _when(entry, name) is None}


def _rule(entry: Component) -> str | None:
    """Return how often an entry repeats, in words where they are enough, else as the file has it."""
    rule: Any = next(iter(_all(entry, "RRULE")), None)
    if rule is None:
        return None
    written = line_of(rule.to_ical().decode("utf-8", "replace").replace("\\;", ";").replace("\\,", ","))
    parts = dict(part.split("=", 1) for part in (written or "").upper().split(";") if "=" in part)
    unit, days = _UNITS.get(parts.pop("FREQ", "")), parts.pop("BYDAY", "").split(",")
    count, until, number = parts.pop("COUNT", ""), parts.pop("UNTIL", ""), parts.pop("INTERVAL", "1")
    parts.pop("WKST", None)
    if parts or unit is None or not number.isdecimal() or not all(day in _DAYS for day in days):
        return written
    words = [f"every {unit}" if number == "1" else f"every {number} {unit}s"]
    words += [f"on {', '.join(_DAYS[day] for day in days)}"] if days != [""] else []
    words += [f"{count} times"] if count else []
    words += [f"until {until[:4]}-{until[4:6]}-{until[6:8]}"] if until else []
    return " ".join(words)


def _tags(entry: Component) -> list[str] | None:
    found = [line_of(storable(str(tag))) for group in _all(entry, "CATEGORIES") for tag in getattr(group, "cats", [])]
    return list(dict.fromkeys(filter(None, found)))[:200] or None
