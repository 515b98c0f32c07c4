"""Ownership: a lock by which one process at a time has an embedded home open."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from core.errors import Conflict, Unavailable
from core.timing import poll_until
from service.owner.endpoint import Connection, NoOwner, NotAnswering, make_runtime_folder

#: How long an owner that ends may take to release the lock, in seconds: it may erase forgotten texts from large files.
_WAIT_SECONDS: Final = 60.0
_RETRY_SECONDS: Final = 0.05


class AlreadyOwned(Conflict):
    """Another process owns the home and serves it."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """A lock that is held: its path, and the status of its file when it was acquired."""

    path: Path
    file: os.stat_result

    @property
    def lost(self) -> bool:
        """Whether the home was deleted, moved or replaced: another process may then lock what is under its path."""
        try:
            return not os.path.samestat(self.path.stat(), self.file)
        except (FileNotFoundError, NotADirectoryError):
            return True


@contextmanager
def own_home(home: Path, *, takes_over: bool = False) -> Iterator[Ownership]:
    """Own a home while the block lasts; the lock of a killed owner is free at once.

    With `takes_over` an owner that `stdio` has started is asked to finish its calls and end.

    Raises:
        AlreadyOwned: another process does, and serves it.
        NotAnswering: another process does, and does not answer.
        Unavailable: the folder refuses, or its owner neither serves nor ends within a minute.
    """
    try:
        path = make_runtime_folder(home) / "owner.lock"
        lock = FileLock(path, thread_local=False)
        _acquire(lock, home, takes_over=takes_over)
        owned = Ownership(path, path.stat())
    except OSError as error:
        raise Unavailable(
            f"The home {str(home)!r} can't be used ({error}): check the folder, or set another."
        ) from error
    try:
        yield owned
    finally:
        lock.release()


def _acquire(lock: FileLock, home: Path, *, takes_over: bool) -> None:
    def acquired() -> bool | None:
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            if (status := _status(home)) is None or (takes_over and not status.get("serves") and _ended(home)):
                return None
            raise AlreadyOwned(
                f"Process {status.get('pid')} owns the home {str(home)!r}: `remembrancer owner stop` ends it unless it "
                "is a `serve`, which ends by Ctrl-C."
            ) from error
        return True

    if poll_until(_WAIT_SECONDS, interval_seconds=_RETRY_SECONDS)(acquired) is None:
        raise Unavailable(f"Another process has had the home {str(home)!r} for a minute without serving it: end it.")


def _ended(home: Path) -> bool:
    """Ask the owner to finish its calls and end; True also if it has ended already."""
    with suppress(NoOwner):
        Connection(home, "end").close()
    return True


def _status(home: Path) -> dict[str, Any] | None:
    """Return what the process that answers at the endpoint says of itself; None if none does."""
    try:
        connection = Connection(home, "status")
    except NotAnswering:
        raise
    except (NoOwner, Unavailable):
        return None
    connection.close()
    return connection.status
