"""The form of a note: an item as Markdown with fields above it, and back; file names that any system takes."""

import re
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

import yaml

from core.interface.memory import MAX_METADATA, Memory
from core.knowledge.findings import Knowledge
from core.knowledge.text import canonical_text
from core.records import Artifact
from core.regex import regex
from ingest.readers.fields import NAMES

#: Fields that a note shows if they differ from the default; the context is always shown.
_SHOWN: Final = (
    *("title", "context", "date", "author", "participants", "tags", "importance", "category", "scope", "source"),
    *("source_url", "task_id", "expires_at"),
)
_DEFAULTS: Final[Mapping[str, Any]] = {one.name: one.default for one in fields(Memory)}
#: Fields that only a trusted file gives to an item; of others they are kept in `metadata` (`strip_claims`).
_CLAIMS: Final = ("scope", "author", "context", "source")
#: Fields that are written for the reader of a note and not read back.
ID, LINKS, QUOTES = "remembrancer_id", "remembrancer_links", "remembrancer_quotes"
_WRITTEN: Final = (ID, LINKS, QUOTES)
#: Most links and quotes in a note.
_MOST: Final = 20
_ID: Final = regex(rb"^remembrancer_id: (art_[0-9a-f]{12})\r?$", re.MULTILINE)
_FRONT_BYTES: Final = 20_000

#: Files that agents read as rules at the start of a session, in small letters, and how much of them.
RULE_FILES: Final = frozenset({"memory.md", "claude.md", "agents.md"})
RULE_LINES, RULE_BYTES = 200, 25_000

#: What Windows, Obsidian's links or a terminal do not take in a name.
_UNSAFE: Final = regex(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+')
_DEVICES: Final = regex(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")
#: What Windows does not take in the path of a note.
_UNPORTABLE: Final = regex(r'[\\:*?"<>|\x00-\x1f]|[ .](?:/|$)|(?i:(?:^|/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$))')
_NAME_LENGTH, _NAME_BYTES = 80, 180


class _Dumper(yaml.SafeDumper):
    """YAML without references, which the reader of notes refuses."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the library's signature
        return True


def render_note(artifact: Artifact, knowledge: Knowledge | None = None, *, name: str = "") -> str:
    """Return an item as a note; with its id, links and quotes if its knowledge is given.

    A file of rules has no fields: agents would read them as text. Fields too long to be read back are left out.
    """
    memory = artifact.memory
    body = memory.content if memory.content.endswith("\n") else f"{memory.content}\n"
    if name.lower() in RULE_FILES:
        return body
    extra = dict(memory.metadata or {})
    shown = {field: getattr(memory, field) for field in _SHOWN}
    if memory.date_source is not None:
        shown["date"] = None
    front: dict[str, Any] = {
        field: list(value) if isinstance(value, tuple) else value
        for field, value in shown.items()
        if field == "context" or value != _DEFAULTS[field]
    }
    if memory.trusted is False:
        front |= {field: extra.pop(field) for field in _CLAIMS if field in extra}
    front |= {field: value for field, value in extra.items() if field not in NAMES and field not in _WRITTEN}
    if nested := {field: value for field, value in extra.items() if field in NAMES}:
        front["metadata"] = nested
    if knowledge is not None:
        front |= _known(artifact, knowledge)
    while len(head := _yaml(front)) > MAX_METADATA:
        del front[max(front, key=lambda field: len(str(front[field])))]
    return f"---\n{head}---\n{body}"


def _yaml(front: Mapping[str, Any]) -> str:
    text: str = yaml.dump(front, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10**9)
    return text


def _known(artifact: Artifact, knowledge: Knowledge) -> dict[str, Any]:
    """Return the id of an item, its entities as links, and the words that its decisions and promises rest on."""
    names = dict.fromkeys(entity.name for entity in knowledge.entities)
    links = [f"[[{name}]]" for name in names if not _UNSAFE.search(name)]
    quotes = []
    for event in knowledge.events:
        if event.category not in {"Decision", "Commitment"}:
            continue
        for proof in event.evidence[:1]:
            place = artifact.memory.location_at(proof.start_char)
            at = f"{place}, " if place else ""
            quote = f"{event.category}: “{proof.quote}” ({at}characters {proof.start_char} to {proof.end_char})"
            quotes.append(quote)
    found = {ID: artifact.id, LINKS: links, QUOTES: quotes}
    for field in (LINKS, QUOTES):
        if len(found[field]) > _MOST:
            found[field] = [*found[field][:_MOST], f"{len(found[field]) - _MOST} more: recall {artifact.id}"]
    return {field: value for field, value in found.items() if value}


def read_id(path: Path) -> str | None:
    """Return the id in the fields above a note that `render_note` wrote; None if there is none. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(_FRONT_BYTES)
    found = _ID.search(head.partition(b"\n---")[0]) if head.startswith(b"---") else None
    return None if found is None else found[1].decode()


def without_written(memory: Memory) -> Memory:
    """Return the memory of a note without the fields that are written for its reader only."""
    if not memory.metadata or not any(name in memory.metadata for name in _WRITTEN):
        return memory
    kept = {name: value for name, value in memory.metadata.items() if name not in _WRITTEN}
    return replace(memory, metadata=kept or None)


def merge_note(item: Memory, note: Memory, before: Memory, path: Path, *, trust: bool) -> Memory:
    """Return an item with what differs between its note as it is and as it was before; the item itself if nothing does.

    An item without a key gets the path as its key, so does one of another context: its key may be taken there.
    """
    changes: dict[str, Any] = {
        field: getattr(note, field)
        for field in _SHOWN
        if field != "source" and getattr(note, field) != getattr(before, field)
    }
    if note.metadata != before.metadata:
        after, former = note.metadata or {}, before.metadata or {}
        kept = {name: value for name, value in (item.metadata or {}).items() if name in after or name not in former}
        changed = {name: value for name, value in after.items() if name not in former or former[name] != value}
        changes["metadata"] = (kept | changed) or None
    if canonical_text(note.content) != canonical_text(before.content):
        content = note.content if item.content.endswith("\n") else note.content.removesuffix("\n")
        changes |= {"content": content, "places": ()}
        if item.date_source is not None:
            changes |= {"date": changes.get("date"), "date_source": None}
    if not changes:
        return item
    if "date" in changes:
        changes["date_source"] = None
    if item.key is None or "context" in changes:
        changes["key"] = path.as_posix()
    return replace(item, **changes, trusted=item.trusted if trust else False)


def note_path(memory: Memory, taken: Collection[str]) -> str:
    """Return a path for the note of an item, relative to the folder, that differs from those `taken` (`folded`)."""
    lines = (line.strip(" #>*-\t") for line in memory.content.splitlines())
    name = safe_name(memory.title or next((line for line in lines if line), ""))
    number, path = 1, f"{memory.context}/{name}.md"
    while folded(path) in taken:
        number += 1
        path = f"{memory.context}/{name} {number}.md"
    return path


def safe_name(text: str) -> str:
    """Return a text as a file name without suffix that every system takes, `note` if nothing is left of it.

    It is never that of a file of rules: what agents are told is no rule because of its title.
    """
    name = " ".join(_UNSAFE.sub(" ", normalize("NFC", text)).split())[:_NAME_LENGTH]
    name = name.encode()[:_NAME_BYTES].decode(errors="ignore").strip(" .")
    is_special = _DEVICES.match(name) or f"{name}.md".lower() in RULE_FILES
    return f"_{name}" if is_special else name or "note"


def path_beside(path: str, mark: str) -> str:
    """Return the path of a note next to another one: the name of that, cut if it is long, and a mark."""
    place = Path(path)
    stem = place.stem.encode()[:_NAME_BYTES].decode(errors="ignore")
    return place.with_name(f"{stem} {mark}{place.suffix}").as_posix()


def folded(path: str) -> str:
    """Return the form in which systems compare names that know no case, or normalise letters."""
    return path.lower() if path.isascii() else normalize("NFC", normalize("NFC", path).casefold())


def is_portable(path: str) -> bool:
    """Whether Windows takes each part of the path as a name."""
    return _UNPORTABLE.search(path) is None


def oversize(name: str, text: str) -> str | None:
    """Return why a file of rules can't be that long; None if it can, or is no such file."""
    if name.lower() not in RULE_FILES:
        return None
    lines, size = text.count("\n"), len(text.encode())
    if lines <= RULE_LINES and size <= RULE_BYTES:
        return None
    return (
        f"it would have {lines} lines and {size:,} bytes, and agents read {RULE_LINES} lines or {RULE_BYTES:,} bytes: "
        "shorten its item"
    )
