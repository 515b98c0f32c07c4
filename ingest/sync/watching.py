"""Watching both sides of a synced folder: when it is time to sync again."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Final, Protocol

from watchfiles import Change

from core.dates import now
from core.errors import Unavailable
from graph.protocols.knowledge import KnowledgeGraph, Runs
from ingest.intake.files import watch_places

#: How often it is looked whether the memory changed, in seconds, and which share of the time that takes at most.
_LOOK, _SHARE = 2.0, 0.02
#: What was stored so shortly before a sync began may have been written after it read the memory.
_OVERLAP: Final = timedelta(seconds=5)


class WatchedMemory(Runs, KnowledgeGraph, Protocol):
    """What is asked of the store."""


class MemorySide:
    """The items of a project, looked at now and then."""

    def __init__(self, store: WatchedMemory, project_id: str) -> None:
        self._store, self._project_id = store, project_id
        self._version: str | None = None
        self._since, self._next_look = now(), 0.0

    def begin_sync(self) -> None:
        """Take note of how the memory is before a sync. Raises Unavailable."""
        self._version = None
        since, self._version = now() - _OVERLAP, self._store.graph_version(self._project_id)
        self._since = since

    def look_again(self) -> None:
        """Take the memory for changed: the last sync failed."""
        self._version = None

    def has_changed(self) -> bool:
        """Whether an item was stored, renewed or removed since the last sync began; False if it is too early to look.

        A memory that can't be read counts as changed: the sync says why.
        """
        began = time.monotonic()
        if began < self._next_look:
            return False
        try:
            changed = self._store.graph_version(self._project_id) != self._version or self._store.changed_since(
                self._project_id, self._since
            )
        except Unavailable:
            changed = True
        self._next_look = began + max(_LOOK, (time.monotonic() - began) / _SHARE)
        return changed


def watch_both(
    folder: Path, has_changed: Callable[[], bool], say: Callable[[str], None], stop: Event | None = None
) -> Iterator[None]:
    """Yield at once and after each change on either side, until `stop` is set; a folder that is gone is waited for.

    What changes while the caller syncs is yielded next. Hidden files are not looked at.

    Raises:
        Unavailable: the system can't watch the folder.
    """

    def is_seen(change: Change, path: str) -> bool:  # noqa: ARG001 - the library's signature
        return not any(part.startswith(".") for part in Path(path).relative_to(folder).parts)

    stop = stop or Event()
    while not stop.is_set():
        if (identity := _identity(folder)) is None:
            say(f"{folder.as_posix()!r} is gone: nothing is synced until it is back.")
            stop.wait(_LOOK)
            continue
        try:
            events = watch_places([folder], stop, is_seen=is_seen)
            next(events, None)  # from here on nothing is missed
            yield
            for changes in events:
                if _identity(folder) != identity:
                    break
                if changes or has_changed():
                    yield
        except (OSError, RuntimeError) as error:
            if _identity(folder) == identity:
                raise Unavailable(
                    f"The folder can't be watched ({error}): run `remembrancer sync` without --watch."
                ) from error


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what differs once a folder was replaced; None if it is not there."""
    try:
        state = folder.stat()
    except OSError:
        return None
    return (state.st_dev, state.st_ino)
