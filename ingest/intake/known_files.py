"""Which files were taken in: what has not changed is not read again, and what is gone is noticed.

A table in the home, of the files of this machine. It saves work and is no record: where it is lost, files are read
again and found stored, and only what was deleted before is not noticed.
"""

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.dates import now
from core.errors import Unavailable
from core.filters import Filters
from graph.protocols.records import Records

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS file (
    project_id TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, changed_at INTEGER NOT NULL,
    digest TEXT NOT NULL, options TEXT NOT NULL, ids TEXT NOT NULL, PRIMARY KEY (project_id, path)
) WITHOUT ROWID
"""
#: A file that changed so shortly before it was read may change again without a new time, in nanoseconds.
_TICK: Final = 2_000_000_000
#: How many items the record is asked for at a time, and how many files are written down together.
_IDS, _FILES = 500, 100


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as it was when it was taken in, how it was read (`options`), and the ids of the items it gave."""

    path: str
    size: int
    #: Its time in nanoseconds, 0 where it says nothing.
    changed_at: int
    #: SHA-256 in hex.
    digest: str
    options: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Departed:
    """A file that is gone: the ids of the items that only it gave, and where the same bytes are now, if anywhere."""

    path: str
    ids: tuple[str, ...]
    moved_to: str | None = None


class KnownFiles:
    """The table, for one project and one way to read. Any number of processes may have it open.

    For a rehearsal nothing is written down.
    """

    def __init__(
        self, database: Path, project_id: str, options: str, records: Records, *, is_rehearsal: bool = False
    ) -> None:
        self._database, self._project_id, self._options, self._records = database, project_id, options, records
        self._is_rehearsal = is_rehearsal
        self._known: dict[str, KnownFile] = {}
        self._read: dict[str, KnownFile] = {}
        #: Files of which the record lacks items.
        self._lost: set[str] = set()

    def look_below(self, roots: Sequence[Path]) -> None:
        """Load what is known of these files and folders; what the record no longer has is not known.

        Raises:
            Unavailable: the table or the record can't be read.
        """
        self._known = {known.path: known for root in roots for known in self._rows(root)}
        ids = sorted({one for known in self._known.values() for one in known.ids})
        there: set[str] = set()
        for begin in range(0, len(ids), _IDS):
            there |= self._records.passing(self._project_id, ids[begin : begin + _IDS], Filters(at=now()))
        self._lost = {path for path, known in self._known.items() if not there.issuperset(known.ids)}

    def unchanged(self, path: Path) -> KnownFile | None:
        """Return what is known of a file if it need not be read: by its size and time, else by its bytes."""
        known = None if path.as_posix() in self._lost else self._known.get(path.as_posix())
        try:
            seen = _seen(path, self._options)
            if known is None or known.options != self._options or known.size != seen.size:
                return None
            if known.changed_at == seen.changed_at != 0:
                return known
            seen = replace(seen, digest=_digest(path), ids=known.ids)
        except OSError:
            return None
        if seen.digest != known.digest:
            return None
        self.keep(seen)
        return seen

    def begin(self, path: Path) -> KnownFile | None:
        """Return a file as it is before it is read; None if it can't be."""
        try:
            return replace(_seen(path, self._options), digest=_digest(path))
        except OSError:
            return None

    def keep(self, file: KnownFile) -> None:
        """Take note of a file whose items are all stored; `save` writes it down. Raises as it does."""
        self._read[file.path] = file
        if len(self._read) >= _FILES:
            self.save()

    def save(self) -> None:
        """Write down what was noted since the last call.

        Raises:
            Unavailable: the table can't be written.
        """
        rows = [
            (self._project_id, one.path, one.size, one.changed_at, one.digest, one.options, json.dumps(one.ids))
            for one in self._read.values()
        ]
        if rows and not self._is_rehearsal:
            with self._opened() as table:
                table.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._known |= self._read
        self._read = {}

    def departed(self) -> list[Departed]:
        """Return the files that are gone, by path; what another file gives, too, is none of their ids.

        Raises:
            Unavailable: the table can't be read.
        """
        there = {path: known for path, known in self._known.items() if Path(path).exists()}
        gone = sorted(self._known.keys() - there.keys())
        given = {one for known in self._rows() if known.path not in gone for one in known.ids} if gone else set()
        places = {known.digest: path for path, known in there.items() if known.size}
        return [
            Departed(
                path,
                tuple(one for one in self._known[path].ids if one not in given),
                places.get(self._known[path].digest),
            )
            for path in gone
        ]

    def forget(self, departed: Sequence[Departed]) -> int:
        """Remove the items of files that are gone, and return how many.

        Raises:
            Unavailable: the record or the table can't be written.
        """
        ids = sorted({one for file in departed for one in file.ids})
        for begin in range(0, len(ids), _IDS):
            self._records.remove(self._project_id, ids[begin : begin + _IDS])
        paths = [file.path for file in departed]
        with self._opened() as table:
            table.executemany(
                "DELETE FROM file WHERE (project_id, path) = (?, ?)", [(self._project_id, path) for path in paths]
            )
        self._known = {path: known for path, known in self._known.items() if path not in paths}
        return len(ids)

    def _rows(self, root: Path | None = None) -> Iterator[KnownFile]:
        """Yield the files of the project, or those at and below `root`."""
        query = "SELECT path, size, changed_at, digest, options, ids FROM file WHERE project_id = ?"
        values = [self._project_id]
        if root is not None:
            place = root.as_posix().rstrip("/")
            query += " AND (path = ? OR path >= ? AND path < ?)"
            values += [place, f"{place}/", f"{place}0"]
        with self._opened() as table:
            for path, size, changed_at, digest, options, ids in table.execute(query, values):
                yield KnownFile(path, size, changed_at, digest, options, tuple(json.loads(ids)))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self._database.touch(mode=0o600)
            with closing(sqlite3.connect(self._database, timeout=10)) as table, table:
                table.execute("PRAGMA journal_mode=WAL")
                table.execute(_SCHEMA)
                yield table
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"{self._database.as_posix()!r} can't be used ({error}): delete it if it is damaged; "
                "all files are then read once more."
            ) from error


def _seen(path: Path, options: str) -> KnownFile:
    told = path.stat()
    is_settled = time.time_ns() - told.st_mtime_ns > _TICK
    return KnownFile(path.as_posix(), told.st_size, told.st_mtime_ns if is_settled else 0, "", options)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
