"""Files into the record, incrementally, with the trust, context and language of each; and waiting for changed files."""

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from watchfiles import Change, watch
from watchfiles.main import FileChange

from core.dates import now
from core.errors import InvalidInput, NotFound, TooLarge, Unavailable
from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.rules import RULE_CONTEXTS
from core.knowledge.secrets import Redaction, SecretRefused, describe_redactions, redact_text
from core.search import Tokenizer
from graph.protocols.records import Records
from ingest.document.text_kind import unread_language
from ingest.intake.artifacts import Batch, DryRun, ItemStore, MemoryOutcome
from ingest.intake.dating import FileDates
from ingest.intake.known_files import KnownFile, KnownFiles
from ingest.readers import Read, Selection, Walk, items, walk
from ingest.readers.formats.source import Item, LeftOut, Part, Refused
from ingest.readers.front_matter import UNREAD

#: Contexts that are detected from a text's lines, and the default.
_KINDS: Final = frozenset({"document", "email", "chat", "transcript", "meeting", "note"})


def resolve_context(memory: Memory, project_id: str, records: Records) -> Memory:
    """Return a memory with a detected context with the context of the item under its key, if there is one.

    Raises:
        Unavailable: the record can't be read.
    """
    if memory.key is None:
        return memory
    held = [found.memory.context for found in records.by_key(project_id, memory.key, Filters(at=now()))]
    known = [context for context in held if context in _KINDS]
    return memory if not known or memory.context in known else replace(memory, context=known[0])


#: Suffixes of exports, whose entries have no key unless they give one.
_EXPORTS: Final = frozenset({".jsonl", ".ndjson"})
#: The source of what somebody remembered by hand.
_BY_HAND: Final = "manual"


def strip_claims(item: Item, path: Path, context: str | None) -> tuple[Memory, bool]:
    """Return the memory of an item read from a file as no more than a file, and whether the file claimed to be more.

    Its own `key`, `scope`, `author`, rule context and source "manual" are kept in `metadata`. Senders of mails and
    speakers of turns stay authors. `context` is what the caller says the files are.

    Raises:
        TooLarge: `metadata` is over its limit with them.
    """
    memory, where = item.memory, path.resolve().as_posix()
    claims = _claims(item, where, context)
    plain: dict[str, Any] = {
        "key": None if path.suffix.lower() in _EXPORTS else where,
        "scope": "universal",
        "author": None,
        "context": context or "document",
        "source": "file",
    }
    given = {f"metadata.{name}" if name in claims else name: value for name, value in (memory.metadata or {}).items()}
    try:
        changes = {name: plain[name] for name in claims} | {"metadata": (given | claims) or memory.metadata}
        return replace(memory, **changes, trusted=False), bool(claims)
    except TooLarge as error:
        raise TooLarge(f"{where!r}: {error}") from error


def _claims(item: Item, where: str, context: str | None) -> dict[str, str]:
    """Return the fields by which a file claims to be more than one; its own path begins the keys that readers make."""
    memory = item.memory
    is_own = memory.key is None or memory.key == where or memory.key.startswith((f"{where}#", f"{where}/"))
    found = {
        "key": None if is_own else memory.key,
        "scope": None if memory.scope == "universal" else memory.scope,
        "author": None if memory.is_turn or item.spoken else memory.author,
        "context": memory.context if memory.context in RULE_CONTEXTS and memory.context != context else None,
        "source": memory.source if memory.source == _BY_HAND else None,
    }
    return {name: value for name, value in found.items() if value is not None}


class UnreadTexts:
    """Reads files as another reader does, and counts what is in another language. Fulfils `ingest.readers.Read`."""

    def __init__(self, read: Read) -> None:
        self._read = read
        #: Items by the ISO 639 code of their language; English and texts of uncertain language are not counted.
        self.languages: Counter[str] = Counter()

    def __call__(self, path: Path, *, context: str | None) -> Iterator[Part]:
        """Yield what the other reader reads; raises as it does."""
        for part in self._read(path, context=context):
            if isinstance(part, Item) and (language := unread_language(part.memory.content)) is not None:
                self.languages[language] += 1
            yield part


#: Changes come together until none has come for so long, and after so long at most, in milliseconds: who saves a file
#: writes it in pieces, and a folder that is copied comes file by file.
_QUIET, _LONGEST = 500, 5_000
#: How often it is looked whether to stop, in milliseconds.
_LOOK: Final = 250


def watch_changes(
    paths: Sequence[Path], selection: Selection | None = None, stop: threading.Event | None = None
) -> Iterator[Walk]:
    """Yield what there is at and below the paths, and again each time that some of it has changed; until `stop` is set.

    What changes while the caller works on the last change is yielded next. The system only reports that something
    changed; what changed is read from the files themselves, so that nothing is missed in a flood.

    Raises:
        InvalidInput: files and folders are mixed.
        NotFound: one of the paths does not exist, or later none of the watched folders.
        Unavailable: the system can't watch them.
    """
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is nothing at {str(path)!r}: check the path.")
    folders = [path for path in paths if path.is_dir()]
    if folders and len(folders) < len(paths):
        raise InvalidInput("Files and folders can't be watched together: name folders, or only files.")
    # A file is often replaced by another one of its name, which only its folder tells.
    places = folders or sorted({path.resolve().parent for path in paths})
    events = watch_places(places, stop, recursive=bool(folders))
    known: dict[Path, tuple[int, ...]] | None = None
    try:
        next(events, None)  # from here on nothing is missed
        while True:
            there = list(paths) if folders or known is None else [path for path in paths if path.exists()]
            found = replace(walk(there, selection), roots=tuple(path.resolve() for path in paths))
            now = {file: state for file in found.files if (state := _state(file)) is not None}
            if now != known:
                yield found
            known = now
            if not any(events):
                return
    except (OSError, RuntimeError) as error:
        raise Unavailable(
            f"The files can't be watched ({error}): run `remembrancer ingest` without --watch."
        ) from error


def watch_places(
    places: Sequence[Path],
    stop: threading.Event | None,
    *,
    recursive: bool = True,
    is_seen: Callable[[Change, str], bool] | None = None,
) -> Iterator[set[FileChange]]:
    """Yield what changed at these places, together, and nothing from time to time. Raises OSError and RuntimeError."""
    return watch(
        *places,
        watch_filter=is_seen,
        debounce=_LONGEST,
        step=_QUIET,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
        stop_event=stop,
        recursive=recursive,
        ignore_permission_denied=True,
    )


def _state(file: Path) -> tuple[int, ...] | None:
    """Return what differs once a file was written; None if it is not there any more."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


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
    #: The secrets in it that are not stored.
    redacted: list[Redaction] = field(default_factory=list)

    def count(self, taken: MemoryOutcome) -> None:
        """Count what became of one item."""
        if taken.status == "refused":
            self.refused.append(f"{self.path.as_posix()!r}: {taken.why}")
            return
        setattr(self, taken.status, getattr(self, taken.status) + 1)
        self.redacted += taken.redacted
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
    #: Secrets that are not stored, a line for each file.
    redacted: list[str] = field(default_factory=list)
    outcomes: list[FileOutcome] = field(default_factory=list, compare=False)

    def add(self, outcome: FileOutcome) -> None:
        """Count a file that is done with."""
        self.stored += outcome.stored
        self.updated += outcome.updated
        self.unchanged += outcome.unchanged
        self.refused += outcome.refused
        self.blank += [outcome.path.as_posix()] * outcome.is_blank
        self.left_out.update(part.reason for part in outcome.left_out)
        if outcome.redacted:
            self.redacted.append(f"{outcome.path.as_posix()!r}: {describe_redactions(outcome.redacted)}")
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

    Without `trust` nothing written in a file gives it special rights. A file that is `known` and has not changed is not
    read. An item that is stored already, with the same words and the same origin, is not touched unless its other
    fields changed. What can't be read is refused: a part of a file, or the rest of it from there on; then the next one
    is taken. Some are stored together: a tally may be behind what was read, but for the last one. A dry run counts what
    would be done, and stores nothing.

    Raises:
        Unavailable: the record can't be written; what was counted is in.
    """
    batch = DryRun(project_id, records) if dry_run else Batch(project_id, records, tokenizer)
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

    def __init__(self, project_id: str, records: ItemStore, batch: Batch | DryRun, known: KnownFiles | None) -> None:
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
                    outcome.refused.append(redact_text(part.reason))
                    continue
                if isinstance(part, LeftOut):
                    outcome.left_out.append(part)
                    continue
                try:
                    memory, claims = (replace(part.memory), False) if trust else strip_claims(part, path, context)
                except SecretRefused as error:
                    outcome.refused.append(f"{path.as_posix()!r}: {error}")
                    continue
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

    def _count(self, taken: Iterable[MemoryOutcome]) -> None:
        for one in taken:
            self._open[one.path][0].count(one)
            self._waiting[one.path] -= 1


def _unread(path: Path, memory: Memory) -> list[str]:
    """Return which fields of an item could not be read, and why, as one line if there are any."""
    fields = (memory.metadata or {}).get(UNREAD)
    reasons = [f"{name}: {why}" for name, why in fields.items()] if isinstance(fields, dict) else []
    return [f"{path.as_posix()!r}: {'; '.join(reasons)}"] if reasons else []
