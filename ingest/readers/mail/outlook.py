"""Outlook's saved mails, appointments, tasks and notes (`.msg`): a compound file of numbered properties.

They are read as the mails that they were: what Outlook keeps apart is put together again as RFC 5322 has it.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import HeaderParser
from email.policy import SMTPUTF8
from email.utils import format_datetime
from itertools import islice
from typing import Final

from olefile import OleFileIO
from selectolax.lexbor import LexborHTMLParser

from core.errors import InvalidInput
from core.regex import regex
from ingest.readers.documents.web_page import main_text
from ingest.readers.encodings import decoded, storable
from ingest.readers.formats.source import Part, Source
from ingest.readers.mail.message import MAIL_BYTES, Mail, Threads

#: Properties by their numbers, as [MS-OXPROPS] has them.
_CLASS, _SUBJECT, _BODY, _PAGE, _HEADERS = 0x001A, 0x0037, 0x1000, 0x1013, 0x007D
_ID, _ANSWERED, _SENT, _RECEIVED, _CHANGED = 0x1035, 0x1042, 0x0039, 0x0E06, 0x3008
_BEGIN, _END, _SENDER, _SENDER_ADDRESSES = 0x0060, 0x0061, (0x0C1A, 0x0042), (0x5D01, 0x5D02, 0x0C1F, 0x0065)
_NAME, _ADDRESSES, _RECIPIENT_KIND = 0x3001, (0x39FE, 0x3003), 0x0C15
_FILE_NAMES, _DATA, _FILE_TYPE, _CODE_PAGE = (0x3707, 0x3704), 0x3701, 0x370E, 0x3FDE
#: How the recipients are addressed, by the number of their kind.
_KINDS: Final = {1: "To", 2: "Cc", 3: "Bcc"}
#: Types of properties: text, text of a code page, bytes, an object of its own.
_TEXT, _OLD_TEXT, _BYTES, _OBJECT = "001F", "001E", "0102", "000D"
_PROPERTIES: Final = "__properties_version1.0"
#: Bytes before the properties of a message, of one within another, and of anything else.
_OUTER, _INNER, _OTHER = 32, 24, 8
_ENTRY: Final = struct.Struct("<HHI8s")
#: Messages within messages that are read, and recipients and attachments of each.
_DEEPEST, _MOST = 3, 1_000
#: Headers that are taken as the mail was sent with them.
_KEPT: Final = (
    "From", "To", "Cc", "Date", "Subject", "Message-ID", "In-Reply-To", "References",
)  # fmt: skip
#: Those that are properties of their own.
_NUMBERS: Final = {"Subject": _SUBJECT, "Message-ID": _ID, "In-Reply-To": _ANSWERED}
#: What makes a name be quoted.
_SPECIAL: Final = regex(r"[^\w .'’-]")
#: What a damaged file makes the library raise.
_ERRORS: Final = (
    MessageError, OSError, OverflowError, ValueError,
    TypeError, KeyError, IndexError, AttributeError, struct.error, RecursionError,
)  # fmt: skip
_EPOCH: Final = datetime(1601, 1, 1, tzinfo=UTC)
#: What these are, unless they are mails.
_CONTEXTS: Final = {"ipm.appointment": "meeting", "ipm.stickynote": "note", "ipm.task": "task", "ipm.activity": "note"}


def read(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the message as one memory, then what is attached to it.

    Raises:
        InvalidInput: it is no message of Outlook, is damaged, or has no text.
        TooLarge: the file or its text is over its limit.
    """
    data = source.content(MAIL_BYTES)
    try:
        with OleFileIO(io.BytesIO(data)) as file:
            stored = _Stored(source, file, (), _OUTER)
            kind = (stored.text(_CLASS) or "").casefold()
            sent = _message(stored).as_bytes()
    except _ERRORS as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:100]
        raise InvalidInput(f"{source.where!r} is no message of Outlook that can be read ({reason}).") from error
    context = context or next((known for begin, known in _CONTEXTS.items() if kind.startswith(begin)), None)
    mail = Mail(source, sent, repr(source.where), context, Threads())
    yield from mail.items({"file_path": source.where, "key": source.where})


@dataclass(frozen=True, slots=True)
class _Stored:
    """The properties at a place in a compound file."""

    source: Source
    file: OleFileIO
    place: tuple[str, ...]
    #: Bytes before the list of properties.
    header: int

    def text(self, *numbers: int) -> str | None:
        """Return the first of these properties that is a text that is not blank."""
        for number in numbers:
            raw = self._stream(number, _TEXT)
            old = self._stream(number, _OLD_TEXT) if raw is None else None
            found = raw.decode("utf-16-le", "replace") if raw is not None else self._of_code_page(old)
            if found and (said := storable(found.rstrip("\0"))).strip():
                return said
        return None

    def data(self, number: int) -> bytes | None:
        return self._stream(number, _BYTES)

    def number(self, number: int) -> int | None:
        raw = self._fixed(number)
        return None if raw is None else int.from_bytes(raw[:4], "little")

    def time(self, *numbers: int) -> datetime | None:
        """Return the first of these properties that is a time that exists."""
        for number in numbers:
            raw = self._fixed(number)
            if raw is not None and (ticks := int.from_bytes(raw, "little")):
                try:
                    return _EPOCH + timedelta(microseconds=ticks // 10)
                except OverflowError:
                    continue
        return None

    def within(self, kind: str) -> Iterator["_Stored"]:
        """Yield what is stored below this place by names that begin so, such as recipients."""
        depth = len(self.place)
        for entry in self.file.listdir(streams=False, storages=True):
            if len(entry) == depth + 1 and tuple(entry[:depth]) == self.place and entry[depth].startswith(kind):
                yield _Stored(self.source, self.file, tuple(entry), _OTHER)

    def message(self) -> "_Stored | None":
        """Return the message that an attachment is, None if it is none."""
        place = (*self.place, f"__substg1.0_{_DATA:04X}{_OBJECT}")
        found = _Stored(self.source, self.file, place, _INNER)
        return found if self.file.exists([*place, _PROPERTIES]) else None

    def _of_code_page(self, raw: bytes | None) -> str | None:
        if raw is None:
            return None
        page = self.number(_CODE_PAGE)
        return decoded(self.source, raw.rstrip(b"\0"), f"cp{page}" if page else None).text if raw.strip(b"\0") else ""

    def _stream(self, number: int, kind: str) -> bytes | None:
        name = [*self.place, f"__substg1.0_{number:04X}{kind}"]
        return self._read(name) if self.file.exists(name) else None

    def _fixed(self, number: int) -> bytes | None:
        """Return the value of a property that is kept in the list itself."""
        raw = self._read([*self.place, _PROPERTIES]) if self.file.exists([*self.place, _PROPERTIES]) else b""
        whole = raw[self.header : len(raw) - (len(raw) - self.header) % _ENTRY.size]
        found = (value for _, known, _, value in _ENTRY.iter_unpack(whole) if known == number)
        return next(found, None)

    def _read(self, name: list[str]) -> bytes:
        if self.file.get_size(name) > self.file.fp.seek(0, io.SEEK_END):  # its sectors would be read again and again
            raise ValueError(f"{name[-1]} is said to be larger than the file")
        with self.file.openstream(name) as stream:
            data: bytes = stream.read()
        return data


def _message(stored: _Stored, depth: int = 0) -> EmailMessage:
    """Return a message with its headers, its text, and what is attached to it."""
    message = EmailMessage(SMTPUTF8)
    sent = HeaderParser().parsestr(stored.text(_HEADERS) or "")
    for name in _KEPT:
        if value := " ".join(str(sent.get(name) or _header(stored, name) or "").split()):
            message.add_header(name, value)
    begin, end = stored.time(_BEGIN), stored.time(_END)
    when = f"When: {' to '.join(moment.isoformat() for moment in (begin, end) if moment)}\n\n" if begin else ""
    page, text = stored.data(_PAGE) or (stored.text(_PAGE) or "").encode(), stored.text(_BODY)
    message.set_content(f"{when}{text or _text_of(page, stored)}")
    for number, attachment in enumerate(islice(stored.within("__attach_version1.0_"), _MOST)):
        inner = attachment.message()
        name = attachment.text(*_FILE_NAMES, _NAME) or f"attachment {number + 1}"
        if inner is not None and depth < _DEEPEST:
            message.add_attachment(_message(inner, depth + 1))
        elif (data := attachment.data(_DATA)) is not None:
            kind, _, subtype = (attachment.text(_FILE_TYPE) or "").partition("/")
            whole = (kind, subtype) if kind.isalpha() and subtype else ("application", "octet-stream")
            message.add_attachment(data, *whole, filename=name)
    return message


def _text_of(page: bytes, stored: _Stored) -> str:
    if not page.strip():
        return ""
    code_page = stored.number(_CODE_PAGE)
    text = decoded(stored.source, page, f"cp{code_page}" if code_page else None).text
    return main_text(LexborHTMLParser(text))


def _header(stored: _Stored, name: str) -> str | None:
    """Return a header of a message that was not sent over the internet, made of its properties."""
    if name == "From":
        sender, address = stored.text(*_SENDER), stored.text(*_SENDER_ADDRESSES)
        return _address(sender, address)
    if name in _KINDS.values():
        found = (
            one for one in stored.within("__recip_version1.0_") if _KINDS.get(one.number(_RECIPIENT_KIND) or 1) == name
        )
        people = (_address(one.text(_NAME), one.text(*_ADDRESSES)) for _, one in zip(range(_MOST), found, strict=False))
        return ", ".join(filter(None, people))
    if name == "Date":
        sent = stored.time(_SENT, _RECEIVED, _CHANGED)
        return None if sent is None else format_datetime(sent)
    return stored.text(number) if (number := _NUMBERS.get(name)) is not None else None


def _address(name: str | None, address: str | None) -> str | None:
    """Return somebody as a header names one; addresses within an organisation's own server say nothing outside."""
    mail = address if address is not None and "@" in address else ""
    plain = " ".join((name or "").replace('"', "").split())
    named = f'"{plain}"' if _SPECIAL.search(plain) else plain
    return f"{named} <{mail}>" if named and mail else mail or named or None
