"""What the fields above a note mean: the names and forms that people and their tools use, as fields of a memory."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from core.dates import parse_iso
from core.dates.written_dates import written_dates
from core.errors import InvalidInput, TooLarge
from core.interface.memory import MAX_FIELD
from ingest.readers.fields import NAMES, memory_from
from ingest.readers.front_matter import UNREAD, FrontMatter

#: Other names of a field, of which the first that is given counts.
_OTHER_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "date": ("datetime", "day", "meeting_date", "date_of_meeting", "held_on", "created", "created_at", "created_on",
        "created_time", "creation_date", "date_created", "written", "published", "published_at", "publishdate",
        "publish_date", "pubdate"),
    "author": ("authors", "by", "created_by", "written_by"),
    "participants": ("attendees", "present", "people"),
    "tags": ("tag", "keywords", "labels"),
}  # fmt: skip
_LINK: Final = re.compile(
    r"!?\[\[([^\[\]|\n]{0,500})(?:\|[^\[\]\n]{0,500})?\]\]|\[([^\[\]\n]{0,500})\]\([^()\n]{0,1000}\)"
)
_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?", re.I)
_COMMAS: Final = re.compile(r"\s*[,;]\s*")
_TAGS_BETWEEN: Final = re.compile(r"\s*[,;]\s*|\s+(?=#)")


def note_fields(front: FrontMatter) -> dict[str, object]:
    """Return the fields of a memory that stand above a note, with all others in `metadata`.

    A field that a memory refuses is kept there, too, and named under `UNREAD` with the reason.
    """
    names = _names(front)
    extra = {
        name: value
        for name, value in front.typed.items()
        if name not in names.values() and name != "metadata" and (value is not None or name not in NAMES)
    }
    unread = dict(front.unread)
    nested = front.typed.get("metadata")
    if isinstance(nested, Mapping):
        extra = {str(name): value for name, value in nested.items()} | extra
    elif nested is not None:
        extra["metadata"] = nested
    found: dict[str, object] = {}
    for field, name in names.items():
        if (refused := _take(found, field, front.texts[name], front.typed[name])) is not None:
            unread[name] = refused
        if field not in found and front.typed[name] is not None:
            extra[name] = front.typed[name]
    kept, misfits = _storable(extra)
    unread |= misfits
    metadata = kept | ({UNREAD: unread} if unread else {})
    return found | ({"metadata": metadata} if metadata else {})


def day_text(text: str) -> str | None:
    """Return a date in any common form as ISO 8601, with its time where it has one in digits; None if it is not a
    date."""
    plain = _unlinked(text[:MAX_FIELD])
    try:
        parse_iso(plain, field="date")
    except InvalidInput:
        pass
    else:
        return plain
    if stamp := _STAMP.fullmatch(plain):
        zone = (stamp[3] or "").upper().replace("UTC", "Z")
        return day_text(f"{stamp[1]}T{stamp[2]}{zone}") if f"{stamp[1]}T{stamp[2]}{zone}" != plain else None
    found = written_dates(plain)
    return found[0].iso() if len(found) == 1 else None


def _names(front: FrontMatter) -> dict[str, str]:
    """Return the name by which each field is given."""
    given: dict[str, str] = {}
    for name in front.typed:
        given.setdefault(re.sub(r"[\s_-]+", "_", name.strip().casefold()), name)
    found = {}
    for field in sorted(NAMES - {"content", "metadata"}, key=lambda field: (field == "context", field)):
        for name in (field, *_OTHER_NAMES.get(field, ())):
            if name in given and front.typed[given[name]] not in (None, ""):
                found[field] = given[name]
                break
    return found


def _take(found: dict[str, object], field: str, text: object, typed: object) -> str | None:
    """Add a field to those found, or return why a memory can't have it."""
    value = _READERS.get(field, _plain)(text, typed)
    if value is None:
        return None if text in (None, "") else f"{text!r:.60} can't be read as {field}"
    try:
        memory_from({"content": "-"} | found | {field: value}, where=field)
    except (InvalidInput, TooLarge) as error:
        return str(error).removeprefix(f"{field}: ")
    found[field] = value
    return None


def _plain(text: object, typed: object) -> object:
    """Return a field that is one text, links as what they show, and anything else as it is typed."""
    if isinstance(typed, str) and isinstance(text, str):
        return _unlinked(text)
    return typed


def _text(text: object, _typed: object) -> object:
    """Return a field that is one text, of a list with one entry that entry."""
    entries = list(_leaves(text))
    return _unlinked(entries[0])[:MAX_FIELD] if len(entries) == 1 else None


def _person(text: object, _typed: object) -> object:
    """Return the first of those named, by `name` where it stands beside other things."""
    first = text[0] if isinstance(text, list) and text else text
    if isinstance(first, Mapping):
        first = first.get("name")
    return next((_unlinked(entry) for entry in _leaves(first)), None)


def _date(text: object, _typed: object) -> object:
    entries = list(_leaves(text))
    return day_text(entries[0]) if len(entries) == 1 else None


def _people(text: object, _typed: object) -> object:
    return _list(text, _COMMAS, lambda entry: entry)


def _tags(text: object, _typed: object) -> object:
    """Return tags, without the mark and the brackets of a list in a text."""
    entries = text.strip().removeprefix("[").removesuffix("]") if isinstance(text, str) and "[[" not in text else text
    return _list(entries, _TAGS_BETWEEN, lambda entry: entry.strip("\"' ").lstrip("#").strip("\"' "))


def _list(value: object, between: re.Pattern[str], cleaned: Callable[[str], str]) -> list[str] | None:
    parts = [part for entry in _leaves(value) for part in between.split(_unlinked(entry))]
    found = list(dict.fromkeys(text for part in parts if (text := cleaned(part).strip())))
    return found or None


def _leaves(value: object) -> Iterator[str]:
    """Yield the texts in a value, however they are nested; of names with values the values."""
    if isinstance(value, Mapping):
        yield from (leaf for inner in value.values() for leaf in _leaves(inner))
    elif isinstance(value, list):
        yield from (leaf for inner in value for leaf in _leaves(inner))
    elif value is not None and str(value).strip():
        yield str(value)


def _unlinked(text: str) -> str:
    """Return a text with links as the names that they link to or show."""
    return _LINK.sub(lambda match: match[1] or match[2] or "", text).strip()


def _storable(values: Mapping[str, object]) -> tuple[dict[str, object], dict[str, str]]:
    """Return what `metadata` can hold, and why not the rest."""
    if _misfit("metadata", values) is None:
        return dict(values), {}
    found = {name: _misfit(name, {name: value}) for name, value in values.items()}
    kept = {name: values[name] for name, misfit in found.items() if misfit is None}
    misfits = {ascii(name)[1:-1]: misfit for name, misfit in found.items() if misfit is not None}
    if (misfit := _misfit("metadata", kept)) is not None:
        return {}, misfits | {"front matter": misfit}
    return kept, misfits


def _misfit(name: str, metadata: Mapping[str, object]) -> str | None:
    """Return why `metadata` can't be this, None if it can."""
    try:
        memory_from({"content": "-", "metadata": dict(metadata)}, where=name)
    except (InvalidInput, TooLarge) as error:
        return str(error).removeprefix(f"{name}: ")
    return None


_READERS: Final[dict[str, Callable[[object, object], object]]] = {
    "date": _date, "document_date": _date, "expires_at": _date, "title": _text, "key": _text, "author": _person,
    "participants": _people, "tags": _tags,
}  # fmt: skip
