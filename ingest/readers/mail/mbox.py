"""MBOX: the mails of one file, one in memory at a time, each as a saved mail is read.

A mail begins at a line "From sender date" behind an empty line, if a header follows it; the first one may lack that
line. Without the empty line, one of the headers that nearly all mails have must follow. In a box of MMDF each mail
stands between lines of four signs. The line that git writes above a patch begins a mail only in a box of patches. Lines
of a mail that begin like that are quoted by a `>`, which is taken off. A mail is known by its own id and words, so that
it is one item wherever it is kept, and a box that grows adds what is new.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from core.errors import InvalidInput, TooLarge
from ingest.readers.formats.item import Part, Refused
from ingest.readers.formats.mail_formats import BARE_ENVELOPE, ENVELOPE, MAIL_HEADER, MMDF, is_envelope
from ingest.readers.formats.source import Source
from ingest.readers.mail.message import Mail
from ingest.readers.mail.threads import Threads

#: Most bytes of a mail in a box: what mail servers take at most. A longer one is refused, and the next one read.
MAIL_BYTES: Final = 40_000_000
_QUOTED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
#: The line that git writes above a patch.
_PATCH: Final = re.compile(rb"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\r?\n")
#: Most bytes of a line that are read at once.
_LINE_BYTES: Final = 1_000_000


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield each mail as a memory of context "email" unless told otherwise, and by number those that can't be read.

    Raises:
        InvalidInput: the file can't be read, or no mail begins in it.
    """
    threads = Threads()
    number = 0
    with source.open() as file:
        try:
            for number, raw in enumerate(_mails(file), start=1):
                where = f"{source.where!r} mail {number:,} (byte {raw.start:,})"
                if raw.data is None:
                    yield Refused(f"{where} has more than {MAIL_BYTES:,} bytes: save it as a file of its own.")
                    continue
                try:
                    yield from Mail(source, _QUOTED.sub(rb"\1", raw.data), where, context, threads).items()
                except (InvalidInput, TooLarge) as error:
                    yield Refused(_named(str(error), where))
            file.seek(0)
            if not number and file.read(_LINE_BYTES).strip():
                raise InvalidInput(f"{source.where!r} is no box of mails: no line 'From ' begins one. Save it as .txt.")
        except OSError as error:
            raise InvalidInput(f"{source.where!r} can't be read ({error.strerror}): try again.") from error


def _named(reason: str, where: str) -> str:
    return reason if reason.startswith(where) else f"{where}: {reason}"


@dataclass(frozen=True, slots=True)
class _Raw:
    """The bytes of a mail that begins at byte `start`, None if it is too long."""

    start: int
    data: bytes | None


def _mails(file: BinaryIO) -> Iterator[_Raw]:
    """Yield the mails of a box without the lines before them."""
    lines: list[bytes] = []
    start = at = size = 0
    envelope = b""
    is_apart, is_open, was_apart = True, False, True
    is_of_patches: bool | None = None

    def taken() -> _Raw:
        return _Raw(start, b"".join(lines) if size <= MAIL_BYTES else None)

    while line := file.readline(_LINE_BYTES):
        if envelope:
            if is_envelope(envelope, line) and (was_apart or MAIL_HEADER.match(line)):
                is_of_patches = bool(_PATCH.match(envelope)) if is_of_patches is None else is_of_patches
                if is_open:
                    yield taken()
                lines, size, start, is_open = [], 0, at - len(envelope), True
            else:
                size += len(envelope)
                lines.append(envelope)
            envelope = b""
        elif not is_open and not size and MAIL_HEADER.match(line):
            start, is_open = at, True
        at += len(line)
        if line.rstrip(b"\r\n") == MMDF:
            if is_open:
                yield taken()
            lines, size, is_open, is_apart = [], 0, False, True
            continue
        begins = (is_apart and BARE_ENVELOPE.fullmatch(line)) or ENVELOPE.fullmatch(line)
        if begins and (is_of_patches is not False or not _PATCH.match(line)):
            envelope, was_apart = line, is_apart
            continue
        is_apart = line in (b"\n", b"\r\n")
        size += len(line)
        if size <= MAIL_BYTES:
            lines.append(line)
        else:
            lines.clear()
    if is_open:
        yield taken()
