"""Exchange: what one record has that another lacks, by ids and states, and how that is taken in.

A pull reads the states of the record here, gets what differs there, and takes it in; a push does the same the other
way round. Both are idempotent: one that was interrupted is finished by the next one.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from core.dates import now, to_text
from core.errors import Conflict, InvalidInput
from core.filters import Filters
from core.interface.audit import MOST_KEPT
from core.interface.results import to_json
from core.knowledge.findings import Extraction
from core.knowledge.runs import CALLER_EXTRACTOR, CallerAnnotations, Run, RunTally, merged_annotations
from core.knowledge.secrets import parsing_records
from core.records import Artifact
from core.search import Embedder, Tokenizer
from core.transfer import KeptItem, Record
from graph.store import Store
from graph.writers.item_writer import successors
from ingest.transfer.archive import Imported, LineImporter, chunk_kept
from ingest.transfer.line_format import Line, format_line, parse_line

#: Acts of the audit trail after which an item is not taken in again.
_GONE: Final = frozenset({"forget", "expire"})
#: Items whose annotations and holders of keys are looked up together, at most.
_TOGETHER: Final = 100

#: What was given of an item, by run.
_Given = dict[str, Extraction]


@dataclass(frozen=True, slots=True)
class States:
    """What a record has of a project: each item with a digest of its state and when it last changed, and what was
    forgotten with the time of that. Times are texts of which the later is the greater. `revisions` are not sent."""

    items: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    forgotten: Mapping[str, str] = field(default_factory=dict)
    revisions: frozenset[str] = frozenset()


_STATES: Final = TypeAdapter(States)


def format_states(states: States) -> bytes:
    """Return states as JSON."""
    return json.dumps({"items": states.items, "forgotten": states.forgotten}, separators=(",", ":")).encode()


def parse_states(text: bytes) -> States:
    """Return the states in JSON.

    Raises:
        InvalidInput: they are not in the form that `format_states` writes.
    """
    try:
        return _STATES.validate_json(text)
    except ValidationError as error:
        raise InvalidInput("What was sent are no states of items: use the same release on both sides.") from error


def read_states(store: Store, project_id: str) -> States:
    """Return the states of a project."""
    with store.snapshot() as frozen:
        return _states(frozen, project_id)


def _states(store: Store, project_id: str) -> States:
    items: dict[str, tuple[str, str]] = {}
    runs: dict[str, Run] = {}
    revisions: list[str] = []
    for record in store.export_records(project_id):
        if isinstance(record, Run):
            runs[record.id] = record
        elif isinstance(record, KeptItem):
            items[record.artifact.id] = _digest(record, runs), _changed(record.artifact)
            revisions += [record.artifact.id] if record.artifact.replaced_by is not None else []
    forgotten: dict[str, str] = {}
    for entry in store.audit_trail(project_id, limit=MOST_KEPT):
        if entry.act in _GONE:
            forgotten |= {id_: to_text(entry.at) for id_ in entry.ids if id_ not in items and id_ not in forgotten}
    return States(items, forgotten, frozenset(revisions))


def _changed(artifact: Artifact) -> str:
    return to_text(max(artifact.created_at, artifact.updated_at, artifact.last_occurred))


def _digest(item: KeptItem, runs: Mapping[str, Run]) -> str:
    """Return a hash of what both sides have equal in the end: not of what each extracts for itself."""
    artifact = item.artifact
    is_revision = artifact.replaced_by is not None  # nothing is given of one any more
    given = to_json(merged_annotations([] if is_revision else _given(item, runs).values()))
    said = [sorted(json.dumps(one, sort_keys=True) for one in given[name]) for name in ("events", "entities")]
    parts = [
        artifact.memory.content, to_json(artifact.memory.given()), to_text(artifact.updated_at),
        to_text(artifact.last_occurred), artifact.frequency, artifact.stashed, is_revision,
        said, given.get("replaces", False),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _given(item: KeptItem, runs: Mapping[str, Run]) -> _Given:
    """Return what callers gave of an item, by runs that are in force, earliest first."""
    found = {
        reading.run_id: reading.found
        for reading in item.readings
        if reading.found is not None and _is_given(runs.get(reading.run_id))
    }
    return {run_id: found[run_id] for run_id in sorted(found, key=lambda one: (runs[one].started, one))}


def _is_given(run: Run | None) -> bool:
    return run is not None and run.extractor == CALLER_EXTRACTOR and run.state not in {"rolling_back", "rolled_back"}


def changes(store: Store, project_id: str, known: States) -> Generator[bytes]:
    """Yield lines with what a project has, and who `known` are the states of has not: first what was forgotten or
    replaced here, and at the end how many lines there were.

    What was forgotten there after it last changed here is left out.
    """
    with store.snapshot() as frozen:
        own = _states(frozen, project_id)
        forgotten = {id_: at for id_, at in own.forgotten.items() if id_ in known.items}
        revisions = sorted(known.items.keys() & own.revisions)
        yield json.dumps({"forgotten": forgotten, "revisions": revisions}).encode() + b"\n"
        number = 1
        for record in frozen.export_records(project_id):
            if isinstance(record, KeptItem) and not _is_news(own.items[record.artifact.id], record.artifact.id, known):
                continue
            yield format_line(project_id, record) + b"\n"
            number += 1
        yield last_line(number)


def last_line(number: int) -> bytes:
    """Return the line after so many."""
    return json.dumps({"lines": number}).encode() + b"\n"


def _is_news(state: tuple[str, str], id_: str, known: States) -> bool:
    if id_ in known.items:
        return known.items[id_][0] != state[0]
    return known.forgotten.get(id_, "") < state[1]


@dataclass(slots=True)
class Taken:
    """What was taken in: `imported` with its counts, the ids that were forgotten, and sentences on `conflicts`, of
    which both sides are kept."""

    imported: Imported = field(default_factory=Imported)
    forgotten: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def take(
    lines: Iterable[bytes],
    project_id: str,
    store: Store,
    *,
    embedder: Embedder,
    tokenizer: Tokenizer,
    withdraw: Callable[[Run, Store], object],
    progress: Callable[[int], None] = lambda _: None,
) -> Taken:
    """Take in what `changes` yields of a record; `withdraw` rolls a run back that was rolled back there.

    Raises:
        InvalidInput: a line is not in its form, or the end is missing; what came before is in, and the same again
            completes it.
        Conflict: a line is of a newer release; what came before is in.
        Unavailable: the record does not answer; what came before is in.
    """
    importer = LineImporter(store, embedder, tokenizer, progress)
    taking = _Taking(project_id, store, importer, Taken(importer.imported), withdraw)
    number, end = 0, None
    for raw in lines:
        if end is not None:
            raise InvalidInput("More follows after the end of what was sent: use the same release on both sides.")
        if number == 0:
            taking.forget(_field(raw, "forgotten", dict), _field(raw, "revisions", list))
        elif raw.startswith(b'{"lines"'):
            end = _field(raw, "lines", int)
            continue
        else:
            with parsing_records():
                project, line = parse_line(raw, number + 1)
            if project != project_id:
                raise InvalidInput(f"Line {number + 1} is of project {project!r} and not of {project_id!r}.")
            taking.add(number + 1, line)
        number += 1
    taking.finish()
    if end != number:
        raise InvalidInput(
            f"What was sent ends after {number:,} lines, before its end: those are in, do the same again for the rest."
        )
    return taking.taken


def _field(raw: bytes, name: str, kind: type) -> Any:  # noqa: ANN401 - what JSON has there
    try:
        value = json.loads(raw)[name]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(f"A line without {name!r} was sent: use the same release on both sides.") from error
    if not isinstance(value, kind):
        raise InvalidInput(f"A line with a wrong {name!r} was sent: use the same release on both sides.")
    return value


@dataclass(slots=True)
class _Taking:
    """Lines that are taken in, items in groups, with what an import alone does not do."""

    project_id: str
    store: Store
    importer: LineImporter
    taken: Taken
    withdraw: Callable[[Run, Store], object]
    _runs: dict[str, Run] = field(default_factory=dict)
    _withdrawn: list[Run] = field(default_factory=list)
    _items: list[tuple[int, KeptItem]] = field(default_factory=list)
    #: Ids of items and of the other current ones under their keys; what the other side has as revisions.
    _rivals: list[tuple[str, str]] = field(default_factory=list)
    _replaced: frozenset[str] = frozenset()
    _revisions: dict[str, Artifact] = field(default_factory=dict)

    def forget(self, forgotten: Mapping[str, str], revisions: Sequence[str]) -> None:
        """Forget what the other side has forgotten, unless it changed here afterwards; `revisions` it has replaced."""
        self._replaced = frozenset(map(str, revisions))
        stored = self.store.get(self.project_id, list(forgotten))
        gone = [id_ for id_, artifact in stored.items() if _changed(artifact) <= str(forgotten[id_])]
        self.taken.conflicts += [
            f"{id_} was forgotten there and changed here afterwards: it is kept, forget it here if that is meant."
            for id_ in sorted(stored.keys() - set(gone))
        ]
        if gone:
            self.store.redact(self.project_id, gone, self._staying(gone), "forget")
            self.taken.forgotten += gone

    def _staying(self, gone: Sequence[str]) -> list[Record]:
        """Return the revisions of items that go which are not to be forgotten, with what is known of them: the newest
        takes the place of what replaced it."""
        behind = {one.id for id_ in gone for one in self.store.revisions(self.project_id, id_)}.difference(gone)
        if not behind:
            return []
        records = list(self.store.export_records(self.project_id))
        items = {record.artifact.id: record for record in records if isinstance(record, KeptItem)}
        after = successors({id_: items[id_].artifact.replaced_by for id_ in gone if id_ in items})
        return [
            _behind(record, after, gone, self.importer.tokenizer) if isinstance(record, KeptItem) else record
            for record in records
            if not isinstance(record, KeptItem) or record.artifact.id in behind
        ]

    def add(self, number: int, line: Line) -> None:
        """Add one line."""
        if isinstance(line, KeptItem):
            self._items.append((number, line))
            if len(self._items) >= _TOGETHER:
                self._put_items()
            return
        self._put_items()
        if isinstance(line, Run):
            stored = self.store.run(self.project_id, line.id)
            self._runs[line.id] = line if stored is None else stored
            if stored is not None and _is_given(stored) and line.state == "rolled_back":
                self._withdrawn.append(stored)
        self.importer.add(number, self.project_id, line)

    def finish(self) -> None:
        """Put in what is left, and do what takes all of it."""
        self._put_items()
        self.importer.flush()
        self._supersede()
        for run in self._withdrawn:
            try:
                self.withdraw(run, self.store)
            except Conflict as error:
                self.taken.conflicts.append(f"{run.id} was rolled back there, and is not here: {error}")
        told = {one for rival in self._rivals for one in rival}
        current = self.store.get(self.project_id, list(told))
        for id_, other in self._rivals:
            if other in self._replaced or id_ not in current or other not in current:
                continue
            kept, newer = (id_, other) if current[id_].replaced_by else (other, id_)
            key = current[newer].memory.key
            self.taken.conflicts.append(
                f"Both sides changed key {key!r}: {newer} is newer and current, {kept} is kept as its revision."
            )

    def _put_items(self) -> None:
        items, self._items = self._items, []
        if not items:
            return
        ids = [item.artifact.id for _, item in items]
        stored = self.store.get(self.project_id, ids)
        before = self._annotations(ids)
        for number, item in items:
            artifact = item.artifact
            if artifact.replaced_by is not None:
                self._revisions[artifact.id] = artifact
            elif artifact.memory.key is not None and artifact.id not in stored:
                self._rivals += [(artifact.id, one.id) for one in self._holders(artifact)]
            self.importer.add(number, self.project_id, item)
        self.importer.flush()
        after = self._annotations(ids)
        for _, item in items:
            self._annotate(item, before.get(item.artifact.id, {}), after.get(item.artifact.id, {}))

    def _holders(self, artifact: Artifact) -> Sequence[Artifact]:
        filters = Filters(at=now(), context=artifact.memory.context)
        found = self.store.by_key(self.project_id, artifact.memory.key or "", filters)
        return [one for one in found if one.id != artifact.id]

    def _annotations(self, ids: Sequence[str]) -> dict[str, _Given]:
        found = self.store.annotations(self.project_id, ids)
        return {id_: {one.run_id: one.found for one in several} for id_, several in found.items()}

    def _annotate(self, item: KeptItem, before: _Given, after: _Given) -> None:
        """Have an item say what callers gave of it on either side; of the same words, what was given last."""
        runs = {run_id: self._run(run_id) for run_id in (*before, *(reading.run_id for reading in item.readings))}
        every = before | _given(item, self._runs)
        every = {run_id: found for run_id, found in every.items() if _is_given(runs[run_id])}
        if not every:
            return
        order = sorted(every, key=lambda one: (_started(runs[one]), one))
        wanted = merged_annotations(every[run_id] for run_id in order)
        latest = runs[order[-1]]
        if wanted != merged_annotations(after.values()) and latest is not None:
            # What is taken over was counted where it was given.
            given = CallerAnnotations(replace(latest, tally=RunTally()), wanted)
            self.store.annotate(self.project_id, item.artifact.id, given)

    def _run(self, run_id: str) -> Run | None:
        if run_id not in self._runs and (stored := self.store.run(self.project_id, run_id)) is not None:
            self._runs[run_id] = stored
        return self._runs.get(run_id)

    def _supersede(self) -> None:
        """Make revisions of current items that the other side has as such, where no key says so."""
        stored = self.store.get(self.project_id, [*self._revisions])
        for id_, there in self._revisions.items():
            here = stored.get(id_)
            if here is None or here.replaced_by is not None or _changed(here) > _changed(there):
                continue
            successor = self.store.get(self.project_id, [there.replaced_by or ""]).get(there.replaced_by or "")
            if successor is not None:
                self.store.supersede(self.project_id, id_, successor)


def _behind(item: KeptItem, after: Mapping[str, str], gone: Collection[str], tokenizer: Tokenizer) -> KeptItem:
    """Return an item as it is where others are gone, some of which left a successor."""
    artifact = item.artifact
    if artifact.replaced_by in gone:
        artifact = replace(artifact, replaced_by=after.get(artifact.replaced_by or ""))
    return chunk_kept(replace(item, artifact=artifact), tokenizer)


def _started(run: Run | None) -> datetime:
    return now() if run is None else run.started
