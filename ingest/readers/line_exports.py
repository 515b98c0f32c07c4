"""Exports of many items line by line: JSON Lines with the arguments of `remember`, and what `git log` prints."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NoReturn

from core.errors import InvalidInput
from core.interface.memory import MAX_CONTENT, Memory
from core.regex import regex
from ingest.readers.encodings import text_of
from ingest.readers.fields import NAMES, memory_from
from ingest.readers.formats.source import Item, Part, Refused, Source
from ingest.readers.json_text import moment_or_day
from ingest.readers.memories.record import Record

#: Most bytes of a file: all of its lines are in memory at once.
FILE_BYTES: Final = 256_000_000


def read_jsonl(source: Source, context: str | None) -> Iterator[Item]:
    """Yield one memory a line; blank lines are passed over. Lines have no key unless they give one."""
    text = text_of(source, limit_bytes=FILE_BYTES)
    yield from [  # all of them before the first is kept: one bad line refuses the file
        Item(_memory(line, source.where, number, context))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def _memory(line: str, path: str, number: int, context: str | None) -> Memory:
    where = f"{path!r} line {number}"
    values = _object(line, where)
    if unknown := sorted(values.keys() - NAMES):
        raise InvalidInput(f"{where}: {', '.join(unknown)} is not an argument of remember: put it into metadata.")
    if values.get("content") is None:
        raise InvalidInput(f"{where}: content is missing: give each line one.")
    defaults: dict[str, object] = {"source": "file", "file_path": path, "context": context}
    return memory_from(defaults | {name: value for name, value in values.items() if value is not None}, where=where)


def _object(line: str, where: str) -> dict[str, object]:
    try:
        values: object = json.loads(line, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: not JSON ({str(error)[:100]}): write one JSON object on each line.") from error
    if not isinstance(values, dict):
        raise InvalidInput(f"{where}: not a JSON object: write the arguments of remember as names with values.")
    return values


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"{name!r:.60} is given twice")
        values[name] = value
    return values


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


#: Longest line that is read as one, in bytes; a patch may have longer ones, which are passed over in pieces.
LINE_BYTES: Final = 1_000_000
_COMMIT: Final = regex(r"commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)(?: \([^\n]*\))?")
_PERSON: Final = regex(r"(?:Author:|    Co-authored-by:)[ \t]*([^<\n]*)(?:<([^>\n]*)>)?", re.I)
_DATE: Final = regex(r"(?:Author)?Date:[ \t]*(.+)")
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


def read_git_log(source: Source, context: str | None) -> Iterator[Part]:
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
