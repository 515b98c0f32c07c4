"""The day of an item that nobody gave: from its title and text, and of a file from its name, git, or its own time."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from core.dates import now, zone
from core.dates.reading import Order, written_dates
from core.interface.memory import Memory
from ingest.document.dates import REACH, ItemDate, item_date, shown_order
from ingest.readers.fields import ARCHIVE, PROPERTIES, PUBLISHED

#: Longest time that one work tree's history may take, in seconds.
_SECONDS: Final = 10
#: The settings by which a repository can have git run programs or reach out, set to nothing.
_HARMLESS: Final = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "core.sshCommand=false", "diff.external=",
    "credential.helper=", "log.showSignature=false", "protocol.allow=never", "core.attributesFile=/dev/null",
    "log.mailmap=false",
)  # fmt: skip
_LOG: Final = (
    "log", "--diff-filter=A", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-color",
    "--name-only", "-z", "--format=%x01%as",
)  # fmt: skip


#: An environment in which git reads no settings but the repository's, and asks and fetches nothing.
_ENVIRONMENT: Final = {
    "PATH": os.defpath, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_REPLACE_OBJECTS": "1",
}  # fmt: skip


def find_work_tree(file: Path) -> Path | None:
    """Return the top folder of the git work tree that a file lies in, None if it lies in none."""
    return next((folder for folder in file.parents if (folder / ".git").exists()), None)


def read_first_commits(top: Path) -> dict[Path, str]:
    """Return the day, in ISO 8601, on which each file of a work tree was first committed, by its author's calendar.

    Nothing if git is not there, refuses, takes too long, or has only the end of the history.
    """
    if (top / ".git" / "shallow").exists():
        return {}
    if (git := shutil.which("git")) is None:
        return {}
    options = [part for setting in _HARMLESS for part in ("-c", setting)]
    try:
        answer = subprocess.run(  # noqa: S603 - no shell, and every word is ours
            [git, "--no-pager", "--no-optional-locks", *options, *_LOG],
            cwd=top, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[Path, str] = {}
    for commit in answer.stdout.decode(errors="surrogateescape").split("\x01")[1:]:
        day, *names = commit.split("\0")
        found |= {top / cleaned: day.strip() for name in names if (cleaned := name.strip("\n"))}
    return found


#: How many files of a folder are asked in which order they give day and month.
_ASKED: Final = 100
#: A time of a file before this is none: archives without times give 1980, broken clocks 1970.
_EARLIEST: Final = date(1981, 1, 1)
#: A post is about a day at most this long before it is published.
_PUBLISHED_WITHIN: Final = timedelta(days=60)
#: A day without any year near it is one this near to the file's commit or time.
_NEAR: Final = timedelta(days=60)
#: The same for the day of another file of its folder.
_NEIGHBOUR: Final = timedelta(days=190)


def add_text_date(memory: Memory) -> Memory:
    """Return a memory with the date that its title or first lines give, where it has none and is no turn or stash.

    They also correct the date of a file's properties, of the archive that holds it, and of its publishing.
    """
    if not _may_be_dated(memory):
        return memory
    return _with(memory, item_date(memory.content, memory.title))


class FileDates:
    """Dates memories by the files they come from; asks git once for a work tree, and a folder once for its order."""

    def __init__(self) -> None:
        self._commits = cache(read_first_commits)
        self._order = cache(_order)
        self._days = cache(_days)

    def dated(self, memory: Memory, path: Path) -> Memory:
        """Return a memory of a file with a date, where it has none; the file's date only if the memory is the whole
        file.

        What lies in an archive is dated by its name there, not by the archive's own time.
        """
        path, where = path.resolve(), memory.file_path
        if where is None or (memory.key or "#").startswith((f"{where}#", "#")) or not _may_be_dated(memory):
            return add_text_date(memory)
        name = PurePosixPath(where)

        def order() -> Order | None:
            return self._order(path.parent)

        if (field := _field(memory, order)) is not None:
            return _with(memory, field)
        if (found := item_date(memory.content, memory.title, name, order=order)) is not None or memory.date is not None:
            return _with(memory, found)
        outside = self._outside(path) if where == path.as_posix() else None
        return memory if outside is None else self._beside(memory, path, outside, order)

    def _beside(self, memory: Memory, path: Path, outside: ItemDate, order: Callable[[], Order | None]) -> Memory:
        """Return a memory with the day without a year that its text gives, else with `outside`.

        Its year is the one that brings it near to `outside`, else the nearest to the day of another file of the folder.
        """
        near = date.fromisoformat(outside.iso)

        def said(day: date) -> ItemDate | None:
            return item_date(memory.content, memory.title, PurePosixPath(path.as_posix()), order=order, near=day)

        def distance(found: ItemDate | None, day: date) -> timedelta:
            is_day = found is not None and found.is_day
            return abs(date.fromisoformat(found.iso) - day) if found is not None and is_day else timedelta.max

        own = said(near)
        if own is None or distance(own, near) <= _NEAR:
            return _with(memory, own or outside)
        others = [(said(day), day) for day in self._days(path.parent)]
        one, day = min(others, key=lambda pair: distance(*pair), default=(None, near))
        return _with(memory, one if distance(one, day) <= _NEIGHBOUR else outside)

    def _outside(self, path: Path) -> ItemDate | None:
        """Return the day of git's first commit of the file, else the day of the file's own time."""
        top = find_work_tree(path)
        if top is not None and (day := self._commits(top).get(path)) is not None:
            return ItemDate(day, "git")
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime, zone())
        except (OSError, OverflowError, ValueError):
            return None
        is_time = changed.date() > _EARLIEST and changed <= now()
        return ItemDate(changed.date().isoformat(), "file time") if is_time else None


def _may_be_dated(memory: Memory) -> bool:
    is_weak = memory.moment() is None or memory.date_source in (PROPERTIES, ARCHIVE, PUBLISHED)
    return is_weak and not memory.is_turn and memory.context != "stash"


def _with(memory: Memory, found: ItemDate | None) -> Memory:
    if found is None or not _is_surer(found, memory):
        return memory
    return replace(memory, date=found.iso, date_source=found.source)


def _is_surer(found: ItemDate, memory: Memory) -> bool:
    """Whether a date found in a text or name says more than the date that the memory has."""
    if (moment := memory.moment()) is None:
        return True
    if not found.is_day:
        return memory.date_source != PUBLISHED and not moment.date().isoformat().startswith(found.iso)
    before = moment.date() - date.fromisoformat(found.iso)
    return memory.date_source != PUBLISHED or timedelta(0) <= before <= _PUBLISHED_WITHIN


def _field(memory: Memory, order: Callable[[], Order | None]) -> ItemDate | None:
    """Return the date of a field above the text whose day and month only the folder tells apart."""
    text = (memory.metadata or {}).get("date")
    found = written_dates(text) if isinstance(text, str) else []
    iso = found[0].iso(order()) if len(found) == 1 and found[0].swapped else None
    return None if iso is None else ItemDate(iso, "front matter")


def _order(folder: Path) -> Order | None:
    """Return the order of day and month in a folder's names, else in the beginnings of its texts."""
    try:
        files = sorted(entry for entry in folder.iterdir() if entry.is_file())[:_ASKED]
    except OSError:
        return None
    return shown_order(file.stem for file in files) or shown_order(map(_beginning, files))


def _days(folder: Path) -> list[date]:
    """Return the days with their years that the names of a folder's files give, else the beginnings of its texts."""
    try:
        files = sorted(entry for entry in folder.iterdir() if entry.is_file())[:_ASKED]
    except OSError:
        return []
    named = [item_date("", None, PurePosixPath(file.name)) for file in files]
    found = [one for one in named if one is not None and one.is_day]
    found = found or [one for file in files if (one := item_date(_beginning(file))) is not None and one.is_day]
    return sorted({date.fromisoformat(one.iso) for one in found})


def _beginning(file: Path) -> str:
    """Return the beginning of a text file, nothing of any other."""
    try:
        with file.open("rb") as opened:
            data = opened.read(REACH)
    except OSError:
        return ""
    return "" if b"\0" in data else data.decode(errors="ignore")
