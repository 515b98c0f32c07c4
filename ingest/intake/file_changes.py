"""Files that change while somebody waits for it."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from watchfiles import watch

from core.errors import InvalidInput, NotFound, Unavailable
from ingest.readers import Selection, Walk, walk

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
    events = watch(
        *places,
        watch_filter=None,
        debounce=_LONGEST,
        step=_QUIET,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
        stop_event=stop,
        recursive=bool(folders),
        ignore_permission_denied=True,
    )
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


def _state(file: Path) -> tuple[int, ...] | None:
    """Return what differs once a file was written; None if it is not there any more."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
