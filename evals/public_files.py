"""`python -m evals.public_files DIR`: are public files read as they are?

`public_files.json` lists files of public repositories with the SHA-256 of the version that was looked at, and what is
right in it: its day as a reader found it, its title, how many items it is, and the SHA-256 of one of its lines. Clone
the repositories into `DIR/OWNER/NAME`, at a commit that has these versions. Files that are missing or differ are
counted. Exit 1 if something is wrong.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console

from core.errors import MemoryServiceError
from core.interface.memory import Memory
from ingest.intake.dating import FileDates
from ingest.readers import items
from ingest.readers.formats.source import Item

LIST: Final = Path(__file__).with_name("public_files.json")
#: Where a day stands that a file itself gives.
_OUTSIDE: Final = frozenset({"git", "file time"})


@dataclass(frozen=True, slots=True)
class PublicFile:
    """A file and what is right in it; what is None is not checked."""

    repository: str
    path: str
    sha256: str
    day: str | None
    title: str | None
    line: str | None
    items: int = 1


def listed(path: Path = LIST) -> list[PublicFile]:
    """Return the files of a list."""
    return [PublicFile(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def line_hash(line: str) -> str:
    """Return the hash of a line's words, by which it is found without being quoted."""
    return hashlib.sha256(" ".join(re.findall(r"\w+", line)).encode()).hexdigest()


def faults(file: PublicFile, path: Path) -> Iterator[str]:
    """Yield what is wrong in a file as it is read."""
    try:
        memories = [part.memory for part in items(path, context=None) if isinstance(part, Item)]
    except MemoryServiceError as error:
        yield str(error)
        return
    if len(memories) != file.items:
        yield f"{len(memories)} items, not {file.items}"
        return
    first = FileDates().dated(memories[0], path)
    if file.day is not None and not _is_of(first, file.day):
        yield f"day {first.date} ({first.date_source}), not {file.day}"
    if file.title is not None and first.title != file.title:
        yield f"title {first.title!r}, not {file.title!r}"
    lines = {line_hash(line) for memory in memories for line in memory.content.splitlines()}
    if file.line is not None and file.line not in lines:
        yield "a line is not in the text"


def _is_of(memory: Memory, day: str) -> bool:
    return (memory.date or "").startswith(day) and memory.date_source not in _OUTSIDE


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files below a folder and print what is wrong; return 1 if something is."""
    parser = argparse.ArgumentParser(prog="python -m evals.public_files", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the repositories are, as OWNER/NAME")
    parser.add_argument("--list", type=Path, default=LIST, help="another list of files")
    options = parser.parse_args(arguments)
    console = Console()
    missing = other = right = wrong = 0
    for file in listed(options.list):
        path = options.folder / file.repository / file.path
        if not path.is_file():
            missing += 1
        elif hashlib.sha256(path.read_bytes()).hexdigest() != file.sha256:
            other += 1
        elif found := list(faults(file, path)):
            wrong += 1
            console.print(f"{file.repository} {file.path}: {'; '.join(found)}", markup=False)
        else:
            right += 1
    console.print(f"{right} right, {wrong} wrong, {other} of another version, {missing} missing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
