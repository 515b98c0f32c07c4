"""The lines of an export: one JSON object each, the header first. docs/transfer.md describes them."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import numpy as np
from pydantic import TypeAdapter, ValidationError

from core.dates import parse_iso, to_local_text, to_text
from core.errors import Conflict, InvalidInput, MemoryServiceError
from core.interface.memory import Memory, check_project_id
from core.interface.results import to_json
from core.knowledge.findings import EventLink, Extraction, Knowledge
from core.knowledge.identities import MergeCandidate, MergeDecision
from core.knowledge.ledger import Resolution
from core.knowledge.runs import Findings, Run
from core.records import Artifact
from core.regex import regex
from core.search import Vectors
from core.transfer import KeptEchoes, KeptItem, KeptReading, KeptResolution, Record
from graph import json_codec

FORMAT: Final = "remembrancer-export"
#: Raised with every change that an earlier release would misread.
NUMBER: Final = 1

Made = TypeVar("Made")

_ARTIFACT_ID: Final = regex(r"art_[0-9a-f]{12}")
_HASH: Final = regex(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """Embeddings of one item's texts by a model, keyed by the hash of the text."""

    model: str
    vectors: Mapping[str, Vectors]


Line = Record | KeptVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header of an export: the release that wrote it, its newest moment, and the number of lines of each kind."""

    service: str
    latest: datetime | None
    lines: Mapping[str, int]

    @property
    def total(self) -> int:
        """How many lines follow."""
        return sum(self.lines.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _ItemShape:
    """The line of an item; its parts are validated one by one."""

    id: str
    content: str
    memory: dict[str, Any]
    happened_at: str
    created_at: str
    updated_at: str
    last_occurred: str
    knowledge: dict[str, Any]
    frequency: int = 1
    stashed: bool = False
    replaced_by: str | None = None
    waits: bool = False
    said_since: list[tuple[int, str]] | None = None
    readings: tuple[dict[str, Any], ...] = ()
    findings: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadingShape:
    run_id: str
    found: dict[str, Any] | None = None
    standing: dict[str, Any]
    waits: bool
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _FindingsShape:
    extractor: str
    text_hash: str
    found: dict[str, Any]
    proposed: bool = False


@dataclass(frozen=True, slots=True)
class _ResolutionShape:
    event_id: str
    artifact_id: str
    status: str
    at: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _VectorsShape:
    model: str
    vectors: dict[str, str]


_ADAPTERS: Final[dict[type[Any], TypeAdapter[Any]]] = {
    shape: TypeAdapter(shape)
    for shape in (
        Memory, Knowledge, Extraction, Run, MergeDecision, EventLink, MergeCandidate, KeptEchoes, Resolution,
        _ItemShape, _ReadingShape, _FindingsShape, _ResolutionShape, _VectorsShape,
    )
}  # fmt: skip


def format_header(header: Header) -> bytes:
    """Return the first line, without its end."""
    values: dict[str, Any] = {"format": FORMAT, "number": NUMBER, "service": header.service}
    if header.latest is not None:
        values["latest"] = to_text(header.latest)
    return _dumped(values | {"lines": dict(sorted(header.lines.items()))})


def parse_header(line: bytes) -> Header:
    """Parse the first line.

    Raises:
        InvalidInput: it is not the first line of an export.
        Conflict: a newer release wrote the export.
    """
    try:
        values = json.loads(line)
        if values["format"] != FORMAT:
            raise ValueError(values["format"])
        number, service = int(values["number"]), str(values["service"])
        if number > NUMBER:
            raise Conflict(
                f"The export has format {number} (release {service}), and this release reads {NUMBER}: update it."
            )
        latest = parse_iso(values["latest"], field="latest") if "latest" in values else None
        return Header(service=service, latest=latest, lines={kind: int(n) for kind, n in values["lines"].items()})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            "The first line does not belong to an export: name a file that `remembrancer export` wrote."
        ) from error


def format_line(project_id: str, line: Line) -> bytes:
    """Return a line, without its end."""
    return _dumped({"line": line_kind(line), "project": project_id} | _body(line))


def line_kind(line: Line) -> str:
    """Return the name of a line's kind."""
    return _KINDS[type(line)]


def parse_line(raw: bytes, number: int) -> tuple[str, Line]:
    """Return the project and the record of a line.

    An item has no chunks or counts of them yet, and only the sayings that the export lists.

    Raises:
        InvalidInput: it is malformed or inconsistent; the message names the line.
        Conflict: this release does not know its kind.
    """
    try:
        given = json.loads(raw)
        kind, project_id = given.pop("line"), check_project_id(given.pop("project"))
        if kind not in _READERS:
            raise Conflict(f"its kind {str(kind)[:40]!r} comes from a newer release: update this one.")
        line = _READERS[kind](project_id, given)
        _check_lossless(given, json.loads(_dumped(_body(line))))
    except MemoryServiceError as error:
        raise type(error)(f"Line {number}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InvalidInput(
            f"Line {number}: {place or 'it'} does not have the form of an export ({first['msg']})."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput(
            f"Line {number} does not have the form of an export ({type(error).__name__}: {str(error)[:100]}): get the "
            "file again."
        ) from error
    return project_id, line


def _check_lossless(given: Mapping[str, Any], kept: Mapping[str, Any]) -> None:
    """Refuse a line of which something would be lost; a field that only later releases write has its default."""
    for name, value in given.items():
        if name not in kept or not _holds(kept[name], value):
            raise InvalidInput(f"{name} has a value that no export writes and that would not be stored unchanged.")


def _holds(kept: object, given: object) -> bool:
    if isinstance(given, dict) and isinstance(kept, dict):
        return all(name in kept and _holds(kept[name], value) for name, value in given.items())
    if isinstance(given, list) and isinstance(kept, list):
        return len(kept) == len(given) and all(map(_holds, kept, given))
    return bool(kept == given)


def _dumped(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # what a model answered may hold half of a surrogate pair
        return json.dumps(value, separators=(",", ":")).encode()


def _body(line: Line) -> dict[str, Any]:
    match line:
        case KeptItem():
            return _item_body(line)
        case Run():
            return {name: value for name, value in to_json(line).items() if name != "project_id"}
        case KeptResolution():
            return {"artifact_id": line.artifact_id, **to_json(line.resolution)}
        case KeptVectors():
            return {
                "model": line.model,
                "vectors": {hash_: _packed(vector) for hash_, vector in sorted(line.vectors.items())},
            }
        case _:
            return dict(to_json(line))


def _item_body(item: KeptItem) -> dict[str, Any]:
    artifact = item.artifact
    moments = ("happened_at", "created_at", "updated_at", "last_occurred")
    body: dict[str, Any] = {"id": artifact.id}
    body |= {name: to_local_text(getattr(artifact, name)) for name in moments}
    body |= {"frequency": artifact.frequency} if artifact.frequency != 1 else {}
    body |= {"stashed": True} if artifact.stashed else {}
    body |= {"replaced_by": artifact.replaced_by} if artifact.replaced_by is not None else {}
    body |= {"memory": artifact.memory.given(), "content": artifact.memory.content}
    body |= {"waits": True} if item.waits else {}
    if item.sentence_hashes is not None:
        body["said_since"] = [[sentence_hash, to_text(since)] for sentence_hash, since in item.sentence_hashes]
    body["knowledge"] = _object(json_codec.knowledge_text(item.knowledge))
    if item.readings:
        body["readings"] = [_reading_body(reading) for reading in item.readings]
    if item.findings:
        body["findings"] = [to_json(findings) for findings in item.findings]
    return body


def _reading_body(reading: KeptReading) -> dict[str, Any]:
    standing = {"standing": _object(json_codec.knowledge_text(reading.standing))}
    found = {} if reading.found is None else {"found": to_json(reading.found)}
    return {"run_id": reading.run_id, **found, **standing, "waits": reading.waits, "finished": reading.finished}


def _object(text: str) -> Any:  # noqa: ANN401 - JSON has no narrower type
    return json.loads(text)


def _packed(vector: Vectors) -> str:
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def _unpacked(text: str) -> Vectors:
    try:
        # A bytearray, because arrays over `bytes` can't be written to.
        return np.frombuffer(bytearray(base64.b64decode(text, validate=True)), dtype="<f4")
    except binascii.Error as error:
        raise InvalidInput(f"a vector is not in base64 ({error}).") from error


def _shaped(shape: type[Made], given: object) -> Made:
    """Return `given` as a dataclass, its moments in UTC."""
    made: Made = _ADAPTERS[shape].validate_python(given)
    values = ((item.name, getattr(made, item.name)) for item in fields(made))  # type: ignore[arg-type]  # a dataclass
    moments = {name: value.astimezone(UTC) for name, value in values if isinstance(value, datetime)}
    return replace(made, **moments) if moments else made  # type: ignore[type-var]  # a dataclass


def _run(project_id: str, given: Mapping[str, Any]) -> Run:
    return _shaped(Run, {**given, "project_id": project_id})


def _resolution(_: str, given: Mapping[str, Any]) -> KeptResolution:
    shape = _shaped(_ResolutionShape, given)
    resolution = {name: value for name, value in given.items() if name != "artifact_id"}
    return KeptResolution(_shaped(Resolution, resolution), shape.artifact_id)


def _vectors(_: str, given: Mapping[str, Any]) -> KeptVectors:
    shape = _shaped(_VectorsShape, given)
    if not all(map(_HASH.fullmatch, shape.vectors)):
        raise InvalidInput("vectors are not listed under the hashes of their texts.")
    return KeptVectors(shape.model, {hash_: _unpacked(text) for hash_, text in shape.vectors.items()})


def _item(project_id: str, given: Mapping[str, Any]) -> KeptItem:
    shape = _shaped(_ItemShape, given)
    memory = _shaped(Memory, {**shape.memory, "content": shape.content})
    artifact = Artifact(
        id=_artifact_id(shape.id),
        project_id=project_id,
        memory=memory,
        fingerprint=memory.fingerprint(project_id),
        happened_at=parse_iso(shape.happened_at, field="happened_at"),
        created_at=parse_iso(shape.created_at, field="created_at"),
        updated_at=parse_iso(shape.updated_at, field="updated_at"),
        last_occurred=parse_iso(shape.last_occurred, field="last_occurred"),
        token_count=0,
        num_chunks=0,
        frequency=shape.frequency,
        stashed=shape.stashed,
        replaced_by=None if shape.replaced_by is None else _artifact_id(shape.replaced_by),
    )
    since = shape.said_since
    return KeptItem(
        artifact=artifact,
        knowledge=_knowledge(artifact, shape.knowledge),
        waits=shape.waits,
        readings=tuple(_reading(artifact, one) for one in shape.readings),
        findings=tuple(map(_findings, shape.findings)),
        sentence_hashes=None
        if since is None
        else tuple((one, parse_iso(text, field="said_since")) for one, text in since),
    )


def _artifact_id(text: str) -> str:
    if not _ARTIFACT_ID.fullmatch(text):
        raise InvalidInput(f"{text[:80]!r} is not the id of an item.")
    return text


def _reading(artifact: Artifact, given: Mapping[str, Any]) -> KeptReading:
    shape = _shaped(_ReadingShape, given)
    return KeptReading(
        run_id=shape.run_id,
        found=None if shape.found is None else _extraction(shape.found),
        standing=_knowledge(artifact, shape.standing),
        waits=shape.waits,
        finished=shape.finished,
    )


def _findings(given: Mapping[str, Any]) -> Findings:
    shape = _shaped(_FindingsShape, given)
    return Findings(
        extractor=shape.extractor,
        text_hash=shape.text_hash,
        found=_extraction(shape.found),
        proposed=shape.proposed,
    )


def _extraction(given: Mapping[str, Any]) -> Extraction:
    plain = json.dumps(given, ensure_ascii=False).encode(errors="replace")
    _shaped(Extraction, json.loads(plain))
    return json_codec.extraction(json.dumps(given))


def _knowledge(artifact: Artifact, given: Mapping[str, Any]) -> Knowledge:
    """Return an artifact's knowledge.

    Raises:
        InvalidInput: a mention or a quote is not in the artifact's content.
    """
    events = [
        event
        | {
            "actors": [{"entity_id": id_, "name": "", "role": role} for id_, role in event["actors"]],
            "subjects": [{"entity_id": id_, "name": ""} for id_ in event["subjects"]],
        }
        for event in given["events"]
    ]
    _shaped(Knowledge, {**given, "events": events})
    knowledge = json_codec.knowledge(json.dumps(given))
    content = artifact.memory.content
    for mention in knowledge.mentions:
        if mention.artifact_id != artifact.id or not 0 <= mention.start_char < mention.end_char <= len(content):
            raise InvalidInput(f"a mention of {mention.entity_id!r} lies outside the item.")
    for event in knowledge.events:
        if not event.evidence:
            raise InvalidInput(f"event {event.id!r} has no evidence.")
        for proof in event.evidence:
            if proof.artifact_id != artifact.id or content[proof.start_char : proof.end_char] != proof.quote:
                raise InvalidInput(f"a quote of event {event.id!r} is not in the item at the offset given.")
    return knowledge


_KINDS: Final[dict[type[Any], str]] = {
    Run: "run",
    MergeDecision: "verdict",
    KeptItem: "item",
    KeptVectors: "vectors",
    EventLink: "link",
    KeptResolution: "resolution",
    MergeCandidate: "likeness",
    KeptEchoes: "echoes",
}
_READERS: Final[dict[str, Callable[[str, Mapping[str, Any]], Line]]] = {
    "run": _run,
    "verdict": lambda _, given: _shaped(MergeDecision, given),
    "item": _item,
    "vectors": _vectors,
    "link": lambda _, given: _shaped(EventLink, given),
    "resolution": _resolution,
    "likeness": lambda _, given: _shaped(MergeCandidate, given),
    "echoes": lambda _, given: _shaped(KeptEchoes, given),
}
