"""Files into the record, incrementally: what has not changed is not touched."""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.embedding import Tokenizer
from core.errors import InvalidInput, NotFound, TooLarge
from core.interface.memory import Memory
from ingest.intake.artifacts import ItemStore
from ingest.intake.batch import Batch, Rehearsal, Taken
from ingest.intake.dating import FileDates
from ingest.intake.known_files import KnownFile, KnownFiles
from ingest.intake.settled_kind import resolve_context
from ingest.intake.trust import strip_claims
from ingest.readers import Read, items
from ingest.readers.formats.source import LeftOut, Refused
from ingest.readers.front_matter import UNREAD


@dataclass(slots=True)
class FileOutcome:
    """What became of one file: items by their status, the ids of those stored, and why parts of it were refused."""

    path: Path
    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: list[str] = field(default_factory=list)
    #: Parts that were left out by design.
    left_out: list[LeftOut] = field(default_factory=list)
    #: Whether nothing is in it.
    is_blank: bool = False
    ids: list[str] = field(default_factory=list)

    def count(self, taken: Taken) -> None:
        """Count what became of one item."""
        if taken.status == "refused":
            self.refused.append(f"{self.path.as_posix()!r}: {taken.why}")
            return
        setattr(self, taken.status, getattr(self, taken.status) + 1)
        self.ids.append(taken.id)


@dataclass(slots=True)
class IntakeTally:
    """Counts so far; `refused` has the reason for each refused file, `blank` names the files without text.

    `claiming` counts files whose own fields do not count, since they are not trusted, and `unread` says which fields
    could not be read, a line for each item. `left_out` counts parts by reason. `outcomes` are the files since a caller
    last took them out.
    """

    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    blank: list[str] = field(default_factory=list)
    claiming: int = 0
    refused: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    outcomes: list[FileOutcome] = field(default_factory=list, compare=False)

    def add(self, outcome: FileOutcome) -> None:
        """Count a file that is done with."""
        self.stored += outcome.stored
        self.updated += outcome.updated
        self.unchanged += outcome.unchanged
        self.refused += outcome.refused
        self.blank += [outcome.path.as_posix()] * outcome.is_blank
        self.left_out.update(part.reason for part in outcome.left_out)
        self.outcomes.append(outcome)


def ingest(
    files: Sequence[Path],
    project_id: str,
    *,
    context: str | None,
    trust: bool = False,
    dry_run: bool = False,
    records: ItemStore,
    tokenizer: Tokenizer,
    read: Read = items,
    known: KnownFiles | None = None,
) -> Generator[IntakeTally]:
    """Remember every item in the files, one file after the other, and yield the tally after each.

    Without `trust` a file is only a file (`ingest.intake.trust`). A file that is `known` and has not changed is not
    read. An item that is stored already, with the same words and the same origin, is not touched unless its other
    fields changed. What can't be read is refused: a part of a file, or the rest of it from there on; then the next one
    is taken. Some are stored together: a tally may be behind what was read, but for the last one. A dry run counts what
    would be done, and stores nothing.

    Raises:
        Unavailable: the record can't be written; what was counted is in.
    """
    batch = Rehearsal(project_id, records) if dry_run else Batch(project_id, records, tokenizer)
    tally, intake = IntakeTally(), _Intake(project_id, records, batch, known)
    try:
        for number, path in enumerate(files, start=1):
            if known is not None and (same := known.unchanged(path)) is not None:
                tally.add(FileOutcome(path, unchanged=len(same.ids)))
            else:
                intake.take(path, context, tally, read, trust=trust)
            if number == len(files):
                intake.flush()
            intake.finish(tally)
            yield tally
    finally:
        if known is not None:
            known.save()


class _Intake:
    """Files on their way into the record: read one after the other, stored some items at a time."""

    def __init__(self, project_id: str, records: ItemStore, batch: Batch | Rehearsal, known: KnownFiles | None) -> None:
        self._project_id, self._records = project_id, records
        self._batch, self._known, self._dates = batch, known, FileDates()
        #: Files of which items wait, with what is to be noted of each when none does.
        self._open: dict[Path, tuple[FileOutcome, KnownFile | None]] = {}
        self._waiting: Counter[Path] = Counter()

    def take(self, path: Path, context: str | None, tally: IntakeTally, read: Read, *, trust: bool) -> None:
        """Read a file and put its items into the batch."""
        outcome, is_blank, is_claiming = FileOutcome(path), True, False
        self._open[path] = outcome, self._known.begin(path) if self._known is not None else None
        try:
            for part in read(path, context=context):
                is_blank = False
                if isinstance(part, Refused):
                    outcome.refused.append(part.reason)
                    continue
                if isinstance(part, LeftOut):
                    outcome.left_out.append(part)
                    continue
                memory, claims = (part.memory, False) if trust else strip_claims(part, path, context)
                if part.places:
                    memory = replace(memory, places=tuple(f"{place.start_char} {place.name}" for place in part.places))
                if part.context_detected:
                    memory = resolve_context(memory, self._project_id, self._records)
                is_claiming |= claims
                tally.unread += _unread(path, memory)
                memory = self._dates.dated(memory, path)
                self._waiting[path] += 1
                self._count(self._batch.put(path, memory))
        except (InvalidInput, NotFound, TooLarge) as error:
            outcome.refused.append(str(error))
        else:
            outcome.is_blank = is_blank
        tally.claiming += is_claiming

    def flush(self) -> None:
        """Store what waits."""
        self._count(self._batch.flush())

    def finish(self, tally: IntakeTally) -> None:
        """Count the files of which no item waits, and note what they gave."""
        for path in [path for path in self._open if not self._waiting[path]]:
            outcome, seen = self._open.pop(path)
            tally.add(outcome)
            if self._known is not None and seen is not None:
                self._known.keep(replace(seen, ids=tuple(dict.fromkeys(outcome.ids))), is_whole=not outcome.refused)

    def _count(self, taken: Iterable[Taken]) -> None:
        for one in taken:
            self._open[one.path][0].count(one)
            self._waiting[one.path] -= 1


def _unread(path: Path, memory: Memory) -> list[str]:
    """Return which fields of an item could not be read, and why, as one line if there are any."""
    fields = (memory.metadata or {}).get(UNREAD)
    reasons = [f"{name}: {why}" for name, why in fields.items()] if isinstance(fields, dict) else []
    return [f"{path.as_posix()!r}: {'; '.join(reasons)}"] if reasons else []
