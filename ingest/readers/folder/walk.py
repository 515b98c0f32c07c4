"""Which files there are below the paths a user named."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from core.errors import NotFound
from ingest.readers.folder.selection import IgnoreRules, Selection

#: Folders that hold what tools made or fetched. Hidden ones (`.git`, `.venv`) are passed over by their dot.
GENERATED: Final = frozenset({"node_modules", "__pycache__", "venv"})


@dataclass(frozen=True, slots=True)
class Walk:
    """The files found, resolved, sorted by path and each once, and how many others were passed over.

    `skipped` counts by suffix (`.png`), or by reason in words. Hidden files and folders and `GENERATED` folders below a
    named folder are not looked at and not counted, but for the hidden folders of a Maildir; an ignored folder counts as
    one. Symbolic links below a named folder are not followed: what they point to inside it is found at its own place,
    what lies outside was not named.
    """

    files: tuple[Path, ...]
    skipped: Mapping[str, int]
    #: The paths that were named, resolved.
    roots: tuple[Path, ...] = ()
    #: Lines of ignore files that are no patterns or over their limits, each with its file.
    unread_rules: tuple[str, ...] = ()


def walk(paths: Sequence[Path], supported: Callable[[Path], bool], selection: Selection | None = None) -> Walk:
    """Return the files at and below the paths that are `supported` and selected; a link or hidden path is followed.

    What the ignore files in and around a named folder leave out is passed over; a file that is named itself is not.

    Raises:
        NotFound: one of the paths does not exist.
    """
    found, chosen = _Found(), selection or Selection()
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is nothing at {str(path)!r}: check the path.")
        root = path.resolve()
        found.roots.append(root)
        base = root if root.is_dir() else root.parent
        for entry, reason in _below(root, found.unread_rules) if root.is_dir() else [(root, _reason(root))]:
            if reason is not None:
                found.passed[entry] = reason
            elif not chosen.has(entry.relative_to(base).as_posix()):
                found.passed[entry] = "not selected"
            elif supported(entry):
                found.files.add(entry)
            else:
                found.passed[entry] = entry.suffix.lower() or "no suffix"
    return found.walk()


@dataclass(slots=True)
class _Found:
    files: set[Path] = field(default_factory=set)
    passed: dict[Path, str] = field(default_factory=dict)
    roots: list[Path] = field(default_factory=list)
    unread_rules: list[str] = field(default_factory=list)

    def walk(self) -> Walk:
        """Return all of it in order."""
        files = tuple(sorted(self.files, key=Path.as_posix))
        skipped = Counter(reason for path, reason in self.passed.items() if path not in self.files)
        return Walk(files, dict(sorted(skipped.items())), tuple(self.roots), tuple(dict.fromkeys(self.unread_rules)))


def _below(root: Path, unread_rules: list[str]) -> Iterator[tuple[Path, str | None]]:
    """Yield each entry that is a leaf or ignored, with the reason to pass over it, or None."""
    unreadable: list[Path] = []
    rules = {root: IgnoreRules.around(root)}
    unread_rules += rules[root].unread
    for folder, names, leaves in os.walk(root, onerror=lambda error: unreadable.append(Path(error.filename))):
        place = Path(folder)
        here = rules.pop(place)
        links = [name for name in names if (place / name).is_symlink()]
        names[:] = [
            name
            for name in names
            if (not _hidden(name) or _holds_mail(place / name)) and name not in GENERATED and name not in links
        ]
        ignored = {name for name in names if here.ignore(place / name, is_folder=True)}
        ignored |= {name for name in (*links, *leaves) if here.ignore(place / name)}
        names[:] = [name for name in names if name not in ignored]
        for name in names:
            rules[place / name] = here.inside(place / name)
            unread_rules += rules[place / name].unread
        for name in (*sorted(ignored.difference(links, leaves)), *links, *leaves):
            if not _hidden(name):
                yield place / name, "ignored" if name in ignored else _reason(place / name)
    yield from ((folder, "unreadable") for folder in unreadable)


def _hidden(name: str) -> bool:
    return name.startswith(".")


def _holds_mail(folder: Path) -> bool:
    """Whether a folder is one of a Maildir, whose names begin with a dot (".Sent")."""
    return all((folder / part).is_dir() for part in ("cur", "new", "tmp"))


def _reason(path: Path) -> str | None:
    try:
        if path.is_symlink():
            return "symbolic link"
        return None if path.is_file() else "not a regular file"
    except PermissionError:
        return "unreadable"
