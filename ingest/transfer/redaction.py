"""Records of a store without secrets: what an import takes over, and what `doctor --secrets` puts in their places."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from core.interface.memory import Memory
from core.knowledge.findings import Evidence, FoundEvent
from core.knowledge.secrets import Redaction, Redactor
from core.transfer import KeptItem, Record


def redact_kept(record: Record) -> tuple[Record, Sequence[Redaction]]:
    """Return a record with marks in the place of secrets, and where they were; an item keeps its id and all places.

    Marks have the length of what they replace, so that events, which are known by their places, keep their ids, too.
    """
    redactor = Redactor()
    if not isinstance(record, KeptItem):
        return redactor.redact(record, "record"), redactor.found
    artifact, memory = record.artifact, record.artifact.memory
    texts = {item.name: getattr(memory, item.name) for item in fields(Memory) if item.metadata.get("stored", True)}
    changed = redactor.redact_fields({name: value for name, value in texts.items() if name != "places"})
    kept = record
    if "content" in changed:
        kept = _requote(replace(kept, findings=()), memory.content, changed["content"])
    known = {name: redactor.redact(getattr(kept, name), "knowledge") for name in ("knowledge", "readings", "findings")}
    if not redactor.found:
        return record, ()
    marked = Memory.from_fields_unchecked(memory.content, memory.given())
    for name, value in changed.items():
        object.__setattr__(marked, name, value)
    fingerprint = marked.fingerprint(artifact.project_id)
    return replace(kept, artifact=replace(artifact, memory=marked, fingerprint=fingerprint), **known), redactor.found


def _requote(value: Any, before: str, after: str) -> Any:  # noqa: ANN401 - any part of a record
    """Return a part of what is known of a text with its quotes as the text has them after a change that kept places."""
    if isinstance(value, Evidence | FoundEvent):
        start = value.start_char if isinstance(value, Evidence) else value.near_char
        end = start + len(value.quote)
        return replace(value, quote=after[start:end]) if before[start:end] == value.quote else value
    if isinstance(value, tuple | list):
        return type(value)(_requote(inner, before, after) for inner in value)
    if is_dataclass(value) and not isinstance(value, type | Memory):
        given = {item.name: getattr(value, item.name) for item in fields(value) if item.init}
        made = {name: _requote(inner, before, after) for name, inner in given.items()}
        return value if made == given else replace(value, **made)
    return value
