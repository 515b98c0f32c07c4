"""Copies of the whole file: out of the store while others write, and into a place that has none."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from core.errors import Conflict, InvalidInput, NotFound, Unavailable
from graph.atomic_file import sync, write_atomically
from graph.sqlite_store.database.connections import connect, translated
from graph.sqlite_store.database.schema import MIGRATIONS

_MAGIC: Final = b"SQLite format 3\0"
#: What lies beside a file that is in use, or was not closed.
_LOGS: Final = ("-wal", "-shm", "-journal")


def back_up(source: Path, target: Path) -> None:
    """Do what `graph.protocols.administration.Transfer.backup` promises; `target` is replaced at the end."""
    if target.exists() and target.samefile(source):
        raise InvalidInput(f"{str(target)!r} is the record itself: name another file.")
    with write_atomically(target) as part:
        with translated(source), closing(connect(source)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        _check_whole(part)


@contextmanager
def incoming(source: Path, target: Path) -> Iterator[Path]:
    """Lend the place of a copy of a backup that becomes the record at `target` when the block ends without an error.

    Until then nothing is at `target`; the caller that opens the copy must close it.

    Raises:
        Conflict: there is a record already, another process restores one, or a newer release wrote the backup.
        NotFound: there is no such backup.
        InvalidInput: it is no backup of a record, or damaged.
        Unavailable: it can't be read, or not be copied.
    """
    _check_free(target)
    check_backup(source)
    copy = target.with_name(f"{target.name}.restoring")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(target.with_name(f"{copy.name}.lock"), timeout=0):
            try:
                _remove(copy)  # left by a process that was killed
                _copy(source, copy)
                yield copy
                sync(copy)
                _check_free(target)
                os.link(copy, target)  # unlike a renaming it fails where somebody else made one meanwhile
                copy.unlink()
                sync(target.parent)
            finally:
                _remove(copy)
    except Timeout as error:
        raise Conflict(f"Another process restores a record at {str(target)!r}: wait until it is done.") from error
    except OSError as error:
        raise Unavailable(f"{str(source)!r} can't be restored to {str(target)!r} ({error}): check the disk.") from error


def check_backup(path: Path) -> None:
    """Make sure that a file is a whole record that this release can open; nothing is written, beside it neither.

    Raises:
        NotFound, InvalidInput, Conflict, Unavailable: as `incoming` has them.
    """
    if not path.is_file():
        raise NotFound(f"There is no backup at {str(path)!r}: name the file that `remembrancer backup` wrote.")
    if any(log.exists() and log.stat().st_size for log in _logs(path)):
        raise InvalidInput(
            f"{str(path)!r} is in use: close the program that has it open, or restore from a backup of it."
        )
    try:
        with path.open("rb") as file:
            is_database = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise Unavailable(f"The backup {str(path)!r} can't be read ({error}): check its permissions.") from error
    if not is_database:
        raise InvalidInput(f"{str(path)!r} is not a backup: name the file that `remembrancer backup` wrote.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'artifacts'").fetchone()[0]
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise InvalidInput(f"The backup {str(path)!r} is damaged ({error}): use another one.") from error
    if not (version and tables):
        raise InvalidInput(f"{str(path)!r} is a database, but not a Remembrancer record: name another file.")
    if version > len(MIGRATIONS):
        raise Conflict(
            f"The backup {str(path)!r} has version {version}, and this program knows {len(MIGRATIONS)}: update it."
        )
    if found != "ok":
        raise InvalidInput(f"The backup {str(path)!r} is damaged ({found}): use another one.")


def _check_free(target: Path) -> None:
    for path in (target, *_logs(target)):
        if path.exists():
            raise Conflict(
                f"There is a record already ({str(path)!r}): set REMEMBRANCER_HOME to another folder, or end its "
                "processes and move it away with the files beside it."
            )


def _check_whole(part: Path) -> None:
    """Make a copy one file without a log, and make sure that it is whole."""
    with translated(part), closing(connect(part)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise Unavailable(f"The copy of the record is damaged ({found}): check the disk and the record, and try again.")


def _copy(source: Path, copy: Path) -> None:
    copy.touch(mode=0o600)
    with source.open("rb") as given, copy.open("wb") as taken:
        shutil.copyfileobj(given, taken, 1 << 20)


def _logs(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in _LOGS]


def _remove(path: Path) -> None:
    for one in (path, *_logs(path)):
        one.unlink(missing_ok=True)
