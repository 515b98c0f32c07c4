"""What `git log` prints, saved to a file: an item a commit, with who wrote it, when, and its hash.

A folder of code is no memory, so its history is read only where somebody saved it; and git itself is not run here,
because the configuration of somebody else's repository names programs that git would start. What stands below a
message, as with `--stat` and `--patch`, is passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from core.interface.memory import MAX_CONTENT
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.source import Source
from ingest.readers.json_text.json_values import moment_or_day
from ingest.readers.memories.record import Record

#: Longest line that is read as one, in bytes; a patch may have longer ones, which are passed over in pieces.
LINE_BYTES: Final = 1_000_000
_COMMIT: Final = re.compile(r"commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)(?: \([^\n]*\))?")
_PERSON: Final = re.compile(r"(?:Author:|    Co-authored-by:)[ \t]*([^<\n]*)(?:<([^>\n]*)>)?", re.I)
_DATE: Final = re.compile(r"(?:Author)?Date:[ \t]*(.+)")
_FORMS: Final = ("%a %b %d %H:%M:%S %Y %z", "%Y-%m-%d %H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %z")
_INDENT: Final = "    "


@dataclass(slots=True)
class _Commit:
    hash: str
    author: str | None = None
    #: As it is written.
    date: str | None = None
    others: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    size: int = 0
    #: Whether its message has begun, and has ended.
    begun: bool = False
    ended: bool = False

    def take(self, line: str) -> None:
        """Take a line that stands below the commit's first one."""
        if self.ended:
            return
        if line.startswith(_INDENT) or (self.begun and not line):
            self.begun = True
            self.size += len(line)
            if self.size <= MAX_CONTENT:
                self.lines.append(line.removeprefix(_INDENT))
            if (other := _name(line)) is not None:
                self.others.append(other)
        elif self.begun:
            self.ended = True
        elif dated := _DATE.fullmatch(line):
            self.date = self.date or dated[1].strip()
        else:
            self.author = _name(line) or self.author


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the commits in the order of the file, one in memory at a time; one without a message is refused.

    Raises:
        NotFound, InvalidInput: the file can't be opened.
    """
    commit: _Commit | None = None
    for line in _lines(source):
        if begins := _COMMIT.fullmatch(line):
            if commit is not None:
                yield _part(commit, source, context)
            commit = _Commit(begins[1])
        elif commit is not None:
            commit.take(line)
    if commit is not None:
        yield _part(commit, source, context)


def _lines(source: Source) -> Iterator[str]:
    with source.open() as file:
        while line := file.readline(LINE_BYTES):
            yield line.decode("utf-8-sig", "replace").rstrip("\r\n").replace("\0", "�")


def _part(commit: _Commit, source: Source, context: str | None) -> Part:
    message = "\n".join(commit.lines).strip()
    if not message:
        return Refused(f"{source.where!r}: commit {commit.hash} has no message: it is left out.")
    record = Record(
        commit.hash,
        message,
        title=message.partition("\n")[0],
        author=commit.author,
        date=_moment(commit.date),
        participants=tuple(commit.others),
        spoken=True,
    )
    return record.part(source, "git", context)


def _name(line: str) -> str | None:
    """Return the name, else the address, of who a line says wrote the commit or helped."""
    found = _PERSON.fullmatch(line.rstrip())
    return (found[1].strip() or found[2] or None) if found else None


def _moment(written: str | None) -> str | None:
    if written is None:
        return None
    for form in _FORMS:
        try:
            return datetime.strptime(written, form).isoformat()  # noqa: DTZ007 - each form has its zone
        except ValueError:
            continue
    return moment_or_day(written)
