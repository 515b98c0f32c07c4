"""Files into the record, incrementally: what has not changed is not touched."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.embedding import Tokenizer
from core.errors import InvalidInput, NotFound, TooLarge
from core.interface.memory import Memory
from graph.protocols.records import Records
from ingest.intake.batch import Batch, Rehearsal, Taken
from ingest.intake.dating import FileDates
from ingest.intake.trust import untrusted
from ingest.readers import Read, items
from ingest.readers.formats.item import Refused
from ingest.readers.front_matter import UNREAD


@dataclass(slots=True)
class Tally:
    """Counts so far; `refused` has the reason for each refused file, `blank` counts empty files.

    `claiming` counts files whose own fields do not count, since they are not trusted, and `unread` says which fields
    could not be read, a line for each item.
    """

    stored: int = 0
    updated: int = 0
    unchanged: int = 0
    blank: int = 0
    claiming: int = 0
    refused: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def count(self, taken: Iterable[Taken]) -> None:
        """Count what became of some memories."""
        for one in taken:
            if one.status == "refused":
                self.refused.append(f"{one.path.as_posix()!r}: {one.why}")
            else:
                setattr(self, one.status, getattr(self, one.status) + 1)


def ingest(
    files: Sequence[Path],
    project_id: str,
    *,
    context: str | None,
    trust: bool = False,
    dry_run: bool = False,
    records: Records,
    tokenizer: Tokenizer,
    read: Read = items,
) -> Iterator[Tally]:
    """Remember every item in the files, one file after the other, and yield the tally after each.

    Without `trust` a file is only a file (`ingest.intake.trust`). An item that is stored already, with the same words
    and the same origin, is not touched unless its other fields changed. What can't be read is refused: a part of a
    file, or the rest of it from there on; then the next one is taken. Some are stored together: a tally may be behind
    what was read, but for the last one. A dry run counts what would be done, and stores nothing.

    Raises:
        Unavailable: the record can't be written; what was counted is in.
    """
    tally, dates = Tally(), FileDates()
    batch = Rehearsal(project_id, records) if dry_run else Batch(project_id, records, tokenizer)
    for number, path in enumerate(files, start=1):
        is_blank, is_claiming = True, False
        try:
            for part in read(path, context=context):
                is_blank = False
                if isinstance(part, Refused):
                    tally.refused.append(part.reason)
                    continue
                memory, claims = (part.memory, False) if trust else untrusted(part, path, context)
                if part.places:
                    memory = replace(memory, places=tuple(f"{place.start_char} {place.name}" for place in part.places))
                is_claiming |= claims
                tally.unread += _unread(path, memory)
                tally.count(batch.put(path, dates.dated(memory, path)))
        except (InvalidInput, NotFound, TooLarge) as error:
            tally.refused.append(str(error))
        else:
            tally.blank += is_blank
        tally.claiming += is_claiming
        if number == len(files):
            tally.count(batch.flush())
        yield tally


def _unread(path: Path, memory: Memory) -> list[str]:
    """Return which fields of an item could not be read, and why, as one line if there are any."""
    fields = (memory.metadata or {}).get(UNREAD)
    reasons = [f"{name}: {why}" for name, why in fields.items()] if isinstance(fields, dict) else []
    return [f"{path.as_posix()!r}: {'; '.join(reasons)}"] if reasons else []
