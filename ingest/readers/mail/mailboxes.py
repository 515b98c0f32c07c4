"""Mailboxes, MBOX and Maildir: one mail in memory at a time, each read as a saved mail is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from core.errors import InvalidInput, TooLarge
from core.regex import regex
from ingest.readers.formats.mail_formats import BARE_ENVELOPE, ENVELOPE, MAIL_HEADER, MMDF, is_envelope
from ingest.readers.formats.source import Part, Refused, Source
from ingest.readers.mail.message import MAIL_BYTES, Mail, Threads

#: Most bytes of a mail in a box: what mail servers take at most. A longer one is refused, and the next one read.
MAILBOX_MAIL_BYTES: Final = 40_000_000
_QUOTED: Final = regex(rb"^>(>*From )", re.MULTILINE)
#: The line that git writes above a patch.
_PATCH: Final = regex(rb"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\r?\n")
#: Most bytes of a line that are read at once.
_LINE_BYTES: Final = 1_000_000


def read_mbox(source: Source, context: str | None) -> Iterator[Part]:
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
        return _Raw(start, b"".join(lines) if size <= MAILBOX_MAIL_BYTES else None)

    while line := file.readline(_LINE_BYTES):
        line = line if at else line.removeprefix(b"\xef\xbb\xbf")
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
        if size <= MAILBOX_MAIL_BYTES:
            lines.append(line)
        else:
            lines.clear()
    if is_open:
        yield taken()


#: Where the flags begin: systems differ in the sign that names may hold.
_FLAGGED: Final = regex(r"[:;!]2,")
_FLAGS: Final = {"D": "draft", "F": "flagged", "P": "passed", "R": "replied", "S": "seen", "T": "trashed"}


def read_maildir(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the mail as one memory of context "email" unless told otherwise, with its flags, then what is attached.

    Raises:
        InvalidInput: there is no text in it, or it does not decode.
        TooLarge: it is over its limit.
    """
    mail = Mail(source, source.content(MAIL_BYTES), repr(source.where), context, Threads())
    info = source.name.rpartition("2,")[2] if _FLAGGED.search(source.name) else ""
    yield from mail.items(flags=[_FLAGS[sign] for sign in info if sign in _FLAGS])
