"""Which files were taken in: an unchanged file is not read again, and items that no file gives any more are found.

A table in the home, of the files of this machine. It saves work and is no record: where it is lost, files are read
again and found stored, and only what was deleted before is not noticed.
"""

import hashlib
import json
import os
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from graph.protocols.knowledge import Runs
from graph.protocols.records import Records

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS file (
    project_id TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, changed_at INTEGER NOT NULL,
    digest TEXT NOT NULL, options TEXT NOT NULL, ids TEXT NOT NULL, PRIMARY KEY (project_id, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mount (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS note (
    project_id TEXT NOT NULL, folder TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, digest TEXT NOT NULL, item TEXT NOT NULL, version TEXT NOT NULL,
    written INTEGER NOT NULL, PRIMARY KEY (project_id, folder, path)
) WITHOUT ROWID;
"""
#: A file that changed so shortly before it was read may change again without a new time, in nanoseconds.
_TICK: Final = 2_000_000_000
#: How many items the record is asked for at a time, and how many files are written down together.
_IDS, _FILES = 500, 100
#: Why items stay that a file no longer gives, with the next step.
_PRUNE: Final = "prune forgets them"
_PARTLY_READ: Final = "the file, or a part of it, was refused: mend it and ingest it again, or forget them by id"
_UNREAD: Final = "the file changed, and was left out or is in no known format: mend it, or forget them by id"
_EMPTY_ROOT: Final = (
    "nothing is found in {!r}, as where a drive is not mounted: mount it, or, if all was deleted, prune the folder "
    "above it or forget them by id"
)
_UNMOUNTED: Final = "the drive at {!r} is not mounted: mount it and ingest again"
_UNSEEN: Final = "whether the file is gone can't be seen ({}): open its folder and ingest again"
_LEARNT: Final = "it was moved, and knowledge of them was given with learn: give it for the new items, then prune"


class Record(Records, Runs, Protocol):
    """What is asked of the store."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as it was when it was taken in, how it was read (`options`), and the ids of the items it gave."""

    path: str
    size: int
    #: Its time in nanoseconds, 0 where it says nothing.
    changed_at: int
    #: SHA-256 in hex; empty if a part of the file was refused.
    digest: str
    #: The first line is what the caller asked for.
    options: str
    ids: tuple[str, ...] = ()
    #: Ids of items that it gave before, does not give now, and that were not forgotten.
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeletedFile:
    """Items that a file gave and no longer gives: it is gone, was moved, or `is_there` without them.

    `ids` are those that no other file gives; `moved_to` is where the same bytes are now, if anywhere. `kept` says why
    they stay, with the next step; None if they are to be forgotten.
    """

    path: str
    ids: tuple[str, ...]
    moved_to: str | None = None
    is_there: bool = False
    kept: str | None = None


class KnownFiles:
    """The table, for one project and one way to read. Any number of processes may have it open.

    For a rehearsal nothing is written down.
    """

    def __init__(
        self, database: Path, project_id: str, options: str, records: Record, *, is_rehearsal: bool = False
    ) -> None:
        self._database, self._project_id, self._options, self._records = database, project_id, options, records
        self._is_rehearsal = is_rehearsal
        self._roots: tuple[Path, ...] = ()
        self._known: dict[str, KnownFile] = {}
        self._read: dict[str, KnownFile] = {}
        #: Files of which the record lacks items.
        self._lost: set[str] = set()
        #: Items that files, by their path, no longer give, read whole and as before.
        self._dropped: dict[str, set[str]] = {}
        #: Files that were found there.
        self._visited: list[Path] = []
        #: Roots, and whether there is anything in them.
        self._filled: dict[Path, bool] = {}

    def look_below(self, roots: Sequence[Path]) -> None:
        """Load what is known of these files and folders; what the record no longer has is not known.

        Raises:
            Unavailable: the table or the record can't be read.
        """
        self._roots = tuple(roots)
        self._known = {known.path: known for root in roots for known in self._rows(root)}
        there = self._current(one for known in self._known.values() for one in (*known.ids, *known.stale))
        for path, known in self._known.items():
            if known.stale:
                self._known[path] = replace(known, stale=tuple(one for one in known.stale if one in there))
        self._lost = {path for path, known in self._known.items() if not there.issuperset(known.ids)}

    def unchanged(self, path: Path) -> KnownFile | None:
        """Return what is known of a file if it need not be read: by its size and time, else by its bytes."""
        self._visited.append(path)
        known = None if path.as_posix() in self._lost else self._known.get(path.as_posix())
        try:
            seen = see_file(path, self._options)
            if known is None or known.options != self._options or not known.digest or known.size != seen.size:
                return None
            if known.changed_at == seen.changed_at != 0:
                return known
            seen = replace(seen, digest=file_digest(path), ids=known.ids, stale=known.stale)
        except OSError:
            return None
        if seen.digest != known.digest:
            return None
        self._note(seen)
        return seen

    def begin(self, path: Path) -> KnownFile | None:
        """Return a file as it is before it is read; None if it can't be."""
        try:
            return replace(see_file(path, self._options), digest=file_digest(path))
        except OSError:
            return None

    def keep(self, file: KnownFile, *, is_whole: bool = True) -> None:
        """Take note of a file whose items are all stored; `save` writes it down. Raises as it does.

        A file of which a part was refused is read again the next time, and nothing that it gave before is given up.
        """
        before = self._known.get(file.path)
        given = {*before.ids, *before.stale} - {*file.ids} if before is not None else set[str]()
        if before is not None and is_whole and _asked(before) == _asked(file):
            dropped = set(before.ids) if before.digest else {*before.ids, *before.stale}
            # A file of several items that is empty now may be damaged.
            if file.ids or len(before.ids) <= 1:
                self._dropped[file.path] = dropped - {*file.ids}
        if is_whole or file.ids or given:
            self._note(replace(file, digest=file.digest if is_whole else "", stale=tuple(sorted(given))))

    def save(self) -> None:
        """Write down what was noted since the last call.

        Raises:
            Unavailable: the table can't be written.
        """
        rows = [
            (
                *(self._project_id, one.path, one.size, one.changed_at, one.digest, one.options),
                json.dumps({"ids": one.ids, "stale": one.stale} if one.stale else one.ids),
            )
            for one in self._read.values()
        ]
        if rows and not self._is_rehearsal:
            with _opened(self._database) as table:
                table.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._known |= self._read
        self._read = {}

    def deleted_files(self, *, prune: bool = False) -> list[DeletedFile]:
        """Return what files no longer give, by path, once all were taken in; what another file gives is left out.

        What a file no longer says, and what was moved, is to be forgotten; what came from a file that is gone only with
        `prune`, and never where its root may just be away: each root is judged by itself.

        Raises:
            Unavailable: the table or the record can't be read.
        """
        mounts = self._mounts()
        absent = {path: why for path in self._known if (why := self._absence(path, mounts)) is not None}
        places = {
            one.digest: path for path, one in self._known.items() if path not in absent and one.digest and one.ids
        }
        found = [self._gone(self._known[path], why, places, prune=prune) for path, why in sorted(absent.items())]
        visited = {path.as_posix() for path in self._visited}
        for path in sorted(self._known.keys() - absent.keys()):
            known = self._known[path]
            if path in visited:
                found += self._unsaid(known, prune=prune)
            elif self._has_changed(known):
                found.append(DeletedFile(path, (*known.ids, *known.stale), is_there=True, kept=_UNREAD))
        current = self._current(id_ for one in found for id_ in one.ids)
        going = {one.path for one in found if one.kept is None and not one.is_there}
        rows = {known.path: known for known in self._rows()} | self._known
        givers = Counter(id_ for path, known in rows.items() if path not in going for id_ in {*known.ids})
        left = []
        for one in found:
            own = set[str]() if one.path in going else {*self._known[one.path].ids}
            ids = tuple(id_ for id_ in one.ids if id_ in current and givers[id_] == (id_ in own))
            if ids or not one.is_there:
                left.append(replace(one, ids=ids))
        return left

    def forget(self, departed: Sequence[DeletedFile]) -> int:
        """Remove the items that are to be forgotten, and return how many.

        Raises:
            Unavailable: the record or the table can't be written.
        """
        departed = [one for one in departed if one.kept is None]
        ids = sorted({one for file in departed for one in file.ids})
        for begin in range(0, len(ids), _IDS):
            self._records.remove(self._project_id, ids[begin : begin + _IDS])
        paths = {file.path for file in departed if not file.is_there}
        with _opened(self._database) as table:
            table.executemany(
                "DELETE FROM file WHERE (project_id, path) = (?, ?)", [(self._project_id, path) for path in paths]
            )
        self._known = {path: known for path, known in self._known.items() if path not in paths}
        for file in departed:
            if (known := self._known.get(file.path)) is not None:
                self._note(replace(known, stale=tuple(one for one in known.stale if one not in file.ids)))
        self.save()
        return len(ids)

    def _note(self, file: KnownFile) -> None:
        self._read[file.path] = file
        if len(self._read) >= _FILES:
            self.save()

    def _current(self, ids: Iterable[str]) -> set[str]:
        """Return which of these items the record has, and has not replaced."""
        asked, there = sorted({*ids}), set[str]()
        for begin in range(0, len(asked), _IDS):
            there |= self._records.matching_ids(self._project_id, asked[begin : begin + _IDS], Filters(at=now()))
        return there

    def _gone(self, known: KnownFile, why: str, places: Mapping[str, str], *, prune: bool) -> DeletedFile:
        """Return what a file gave that is gone, or may only be away: `why` says so."""
        ids, moved_to = (*known.ids, *known.stale), places.get(known.digest)
        kept = why or None
        if not why and not prune:
            kept = _PRUNE if moved_to is None else None
            if moved_to is not None and self._records.annotations(self._project_id, ids):
                kept = _LEARNT
        return DeletedFile(known.path, ids, moved_to, kept=kept)

    def _unsaid(self, known: KnownFile, *, prune: bool) -> Iterator[DeletedFile]:
        """Yield what a file that is there no longer says: what is to be forgotten, and what stays."""
        dropped = self._dropped.get(known.path, set())
        if going := tuple(one for one in known.stale if one in dropped or (prune and known.digest)):
            yield DeletedFile(known.path, going, is_there=True)
        if kept := tuple(one for one in known.stale if one not in going):
            yield DeletedFile(known.path, kept, is_there=True, kept=_PRUNE if known.digest else _PARTLY_READ)

    def _has_changed(self, known: KnownFile) -> bool:
        try:
            seen = see_file(Path(known.path), known.options)
        except OSError:
            return True
        return known.size != seen.size or known.changed_at not in (0, seen.changed_at)

    def _absence(self, path: str, mounts: Sequence[Path]) -> str | None:
        """Return None if a file is there, "" if it is gone for sure, else why it may only be away."""
        try:
            is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            is_folder = True
        except OSError as error:
            return _UNSEEN.format(error.strerror)
        if not is_folder:
            return None
        if (mount := next((one for one in mounts if Path(path).is_relative_to(one)), None)) is not None:
            return _UNMOUNTED.format(mount.as_posix())
        root = max((root for root in self._roots if Path(path).is_relative_to(root)), key=lambda root: len(root.parts))
        if root not in self._filled:
            self._filled[root] = any(file.is_relative_to(root) for file in self._visited) or (
                root == Path(path) and _is_file_of_folder(root)
            )
        return "" if self._filled[root] else _EMPTY_ROOT.format(root.as_posix())

    def _mounts(self) -> list[Path]:
        """Note where the files' drives are mounted, and return where one was that is not mounted now."""
        here = {
            mount for folder in {file.parent for file in self._visited} if (mount := _mount_of(folder)).parent != mount
        }
        with _opened(self._database) as table:
            away = [Path(path) for (path,) in table.execute("SELECT path FROM mount") if not os.path.ismount(path)]
            filled = [path for path in away if any(file.is_relative_to(path) for file in self._visited)]
            if not self._is_rehearsal:
                table.executemany("INSERT OR IGNORE INTO mount VALUES (?)", [(path.as_posix(),) for path in here])
                table.executemany("DELETE FROM mount WHERE path = ?", [(path.as_posix(),) for path in filled])
        return [path for path in away if path not in filled]

    def _rows(self, root: Path | None = None) -> Iterator[KnownFile]:
        """Yield the files of the project, or those at and below `root`."""
        query = "SELECT path, size, changed_at, digest, options, ids FROM file WHERE project_id = ?"
        values = [self._project_id]
        if root is not None:
            place = root.as_posix().rstrip("/")
            query += " AND (path = ? OR path >= ? AND path < ?)"
            values += [place, f"{place}/", f"{place}0"]
        with _opened(self._database) as table:
            for path, size, changed_at, digest, options, ids in table.execute(query, values):
                held = json.loads(ids)
                held = held if isinstance(held, dict) else {"ids": held, "stale": ()}
                yield KnownFile(path, size, changed_at, digest, options, tuple(held["ids"]), tuple(held["stale"]))


@contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    try:
        database.touch(mode=0o600)
        with closing(sqlite3.connect(database, timeout=10)) as table, table:
            table.execute("PRAGMA journal_mode=WAL")
            table.executescript(_SCHEMA)
            yield table
    except (sqlite3.Error, OSError) as error:
        raise Unavailable(
            f"{database.as_posix()!r} can't be used ({error}): delete it if it is damaged; "
            "all files are then read once more."
        ) from error


def _asked(known: KnownFile) -> str:
    return known.options.partition("\n")[0]


def _is_file_of_folder(root: Path) -> bool:
    """Whether a root that is gone was a file, in a folder that has others."""
    try:
        return not root.is_dir() and any(root.parent.iterdir())
    except OSError:
        return False


def _mount_of(folder: Path) -> Path:
    return folder if folder.parent == folder or os.path.ismount(folder) else _mount_of(folder.parent)


def see_file(path: Path, options: str = "") -> KnownFile:
    """Return the size and time of a file. Raises OSError."""
    told = path.stat()
    is_settled = time.time_ns() - told.st_mtime_ns > _TICK
    return KnownFile(path.as_posix(), told.st_size, told.st_mtime_ns if is_settled else 0, "", options)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class SyncedNote:
    """A note of a synced folder and the item that says the same, as both were when they last agreed.

    `path` is relative to the folder. Without an `item` the note was forgotten in the memory: what has its digest is not
    taken in again.
    """

    path: str
    size: int
    changed_at: int
    digest: str
    item: str
    #: Changes with the item's text and fields.
    version: str
    #: Whether `sync` wrote the file.
    is_written: bool


class SyncedNotes:
    """The notes of one folder that are in sync with one project; raises `Unavailable` where the table can't be used."""

    def __init__(self, database: Path, project_id: str, folder: Path) -> None:
        self._database, self._place = database, (project_id, folder.as_posix())

    def load(self) -> dict[str, SyncedNote]:
        """Return the notes by their paths."""
        columns = "path, size, changed_at, digest, item, version, written"
        query = f"SELECT {columns} FROM note WHERE (project_id, folder) = (?, ?)"  # noqa: S608 - constants
        with _opened(self._database) as table:
            return {row[0]: SyncedNote(*row) for row in table.execute(query, self._place)}

    def save(self, notes: Iterable[SyncedNote] = (), *, gone: Iterable[str] = ()) -> None:
        """Drop the notes of these paths, and write others down."""
        rows = [
            (*self._place, one.path, one.size, one.changed_at, one.digest, one.item, one.version, one.is_written)
            for one in notes
        ]
        with _opened(self._database) as table:
            drop = "DELETE FROM note WHERE (project_id, folder, path) = (?, ?, ?)"
            table.executemany(drop, [(*self._place, path) for path in gone])
            table.executemany("INSERT OR REPLACE INTO note VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def stop(self) -> int:
        """Drop all notes of the folder; return how many there were."""
        with _opened(self._database) as table:
            return table.execute("DELETE FROM note WHERE (project_id, folder) = (?, ?)", self._place).rowcount

    def overlap(self) -> tuple[str, str] | None:
        """Return the project and folder of another sync whose folder is this one, in it or around it."""
        with _opened(self._database) as table:
            others = table.execute("SELECT DISTINCT project_id, folder FROM note").fetchall()
        here = Path(self._place[1])
        for project_id, folder in others:
            is_near = here.is_relative_to(folder) or Path(folder).is_relative_to(here)
            if is_near and (project_id, folder) != self._place:
                return project_id, folder
        return None
