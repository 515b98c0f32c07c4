"""Which files there are below the paths a user named."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import NotFound

#: Folders that hold what tools made or fetched. Hidden ones (`.git`, `.venv`) are passed over by their dot.
GENERATED: Final = frozenset({"node_modules", "__pycache__", "venv"})


@dataclass(frozen=True, slots=True)
class Walk:
    """The files found, resolved, sorted by path and each once, and how many others were passed over.

    `skipped` counts by suffix (`.png`), or by reason in words. Hidden files and folders and `GENERATED` folders below a
    named folder are not looked at and not counted. Symbolic links below a named folder are not followed: what they
    point to inside it is found at its own place, and what lies outside was not named.
    """

    files: tuple[Path, ...]
    skipped: Mapping[str, int]


def walk(paths: Sequence[Path], supported: Callable[[Path], bool]) -> Walk:
    """Return the files at and below the paths that are `supported`; a path that is a link or hidden is followed.

    Raises:
        NotFound: one of the paths does not exist.
    """
    files: set[Path] = set()
    passed: dict[Path, str] = {}
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is nothing at {str(path)!r}: check the path.")
        root = path.resolve()
        for entry, reason in _below(root) if root.is_dir() else [(root, _reason(root))]:
            if reason is None and supported(entry):
                files.add(entry)
            else:
                passed[entry] = reason or entry.suffix.lower() or "no suffix"
    return Walk(tuple(sorted(files, key=Path.as_posix)), dict(sorted(Counter(passed.values()).items())))


def _below(root: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield each entry that is a leaf, with the reason to pass over it, or None."""
    unreadable: list[Path] = []
    for folder, names, leaves in os.walk(root, onerror=lambda error: unreadable.append(Path(error.filename))):
        place = Path(folder)
        links = [name for name in names if (place / name).is_symlink()]
        names[:] = [name for name in names if not _hidden(name) and name not in GENERATED and name not in links]
        for name in (*links, *leaves):
            if not _hidden(name):
                yield place / name, _reason(place / name)
    yield from ((folder, "unreadable") for folder in unreadable)


def _hidden(name: str) -> bool:
    return name.startswith(".")


def _reason(path: Path) -> str | None:
    try:
        if path.is_symlink():
            return "symbolic link"
        return None if path.is_file() else "not a regular file"
    except PermissionError:
        return "unreadable"
