"""Connections to the file: one writer at a time, a pool of readers, and the driver's errors in our words."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any, Final, NoReturn

from core.errors import Conflict, InvalidInput, MemoryServiceError, Unavailable
from core.interface.memory import Memory
from core.knowledge.findings import normalise_name
from core.knowledge.identities import hash_normalised_name
from core.knowledge.text import tag_forms
from core.timing import CACHES, hold
from graph.derivations import fullness
from graph.sqlite_store.database.ahead import separated, signs_of

#: How long a caller waits for a lock or a connection, in seconds.
BUSY_SECONDS: Final = 30.0
#: Connections for reading at the same time; more threads than that wait.
READERS: Final = 8
#: How long a checkpoint after a deletion waits for readers; those who want to write wait for it.
_CHECKPOINT_MILLISECONDS: Final = 200
#: Rows fetched at once of those that are worked on at length.
_BATCH: Final = 100
#: Free space below which a write may fail at any time, in bytes: SQLite needs it for the log, Chroma for its index.
_FULL: Final = 5_000_000
_READ_ONLY: Final = (
    "is read-only: check the permissions of the file and its folder, or copy the home to where it may be written and "
    "set REMEMBRANCER_HOME"
)
_RESTORE: Final = "keep a copy, then restore a backup or import an export into an empty home"
_REMEDIES: Final = (
    ("SQLITE_FULL", "the disk is full ({free}) and nothing was stored: free some space and try again"),
    ("SQLITE_READONLY", "it is read-only: check the permissions of the file and its folder"),
    ("SQLITE_PERM", "access is denied: check the permissions of the file and its folder"),
    ("SQLITE_CANTOPEN", "it can't be opened: check that the folder exists and may be written"),
    ("SQLITE_BUSY", f"another process kept it locked for over {BUSY_SECONDS:.0f} s: try again when that is done"),
    ("SQLITE_LOCKED", "another connection keeps it locked: try again"),
    ("SQLITE_CORRUPT", f"it is damaged: {_RESTORE}"),
    ("SQLITE_NOTADB", f"it is no SQLite database: {_RESTORE}"),
    ("SQLITE_IOERR", "the disk does not answer properly: check it and try again"),
)


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode, for any thread, with the settings and functions all statements rely on."""
    connection = _opened(path)
    connection.create_function("separated", 1, separated, deterministic=True)
    connection.create_function("sign_words", -1, signs_of, deterministic=True)
    connection.create_function("fingerprint_of", 3, _fingerprint, deterministic=True)
    connection.create_function("normalised", 1, normalise_name, deterministic=True)
    connection.create_function("name_digest", 1, hash_normalised_name, deterministic=True)
    connection.create_function("forms_of", 1, _forms, deterministic=True)
    connection.create_function("fullness", 1, fullness, deterministic=True)
    for setting in ("foreign_keys = ON", "synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {setting}")
    # Up to 32 MiB of pages for each connection, and no more than 64 MiB of log kept after a long write.
    connection.execute("PRAGMA cache_size = -32768")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection


def read_in_batches(rows: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    """Yield rows of which each is worked on at length, so that other threads run meanwhile.

    Each row that is fetched gives up the interpreter for too short a time to be taken, and has those who wait for it
    wait anew: fetched one by one, rows keep others out for half a second.
    """
    while batch := rows.fetchmany(_BATCH):
        yield from batch


def _fingerprint(project_id: str, given: str, content: str) -> str:
    return Memory.from_fields_unchecked(content, json.loads(given)).fingerprint(project_id)


def _forms(tag: str) -> str:
    """Return the forms of a tag and of its parents as a JSON array."""
    return json.dumps(tag_forms([tag]))


def is_read_only(path: Path) -> bool:
    """Whether there is a file that this process may not write, or whose folder it may not."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def free_bytes(path: Path) -> int | None:
    """Return the free space of a file's disk; None if the system does not say."""
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return None


def _shown(free: int | None) -> str:
    return "free space unknown" if free is None else f"{free / 1e6:,.0f} MB free"


def _opened(path: Path) -> sqlite3.Connection:
    def opened(place: Path | str) -> sqlite3.Connection:
        return sqlite3.connect(
            place, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=isinstance(place, str)
        )

    if not is_read_only(path):
        return opened(path)
    connection = opened(f"{path.absolute().as_uri()}?mode=ro")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        return connection
    except sqlite3.OperationalError:
        connection.close()
        # Beside a file without a log SQLite makes one, unless it is said that nobody writes.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise
        return opened(f"{path.absolute().as_uri()}?immutable=1")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise the driver's errors as ours.

    Raises:
        Unavailable: SQLite failed; the message says why and what to do.
        InvalidInput: a value can't be bound, such as text with half of a surrogate pair.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise as_ours(error, path) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InvalidInput(f"A value can't be stored ({error}): send valid Unicode and 64-bit numbers.") from error


def as_ours(error: sqlite3.Error, path: Path) -> MemoryServiceError:
    """Return the error of ours that says what a driver's error means for the record at `path`."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_CONSTRAINT"):
        return Conflict(
            f"The record {str(path)!r} refused a write ({error}): nothing was stored, check what was given."
        )
    for prefix, remedy in _REMEDIES:
        if name.startswith(prefix):
            remedy = remedy.format(free=_shown(free_bytes(path)))
            return Unavailable(f"The record {str(path)!r} does not answer ({error}): {remedy}.")
    return Unavailable(f"The record {str(path)!r} does not answer ({error}): try again, or run the doctor command.")


class Database:
    """The file's connections. Safe to use from several threads; a thread must not nest its uses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        #: The project of the last claim of each kind of job, after which the next one's turn comes.
        self.last_claimed: dict[str, str] = {}
        self._closed = False
        #: Whether the last write failed for want of space.
        self._was_full = False
        self._state = threading.Lock()
        self._write_lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._readers: LifoQueue[sqlite3.Connection | None] = LifoQueue()
        for _ in range(READERS):
            self._readers.put(None)
        CACHES.add(self)

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one state of the record throughout."""
        with translated(self.path), self._borrowed() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Return the rows of one statement, which sees one state of the record without a transaction of its own."""
        with translated(self.path), self._borrowed() as connection:
            return connection.execute(sql, parameters).fetchall()

    @contextmanager
    def writing(self, *, keep: bool = True) -> Iterator[sqlite3.Connection]:
        """Lend the writer for one transaction, undone on an error and without `keep`."""
        if is_read_only(self.path):
            raise Unavailable(f"Nothing was stored: the record {str(self.path)!r} {_READ_ONLY}.")
        with translated(self.path), self._noting_a_full_disk(), self._write_turn():
            if self._writer is None:
                self._writer = connect(self.path)
            connection = self._writer
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT" if keep else "ROLLBACK")
                self._was_full = False
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def _noting_a_full_disk(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self._was_full = self._was_full or getattr(error, "sqlite_errorname", "") == "SQLITE_FULL"
            raise

    def write_obstacle(self) -> str | None:
        """Return why nothing can be written now, and what to do; None if nothing is known to be in the way."""
        if is_read_only(self.path):
            return f"the record {_READ_ONLY}"
        free = free_bytes(self.path)
        if self._was_full or (free is not None and free < _FULL):
            return f"the disk is full ({_shown(free)}), and writes are refused: free some space"
        return None

    @contextmanager
    def snapshot(self) -> Iterator["Database"]:
        """Lend a database that reads one state of the record, for one thread and without writing."""
        self._check_open()
        with translated(self.path):
            connection = connect(self.path)
        try:
            with translated(self.path):
                connection.execute("BEGIN")
                # The state is the one of the first reading.
                connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
            yield _Frozen(self.path, connection)
        finally:
            connection.close()

    def checkpoint(self) -> None:
        """Empty the log into the file, so that deleted text is in neither; with readers in the way that comes later."""
        with translated(self.path), self._write_turn():
            if self._writer is not None:
                self._writer.execute(f"PRAGMA busy_timeout = {_CHECKPOINT_MILLISECONDS}")
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                self._writer.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")

    def empty(self) -> None:
        """Close the connections that nobody uses, with the pages that they keep; they are opened again when needed."""
        for place in self._close_idle():
            with self._state:
                if not self._closed:
                    self._readers.put(place)
        if self._write_lock.acquire(blocking=False):  # a writer that is at work is not idle
            try:
                self._close_writer()
            finally:
                self._write_lock.release()

    def close(self) -> None:
        """Close all connections, those still lent as soon as they come back."""
        with self._state:
            self._closed = True
        self._close_idle()
        if self._write_lock.acquire(timeout=BUSY_SECONDS):  # else the writing thread closes the writer with the process
            try:
                self._close_writer()
            finally:
                self._write_lock.release()

    def _close_idle(self) -> list[None]:
        """Close the readers that nobody has borrowed; return the places that they leave in the pool."""
        places = list[None]()
        while True:
            try:
                idle = self._readers.get_nowait()
            except Empty:  # others borrow and return theirs meanwhile: their number is not known beforehand
                return places
            places.append(None)
            if idle is not None:
                with suppress(sqlite3.Error):  # it has only read
                    idle.close()

    def _close_writer(self) -> None:
        """Close the writer; the lock is held."""
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(sqlite3.Error):  # the thread that wrote got the error
                writer.close()

    @contextmanager
    def _write_turn(self) -> Iterator[None]:
        """Hold the writer's lock.

        Raises:
            Unavailable: another thread holds it for too long, or the database was closed.
        """
        obstacle = (
            f"Another write has kept the record {str(self.path)!r} busy for over {BUSY_SECONDS:.0f} s: try again when "
            "it is done."
        )
        with hold(self._write_lock, BUSY_SECONDS, obstacle):
            self._check_open()
            yield

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable(f"The record {str(self.path)!r} was closed: open it again.")

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        self._check_open()
        try:
            idle = self._readers.get(timeout=BUSY_SECONDS)
        except Empty as error:
            raise Unavailable(f"All {READERS} connections to {str(self.path)!r} stayed busy: try again.") from error
        # One that was told that nobody writes would not see that somebody does.
        is_kept = idle is not None or not is_read_only(self.path)
        try:
            connection = idle or connect(self.path)
        except sqlite3.Error:
            self._readers.put(None)
            raise
        try:
            yield connection
        finally:
            with self._state:
                if self._closed or not is_kept:
                    connection.close()
                if not self._closed:
                    self._readers.put(connection if is_kept else None)


class _Frozen(Database):
    """One state of the record: all reading is done in one transaction, which may be nested."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path)
        self._connection = connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the one connection."""
        with translated(self.path):
            yield self._connection

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Return the rows of one statement."""
        with self.reading() as connection:
            return connection.execute(sql, parameters).fetchall()

    def writing(self, *, keep: bool = True) -> NoReturn:  # noqa: ARG002 - the interface of a database
        """Refuse.

        Raises:
            Conflict: always.
        """
        raise Conflict(f"This is one state of the record {str(self.path)!r}, to be read: write to the store itself.")
