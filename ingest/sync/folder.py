"""Syncing a folder: what changed on which side since both agreed, and bringing it to the other side."""

import errno
import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final, Literal, Protocol, TypeVar

from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from core.interface.memory import Context, Memory
from core.knowledge.secrets import SecretRefused
from core.records import Artifact
from core.regex import regex
from core.search import Tokenizer
from graph.protocols.administration import Jobs
from graph.protocols.knowledge import Runs
from graph.protocols.records import Records
from ingest.intake.files import FileOutcome, IntakeTally, ingest, strip_claims
from ingest.intake.known_files import SyncedNote, SyncedNotes, file_digest, see_file
from ingest.readers import Read, Selection
from ingest.readers.documents.plain_text import read_markdown
from ingest.readers.folder import walk
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.sync.note_files import TRASH, EditedError, NoteFiles
from ingest.sync.notes import (
    RULE_FILES,
    folded,
    is_portable,
    merge_note,
    note_path,
    oversize,
    path_beside,
    read_id,
    render_note,
    without_written,
)

_SUFFIXES: Final = frozenset({".md", ".markdown"})
#: What the key of a note ends with whose path is the key of another item, of a note that was moved.
_TWIN: Final = "#note"
_ANY_TWIN: Final = regex(rf"{_TWIN}\d*\Z")
#: What no note can be written after.
_ENDS_ALL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS})
#: Items that are read together, and notes deleted without being given their number.
_TOGETHER, _UNCOUNTED = 200, 100

Act = Literal[
    "remembered", "revised", "moved", "unchanged", "written", "rewritten", "forgotten", "put away",
    "conflict", "kept", "refused", "held back", "noted",
]  # fmt: skip


T = TypeVar("T")


class SyncStore(Records, Jobs, Runs, Protocol):
    """What is asked of the store."""


class Bar(Protocol):
    """Shows progress of so many steps."""

    def __call__(self, what: str, total: int | None) -> AbstractContextManager[Callable[[int], None]]: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one note; `why` says more where it is not as expected, with the next step."""

    path: str
    act: Act
    why: str = ""


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """What the user asks for. `writes` has the contexts whose items get a note, None for all."""

    project_id: str = "default"
    context: Context | None = None
    trust: bool = False
    dry_run: bool = False
    purge: bool = False
    confirm_count: int | None = None
    writes: frozenset[str] | None = None
    selection: Selection = field(default_factory=Selection)
    #: The scope of what files of rules say, if they are trusted.
    rule_scope: str = "universal"


@dataclass(slots=True)
class _Incoming:
    """A note that goes to the memory: its row as it is now, and the item that it was before, by its id, if any."""

    seen: SyncedNote
    act: Act
    id: str = ""
    item: Artifact | None = None
    is_conflict: bool = False


class FolderSync:
    """One run of a sync. Whatever it is interrupted by, the next run finds what is done and goes on."""

    def __init__(
        self, folder: Path, options: SyncOptions, store: SyncStore, tokenizer: Tokenizer, read: Read, notes: SyncedNotes
    ) -> None:
        self._folder, self._options, self._project = folder, options, options.project_id
        self._store, self._tokenizer, self._read, self._notes = store, tokenizer, read, notes
        self._disk = NoteFiles(folder)
        self.outcomes: list[Outcome] = []
        self._incoming: dict[str, _Incoming] = {}
        #: Notes of which both sides are gone or forgotten, unchanged notes whose item changed, and items without note.
        self._deleted: list[tuple[str, str]] = []
        self._put_away: list[SyncedNote] = []
        self._outgoing: list[tuple[SyncedNote, str]] = []
        self._paired: set[str] = set()
        self._taken: set[str] = set()
        #: Every current item: its version, and whether it gets a note.
        self._current: dict[str, tuple[str, bool]] = {}
        #: The current items by their keys, the paths of notes in the folder that their keys name, and their files.
        self._keys: defaultdict[str, list[str]] = defaultdict(list)
        self._places: dict[str, str] = {}
        self._files: dict[str, str | None] = {}
        #: Notes that are there and say what no item at their path says: they have another one, or were forgotten.
        self._held: set[str] = set()
        self._is_empty = False
        self._claiming = 0
        self._is_rule_folder = any((folder / name).is_file() for name in ("MEMORY.md", "memory.md"))

    def run(self, bar: Bar) -> list[Outcome]:
        """Bring both sides together; return what became of each note that is not as it was.

        Raises:
            NotFound: there is no such folder.
            Conflict: the folder, or one in or around it, is in sync with another project or folder.
            Unavailable: the record, the folder or the table can't be written; what was done before stays.
        """
        if not self._folder.is_dir():
            raise NotFound(f"There is no folder {self._folder.as_posix()!r}: check the path.")
        if (other := self._notes.overlap()) is not None:
            raise Conflict(
                f"{other[1]!r} is in sync with project {other[0]!r}: end that with `remembrancer sync --stop`, or "
                "choose another folder."
            )
        for items in self._store.each(self._project, batch=1_000):
            self._current |= {one.id: (_version(one), self._gets_note(one)) for one in items}
            self._places |= {one.id: path for one in items if (path := self._path_of(one.memory)) is not None}
            self._files |= {one.id: one.memory.file_path for one in items}
            for one in items:
                if one.memory.key is not None:
                    self._keys[one.memory.key].append(one.id)
        self._plan()
        while self._incoming:
            with bar("Reading notes", len(self._incoming)) as advance:
                self._take_in(advance)
        if self._claiming:
            why = f"fields of {self._claiming} notes (author, scope, a rule's context) count only with --trust"
            self._say(self._folder.name, "noted", why)
        if self._is_confirmed() and (number := len(self._deleted) + len(self._put_away)):
            with bar("Deleting notes", number) as advance:
                self._forget_deleted(advance)
                for notes in _in_parts(self._put_away):
                    left = [note for note in notes if self._leave(note)]
                    self._notes.save(replace(note, item="") for note in left)
                    advance(len(notes))
        if outgoing := [*self._outgoing, *self._unwritten()]:
            with bar("Writing notes", len(outgoing)) as advance:
                self._write(outgoing, advance)
        return self.outcomes

    # What changed

    def _plan(self) -> None:
        """Find out for each note what changed since both sides agreed, and what is to be done."""
        rows = self._notes.load()
        files = self._scan()
        forgotten = {row.digest for row in rows.values() if not row.item}
        rows = {path: row for path, row in rows.items() if row.item}
        self._is_empty = not files
        self._taken |= {folded(path) for path in (*files, *rows)}
        now = self._successors([row.item for row in rows.values()])
        gone = {path: row for path, row in rows.items() if path not in files and self._is_gone(path, files)}
        new = {path: self._seen(path) for path in files if path not in rows}
        moved = self._moves(gone, {path: seen for path, seen in new.items() if seen is not None})
        refreshed: list[SyncedNote] = []
        left: list[str] = []
        for path, row in sorted(rows.items()):
            place = moved.get(path, path)
            if path in gone and path not in moved:
                refreshed += self._plan_gone(row, now.get(row.item))
                continue
            if place not in files:
                self._say(path, "kept", "it is left out now, and its item stays: forget that by id, or let the note in")
                self._paired.add(now.get(row.item) or "")
                continue
            seen = self._seen(place, row)
            if seen is not None:
                refreshed += self._plan_note(row, seen, now.get(row.item))
                left += [path] if path != place else []
        for path, seen in sorted(new.items()):
            if seen is None or path in moved.values():
                continue
            if seen.digest in forgotten:
                self._say(path, "held back", "it was forgotten in the memory: change it to have it remembered again")
                self._held.add(path)
            else:
                self._incoming[path] = _Incoming(seen, "remembered")
        if not self._options.dry_run:
            self._notes.save(refreshed, gone=left)

    def _scan(self) -> dict[str, Path]:
        """Return the notes of the folder by their relative paths, and say which names other systems do not take."""
        found = walk([self._folder], lambda path: path.suffix.lower() in _SUFFIXES, self._options.selection)
        files = {}
        for path in found.files:
            try:
                files[path.relative_to(self._folder).as_posix().encode().decode()] = path
            except UnicodeEncodeError:
                shown = os.fsencode(path.relative_to(self._folder)).decode(errors="replace")
                self._say(shown, "refused", "its name is not UTF-8: rename it")
        for path, reason in found.passed_over.items():
            if path.suffix.lower() in _SUFFIXES and reason not in {"ignored", "not selected"}:
                self._say(path.relative_to(self._folder).as_posix(), "noted", f"it is passed over: {reason}")
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for name in files:
            alike[folded(name)].append(name)
            if not is_portable(name):
                self._say(name, "noted", "Windows does not take this name: rename the note to share the folder")
        for paths in alike.values():
            if len(paths) > 1:
                self._say(paths[0], "noted", f"{paths[1]!r} is the same name on systems that know no case: rename one")
        return files

    def _seen(self, path: str, row: SyncedNote | None = None) -> SyncedNote | None:
        """Return a note as it is now, with the digest of its row if size and time are the same; None if unreadable."""
        file = self._folder / path
        try:
            told = see_file(file)
            if (
                row is not None
                and row.path == path
                and row.size == told.size
                and row.changed_at == told.changed_at != 0
            ):
                return row
            digest = file_digest(file)
        except OSError as error:
            self._say(path, "refused", f"it can't be read ({error.strerror}): check its permissions")
            return None
        base = row or SyncedNote(path, 0, 0, "", "", "", is_written=False)
        return replace(base, path=path, size=told.size, changed_at=told.changed_at, digest=digest)

    def _is_gone(self, path: str, files: dict[str, Path]) -> bool:
        """Whether a note is not there any more, rather than left out or out of sight; or has another case now."""
        try:
            (self._folder / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return any(folded(path) == folded(other) for other in files)

    def _moves(self, gone: dict[str, SyncedNote], new: dict[str, SyncedNote]) -> dict[str, str]:
        """Return where notes are now that are gone from their place.

        That is one with the same bytes, one with the id in it, or one whose name differs in case or form only.
        """
        if not gone:
            return {}
        by_digest: defaultdict[str, list[str]] = defaultdict(list)
        for path, seen in sorted(new.items(), reverse=True):
            by_digest[seen.digest].append(path)
        moved = {path: by_digest[row.digest].pop() for path, row in sorted(gone.items()) if by_digest[row.digest]}
        by_item = {row.item: path for path, row in gone.items() if path not in moved}
        given: dict[str, str] = {}
        for path in sorted(new.keys() - moved.values()):
            with suppress(OSError):
                if (id_ := read_id(self._folder / path)) is not None:
                    given[path] = id_
        now = self._successors([*given.values()])
        for path, id_ in given.items():
            of = by_item.pop(id_, None) or by_item.pop(now[id_] or "", None)
            if of is not None:
                moved[of] = path
        by_name = {folded(path): path for path in sorted(new.keys() - moved.values())}
        return moved | {
            path: by_name.pop(folded(path)) for path in sorted(gone.keys() - moved) if folded(path) in by_name
        }

    def _successors(self, ids: Sequence[str]) -> dict[str, str | None]:
        """Return which current item each of these is now; None if it is forgotten."""
        now: dict[str, str | None] = {}
        follow = {id_: id_ for id_ in ids}
        while follow:
            now |= {id_: at for id_, at in follow.items() if at in self._current}
            follow = {id_: at for id_, at in follow.items() if id_ not in now}
            found: dict[str, Artifact] = {}
            for some in _in_parts(sorted({*follow.values()})):
                found |= self._store.get(self._project, some)
            # What was stored since the items were listed is current, too.
            self._current |= {id_: (_version(one), False) for id_, one in found.items() if one.replaced_by is None}
            now |= dict.fromkeys(id_ for id_, at in follow.items() if at not in found)
            follow = {id_: found[at].replaced_by or at for id_, at in follow.items() if at in found}
        return now

    def _plan_gone(self, row: SyncedNote, item: str | None) -> Iterator[SyncedNote]:
        """Plan what becomes of the item of a note that was deleted, and yield its row if that is forgotten, too."""
        if item is None or item in self._paired:
            yield replace(row, item="")
        elif item == row.item and self._current[item][0] == row.version:
            self._paired.add(item)
            self._deleted.append((row.path, item))
        else:
            self._paired.add(item)
            self._held.add(row.path)
            self._say(row.path, "kept", "it was deleted, and its item was changed: it is written again")
            self._outgoing.append((replace(row, digest=""), item))

    def _plan_note(self, row: SyncedNote, seen: SyncedNote, item: str | None) -> Iterator[SyncedNote]:
        """Plan what becomes of a note that is there, and yield its row if its place or the file's time changed."""
        is_edited, is_moved = seen.digest != row.digest, seen.path != row.path
        if item is None or item in self._paired:
            if is_edited:
                self._say(seen.path, "kept", "its item was forgotten, and the note edited: it is remembered again")
                self._incoming[seen.path] = _Incoming(replace(seen, item=""), "remembered")
            else:
                self._put_away.append(seen)
            return
        self._paired.add(item)
        self._held.add(seen.path)
        is_changed = item != row.item or self._current[item][0] != row.version
        if is_moved:
            yield replace(seen, digest=row.digest, changed_at=0)
        if is_edited or is_moved:
            is_named_by_path = self._files.get(item) == (self._folder / row.path).as_posix()
            if is_edited or (is_named_by_path and not is_changed):
                act: Act = "moved" if is_moved else "revised"
                self._incoming[seen.path] = _Incoming(seen, act, item, is_conflict=is_edited and is_changed)
                return
            self._say(seen.path, "moved")
        if is_changed:
            self._outgoing.append((seen, item))
        elif seen is not row and not is_moved:
            yield seen

    # To the memory

    def _take_in(self, advance: Callable[[int], None]) -> None:
        """Store the notes that come in and pair them; what conflicts add to the folder comes in next."""
        incoming, self._incoming = self._incoming, {}
        self._now = incoming
        files = [self._folder / path for path in incoming]
        tally = IntakeTally()
        for tally in ingest(
            files,
            self._project,
            context=self._options.context,
            trust=True,  # what untrusted files claim is stripped where they are read
            dry_run=self._options.dry_run,
            records=self._store,
            tokenizer=self._tokenizer,
            read=self._read_note,
        ):
            self._pair(tally.outcomes)
            tally.outcomes.clear()
            advance(1)
        for line in tally.unread:
            self._say(self._folder.name, "noted", f"fields can't be read: {line}")
        for line in tally.redacted:
            self._say(self._folder.name, "noted", f"secrets are not stored, and stay in the file: {line}")

    def _read_note(self, path: Path, *, context: str | None) -> Iterator[Part]:
        """Yield the memory of a note as a revision of its item. Fulfils `ingest.readers.Read`."""
        parts = list(islice(self._read(path, context=context), 2))
        if len(parts) > 1:
            raise InvalidInput(f"{path.as_posix()!r} holds several items: leave it out here and `ingest` it.")
        for part in parts:
            if not isinstance(part, Item):
                yield part
                continue
            try:
                yield self._revision(part, path, self._now[path.relative_to(self._folder).as_posix()])
            except SecretRefused as error:
                yield Refused(f"{path.as_posix()!r}: {error}")

    def _revision(self, part: Item, path: Path, incoming: _Incoming) -> Item:
        """Return the item of a note: what the file says, or what it changes in the item that it was before."""
        note, where = self._claimed(part, path), path.as_posix()
        if not self._options.trust and note.metadata != (part.memory.metadata or None):
            self._claiming += strip_claims(part, path, self._options.context)[1]
        incoming.item = self._same_item(note, path) if not incoming.id else self._as_listed(incoming.id)
        if incoming.id and incoming.item is None:
            raise InvalidInput(f"The item of {where!r} was changed just now: run sync again.")
        own = self._ruled(part, note, path)
        if (held := incoming.item) is None:
            return self._with_free_key(own, where)
        if incoming.is_conflict:
            if self._merged(held, note, path) is held.memory:
                incoming.act, incoming.is_conflict = "unchanged", False
            else:
                self._set_beside(held, incoming)
        is_own_file = held.memory.key is not None and held.memory.key == held.memory.file_path
        if is_own_file and (incoming.act == "moved" or held.memory.key == where):
            merged = own
        else:
            merged = Item(self._merged(held, note, path), context_detected=False)
        if held.memory.rule_scope is not None and merged.memory.rule_scope is None:
            self._say(incoming.seen.path, "noted", "it was a rule, and what a file says is none without --trust")
        return self._with_free_key(merged, where, held)

    def _as_listed(self, id_: str, held: Artifact | None = None) -> Artifact | None:
        """Return an item, which may be given; None if it is not any more as it was when the items were listed."""
        held = held or self._store.get(self._project, [id_]).get(id_)
        is_same = held is not None and held.replaced_by is None and _version(held) == self._current[id_][0]
        return held if is_same else None

    def _with_free_key(self, item: Item, where: str, held: Artifact | None = None) -> Item:
        """Return an item whose key is the path of its note under another key, if an item of another note has that."""
        if item.memory.key != where:
            return item
        own, number, key = None if held is None else held.id, 1, where
        while any(id_ in self._paired and id_ != own for id_ in self._keys.get(key, ())):
            key, number = f"{where}{_TWIN}{number if number > 1 else ''}", number + 1
        return replace(item, memory=replace(item.memory, key=key))

    def _claimed(self, part: Item, path: Path) -> Memory:
        memory = part.memory if self._options.trust else strip_claims(part, path, self._options.context)[0]
        return without_written(memory)

    def _ruled(self, part: Item, note: Memory, path: Path) -> Item:
        """Return a note with the context of a rule if it is trusted, named as agents name them, and names none."""
        is_rule = path.name.lower() in RULE_FILES or self._is_rule_folder
        if not (is_rule and self._options.trust and part.context_detected is not False):
            return replace(part, memory=note)
        return Item(replace(note, context="preference", scope=self._options.rule_scope), context_detected=False)

    def _merged(self, held: Artifact, note: Memory, path: Path) -> Memory:
        """Return the item with what its note changes of how it would be written."""
        source = Source(path, render_note(held, name=path.name).encode())
        former = next(iter(read_markdown(source, self._options.context)))
        return merge_note(held.memory, note, self._claimed(former, path), path, trust=self._options.trust)

    def _same_item(self, note: Memory, path: Path) -> Artifact | None:
        """Return the item whose id is above a note that is not in sync yet, if no note has it and both say the same.

        That a note only says so is no reason to change an item: its folder may come from a stranger.
        """
        given = read_id(path)
        id_ = self._successors([given]).get(given) if given is not None else None
        if id_ is None or id_ in self._paired:
            return None
        held = self._store.get(self._project, [id_])[id_]
        return held if self._merged(held, note, path) is held.memory else None

    def _set_beside(self, held: Artifact, incoming: _Incoming) -> None:
        """Write what the memory says of a note next to it, once."""
        path, text = incoming.seen.path, render_note(held)
        number, place = 1, ""
        while not place:
            mark = "from memory" if number == 1 else f"from memory {number}"
            other = path_beside(path, f"({mark})")
            number += 1
            if folded(other) not in self._taken:
                place = other
                if not self._options.dry_run:
                    self._disk.put(other, text)
            elif (self._folder / other).is_file() and (self._folder / other).read_bytes() == text.encode():
                place = other
        self._say(path, "conflict", f"both sides changed it: what the memory had is in {place!r}")
        if folded(place) not in self._taken and not self._options.dry_run:
            self._taken.add(folded(place))
            if (seen := self._seen(place)) is not None:
                self._incoming[place] = _Incoming(seen, "remembered")

    def _pair(self, outcomes: Iterable[FileOutcome]) -> None:
        """Write down which items notes are that were stored."""
        done = [(one.path.relative_to(self._folder).as_posix(), one) for one in outcomes]
        ids = [one.ids[0] for _, one in done if one.ids and one.ids[0]]
        stored = self._store.get(self._project, ids) if ids and not self._options.dry_run else {}
        rows = []
        for path, outcome in done:
            incoming = self._now[path]
            for reason in outcome.refused:
                self._say(path, "refused", f"{reason} Its item, if it has one, stays.")
            if outcome.is_blank:
                self._say(path, "kept", "it is empty: its item, if it has one, stays; delete the note to forget it")
            if not outcome.ids:
                continue
            act: Act = "unchanged" if outcome.unchanged and incoming.act == "revised" else incoming.act
            if act != "unchanged":
                self._say(path, act)
            if (item := stored.get(outcome.ids[0])) is None:
                self._paired |= {one.id for one in [incoming.item] if one is not None}
                continue
            if incoming.item is not None and incoming.item.id != item.id:
                self._store.supersede(self._project, incoming.item.id, item)
                self._current.pop(incoming.item.id, None)
            self._paired.add(item.id)
            self._held.add(path)
            self._current[item.id] = _version(item), False
            is_written = incoming.seen.is_written and outcome.unchanged > 0
            rows.append(replace(incoming.seen, item=item.id, version=_version(item), is_written=is_written))
        if rows:
            self._notes.save(rows)

    def _is_confirmed(self) -> bool:
        """Whether so many deletions are meant: a drive may not be mounted, or the memory be another one."""
        number = len(self._deleted) + len(self._put_away)
        is_empty = self._is_empty if self._deleted else not self._paired
        if self._options.confirm_count == number or not (number > _UNCOUNTED or (number > 1 and is_empty)):
            return True
        self._say(
            self._folder.name,
            "held back",
            f"{len(self._deleted)} notes are gone, and {len(self._put_away)} items forgotten: nothing was deleted on "
            f"the other side. If all that is meant, run again with --confirm-count {number}",
        )
        return False

    def _forget_deleted(self, advance: Callable[[int], None]) -> None:
        """Forget the items of notes that were deleted, and keep a copy in the trash."""
        for planned in _in_parts(self._deleted):
            some = [(path, id_) for path, id_ in planned if not os.path.lexists(self._folder / path)]
            for path in {path for path, _ in planned} - {path for path, _ in some}:
                self._say(path, "held back", "it was away for a moment: run sync again")
            if not self._folder.is_dir():
                raise NotFound(f"The folder {self._folder.as_posix()!r} is gone: nothing more was forgotten.")
            held = self._store.get(self._project, [id_ for _, id_ in some])
            for path, id_ in [*some]:
                item = self._as_listed(id_, held.get(id_))
                if item is None:
                    some.remove((path, id_))
                    self._say(path, "held back", "its item was changed just now: run sync again")
                    continue
                if not (self._options.dry_run or self._options.purge):
                    self._disk.keep_copy(path, render_note(item).encode())
                self._say(path, "forgotten")
            if not self._options.dry_run:
                self._store.remove(self._project, [id_ for _, id_ in some])
                self._notes.save(gone=[path for path, _ in some])
            advance(len(planned))

    # To the folder

    def _path_of(self, memory: Memory) -> str | None:
        """Return the path of the note, relative to the folder, that a key stands for; None if it stands for none."""
        key, folder = _ANY_TWIN.sub("", memory.key or ""), f"{self._folder.as_posix()}/"
        if not key.startswith(folder) or memory.file_path not in {None, key}:
            return None
        path = key.removeprefix(folder)
        # A key comes from anybody: none leads out of the folder, or to what belongs to programs.
        is_place = all(part and not part.startswith(".") and "\0" not in part for part in path.split("/"))
        return path if is_place and path.lower().endswith(tuple(_SUFFIXES)) else None

    def _unwritten(self) -> Iterator[tuple[SyncedNote, str]]:
        """Yield the items that have no note and get one, each with its place, if it has one.

        Among them are items of notes that a killed sync stored without pairing them, and that were then moved away.
        """
        used = set(self._held)
        for id_, (_, gets_note) in self._current.items():
            place = self._places.get(id_, "")
            if id_ in self._paired or not (gets_note or place):
                continue
            file = self._folder / place
            if place in used:
                place = ""
            elif place and (os.path.lexists(file) or any(above.is_file() for above in file.parents)):
                continue  # a note that is left out or can't be read, or one in an archive
            elif Path(place).name.lower() in RULE_FILES and not self._options.trust:
                place = ""
            used.add(place)
            yield SyncedNote(place, 0, 0, "", "", "", is_written=True), id_

    def _gets_note(self, item: Artifact) -> bool:
        memory = item.memory
        is_asked = self._options.writes is None or memory.context in self._options.writes
        return is_asked and memory.is_first_hand and memory.turn_index is None and not item.stashed

    def _write(self, outgoing: Sequence[tuple[SyncedNote, str]], advance: Callable[[int], None]) -> None:
        """Write the notes of items that are new, or that changed where the note did not."""
        for some in _in_parts(outgoing):
            ids = [id_ for _, id_ in some]
            held, known = self._store.get(self._project, ids), self._store.artifact_knowledge(self._project, ids)
            rows = []
            for note, id_ in some:
                item = held.get(id_)
                if item is None or item.replaced_by is not None:
                    continue  # forgotten or replaced meanwhile
                path = note.path or note_path(item.memory, self._taken)
                while not note.path and os.path.lexists(self._folder / path):
                    self._taken.add(folded(path))
                    path = note_path(item.memory, self._taken)
                self._taken.add(folded(path))
                text = render_note(item, known[id_], name=Path(path).name)
                if (why := oversize(Path(path).name, text)) is not None:
                    self._say(path, "held back", why)
                    continue
                if (row := self._written(replace(note, path=path), text)) is not None:
                    rows.append(replace(row, item=id_, version=_version(item), is_written=True))
            if not self._options.dry_run:
                self._notes.save(rows)
            advance(len(some))

    def _written(self, note: SyncedNote, text: str) -> SyncedNote | None:
        """Write a note, unless the file is not any more as it was; return its row."""
        file = self._folder / note.path
        self._say(note.path, "rewritten" if note.digest else "written")
        if self._options.dry_run:
            return None
        try:
            is_there = file.is_symlink() or file.exists()
            if is_there and (not note.digest or file_digest(file) != note.digest):
                self.outcomes[-1] = Outcome(note.path, "held back", "it was edited just now: run sync again")
                return None
            if is_there and not note.is_written and not self._options.purge:
                self._disk.keep_copy(note.path, file.read_bytes())
        except OSError as error:
            self.outcomes[-1] = Outcome(note.path, "refused", f"it can't be read ({error.strerror}): check the folder")
            return None
        try:
            self._disk.put(note.path, text, former=note.digest)
        except EditedError:
            self.outcomes[-1] = Outcome(note.path, "held back", "it was edited just now: run sync again")
            return None
        except (Conflict, Unavailable) as error:
            # A note, or its folder, that is locked or has too long a name stops no other; a full disk does.
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in _ENDS_ALL:
                raise
            self.outcomes[-1] = Outcome(note.path, "refused", str(error))
            return None
        data = text.encode()
        return replace(note, size=len(data), changed_at=0, digest=hashlib.sha256(data).hexdigest())

    def _leave(self, note: SyncedNote) -> bool:
        """Take a note whose item was forgotten out of the folder, unless it was edited; return whether it is out."""
        if self._options.dry_run:
            self._say(note.path, "put away")
            return False
        try:
            self._disk.take_out(note.path, note.digest, keeps_copy=not self._options.purge)
        except EditedError:
            self._say(note.path, "held back", "it was edited just now: run sync again")
            return False
        except (Conflict, OSError) as error:
            self._say(note.path, "refused", f"it can't be taken out of the folder ({error}): remove it by hand")
            return False
        why = "" if self._options.purge else f"forgotten in the memory; a copy is in {TRASH!r}"
        self._say(note.path, "put away", why)
        return True

    def _say(self, path: str, act: Act, why: str = "") -> None:
        self.outcomes.append(Outcome(path, act, why))


def _version(item: Artifact) -> str:
    return f"{item.fingerprint[:16]} {item.updated_at.isoformat()}"


def _in_parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for begin in range(0, len(values), _TOGETHER):
        yield values[begin : begin + _TOGETHER]
