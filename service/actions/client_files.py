"""`ingest` for clients: which files clients may read, and the report about them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from core.errors import InvalidInput
from core.interface.ingestion import GoneItems, Ingested, IngestRequest, RefusedFile
from core.interface.results import describe_unread_languages
from core.search import Tokenizer
from graph.store import Store
from ingest.intake.files import IntakeTally, UnreadTexts, ingest
from ingest.intake.known_files import DeletedFile, KnownFiles, Record
from ingest.readers import Read, Walk, items, walk
from ingest.readers.formats.source import Part, Refused
from service.workspace import path_spellings

#: Refused files that an answer names.
_NAMED: Final = 50
_HOW_TO_OPEN: Final = (
    "name its folder in REMEMBRANCER_INGEST_ROOTS or among the client's roots, or use `remembrancer ingest`."
)


class Watcher(Protocol):
    """Whoever waits for a long call."""

    def report(self, done: int, total: int | None = None) -> None:
        """Say how many steps are done, and of how many."""
        ...

    def is_cancelled(self) -> bool:
        """Whether nobody waits any more."""
        ...


class Unwatched:
    """Nobody to tell. Fulfils `Watcher`."""

    def report(self, done: int, total: int | None = None) -> None: ...

    def is_cancelled(self) -> bool:
        return False


class OpenKnownFiles(Protocol):
    """Opens the table of the files that were taken in."""

    def __call__(
        self, records: Record, project_id: str, context: str | None, *, is_rehearsal: bool = False
    ) -> KnownFiles: ...


@dataclass(frozen=True, slots=True)
class Intake:
    """How files are read for clients, and the folders below which they must lie; without any, the client's own.

    `reads_english_alone` says whether extraction reads texts of other languages by their structure alone.
    """

    read: Read = items
    roots: tuple[Path, ...] = ()
    known_files: OpenKnownFiles | None = None
    reads_english_alone: bool = False

    def path(self, asked: str, roots: Sequence[str]) -> Path:
        """Return what a client asks for in any spelling, links resolved; a relative path is looked for in each folder.

        Raises:
            InvalidInput: it is not below an allowed folder, whether or not there is anything.
        """
        folders = [_resolved(folder) for folder in (self.roots or map(Path, roots))]
        if not folders:
            raise InvalidInput(f"No folder is open to ingest: {_HOW_TO_OPEN}")
        named = [_resolved(folder / spelling) for spelling in path_spellings(asked) for folder in folders]
        places = [path for path in named if any(path.is_relative_to(folder) for folder in folders)]
        if not places:
            raise InvalidInput(f"{asked[:200]!r} is not open to ingest: {_HOW_TO_OPEN}")
        return next((path for path in places if path.exists()), places[0])


def ingest_for_client(
    asked: IngestRequest,
    project_id: str,
    intake: Intake,
    roots: Sequence[str],
    *,
    records: Store,
    tokenizer: Tokenizer,
    watcher: Watcher,
) -> Ingested:
    """Take in what a client asks for, one file after the other, until the client takes the call back: what is stored
    by then stays.

    Raises:
        InvalidInput: the path is not open to clients.
        NotFound: there is nothing at it.
        Unavailable: the record can't be written; the files before are in.
    """
    found, refused = walk([intake.path(asked.path, roots)]), list[RefusedFile]()
    unread = UnreadTexts(intake.read)
    read_part = unread if intake.reads_english_alone else intake.read

    def read(path: Path, *, context: str | None) -> Iterator[Part]:
        for part in read_part(path, context=context):
            if watcher.is_cancelled():
                yield Refused("The call was taken back before all of it was read.")
                return
            yield part

    known = None
    if intake.known_files is not None:
        known = intake.known_files(records, project_id, asked.context, is_rehearsal=asked.dry_run)
        known.look_below(found.roots)

    tallies = ingest(
        found.files,
        project_id,
        context=asked.context,
        records=records,
        tokenizer=tokenizer,
        read=read,
        dry_run=asked.dry_run,
        known=known,
    )
    tally = IntakeTally()
    for number, tally in enumerate(tallies, start=1):
        # Those that are done with: some are stored together, so that one may be known only after the next was read.
        refused += [RefusedFile(one.path.as_posix(), reason) for one in tally.outcomes for reason in one.refused]
        tally.outcomes.clear()
        watcher.report(number, len(found.files))
        if watcher.is_cancelled():
            break
    tallies.close()
    departed: Sequence[DeletedFile] = ()
    if known is not None and not watcher.is_cancelled():
        departed = known.deleted_files(prune=asked.prune)
        if not asked.dry_run:
            known.forget(departed)
    return Ingested(
        tally.stored,
        tally.updated,
        tally.unchanged,
        refused[:_NAMED],
        redacted=tally.redacted[:_NAMED] or None,
        forgotten=sum(len(one.ids) for one in departed if one.kept is None) or None,
        gone=[_gone(one) for one in departed[:_NAMED]] or None,
        dry_run=asked.dry_run or None,
        hint=_hint(found, tally, len(refused), unread, departed),
    )


def _gone(one: DeletedFile) -> GoneItems:
    kept = list(one.ids[:_NAMED]) if one.kept else []
    return GoneItems(one.path, len(one.ids), one.moved_to, one.kept, kept or None)


def _hint(
    found: Walk, tally: IntakeTally, refused: int, unread: UnreadTexts, departed: Sequence[DeletedFile]
) -> str | None:
    """Return what of the answer was left out, and what was not read, or not for events; None if there is nothing."""
    told = []
    if refused > _NAMED:
        told.append(f"{refused - _NAMED:,} more were refused: ingest smaller folders to see which.")
    if len(tally.redacted) > _NAMED:
        told.append(f"{len(tally.redacted) - _NAMED:,} more files have secrets, which are not stored.")
    if len(departed) > _NAMED:
        told.append(
            f"{len(departed) - _NAMED:,} more files no longer give what they gave: `remembrancer ingest --json`."
        )
    if not found.files:
        told.append("No file of a known format is there: `remembrancer formats` lists them.")
    if passed := Counter(found.skipped) + tally.left_out:
        told.append(f"Passed over: {', '.join(f'{count} {reason}' for reason, count in passed.items())}.")
    if tally.blank:
        more = f" and {len(tally.blank) - _NAMED:,} more" if len(tally.blank) > _NAMED else ""
        told.append(f"Without text: {', '.join(tally.blank[:_NAMED])}{more}.")
    return " ".join(filter(None, [*told, describe_unread_languages(unread.languages)])) or None


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput(f"{str(path)[:200]!r} can't be resolved ({error}): check the path.") from error
