"""A saved mail (`.eml`, RFC 5322): its address lines, date, subject and thread, then its text with quotes marked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime
from hashlib import sha256
from itertools import takewhile
from typing import Final

from core.dates import now
from core.errors import InvalidInput
from core.regex import regex
from ingest.english.name_patterns import is_group, is_shared_address, names_shared_address
from ingest.readers.encodings import decoded, storable
from ingest.readers.fields import DOCUMENT_BYTES, line_of, memory_from
from ingest.readers.formats.mail_formats import saved_headers
from ingest.readers.formats.source import Item, Part, Source
from ingest.readers.mail.body import attached, body_of

#: "On Tuesday, Bob Li <bob@acme.com> wrote:", on one line or wrapped to two.
_WROTE: Final = regex(
    r"[ \t]*(?:On|Am|Le|El|Il|Em|Op|Den|Dnia|W dniu|Dne)\b(?=[^\n]{0,200}\d)[^\n]{4,300}?(?:\n[^\n]{0,120}?)?"
    r"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napsala?|napisała?(?:\(a\))?)\b"
    r"[^\n]{0,120}[:：][ \t\r]*(?=\n|\Z)",
    re.IGNORECASE,
)
_ORIGINAL: Final = regex(
    r"[ \t]*-{2,}[ \t]*(?:Original Message|Ursprüngliche Nachricht|Message d['’]origine|Mensaje original|"
    r"Messaggio originale|Mensagem original|Oorspronkelijk bericht|Ursprungligt meddelande|Oprindelig meddelelse|"
    r"Oryginalna wiadomość|Původní zpráva|Исходное сообщение|原始邮件|元のメッセージ)[ \t]*-{2,}[ \t\r]*(?=\n|\Z)",
    re.IGNORECASE,
)
#: The lines above a mail that Outlook quotes: who, when, and about what.
_FROM: Final = regex(r"[ \t*_]*(?:From|Von|De|Da|Van|Från|Fra|Od|От|发件人|差出人)[*_]*[ \t]?[:：]", re.IGNORECASE)
_SENT: Final = regex(
    r"[ \t*_]*(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Fecha|Inviato|Data|Verzonden|Skickat|Sendt|Wysłano|"
    r"Odesláno|Отправлено|Дата|发送时间|送信日時)[*_]*[ \t]?[:：]",
    re.IGNORECASE,
)
_SUBJECT: Final = regex(
    r"[ \t*_]*(?:Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема|主题|件名)"
    r"[*_]*[ \t]?[:：]",
    re.IGNORECASE,
)
_RULE: Final = regex(r"[ \t]*_{10,}[ \t\r]*")
_FORWARDED: Final = regex(r"\s*(?:fwd?|wg|tr|rv|enc|i|doorst|vs|vb|转发)\s*[:：]", re.IGNORECASE)
#: Most lines of the block above a mail that Outlook quotes.
_BLOCK: Final = 8


def is_forwarded(subject: str) -> bool:
    """Whether a subject says that the mail passes another one on."""
    return _FORWARDED.match(subject) is not None


def mark_quotes(text: str) -> str:
    """Return the text of a reply with `> ` before each line that it quotes without a mark; linear in the text."""
    lines = text.split("\n")
    at = 0
    for number, line in enumerate(lines):
        if (found := _quote(text, lines, number, at)) is not None:
            return "\n".join([*lines[:found], *(f"> {quoted}" if quoted.strip() else ">" for quoted in lines[found:])])
        at += len(line) + 1
    return text


def _quote(text: str, lines: list[str], number: int, at: int) -> int | None:
    """Return the number of the first line that is quoted, if the line at character `at` says that a quote begins."""
    if (wrote := _WROTE.match(text, at)) is not None:
        begin = number + wrote[0].count("\n") + 1
        first = next((line for line in lines[begin:] if line.strip()), "")
        return begin if first and not first.lstrip().startswith(">") else None
    if _ORIGINAL.match(lines[number]) is not None:
        return number
    if _FROM.match(lines[number]) is None:
        return None
    block = list(takewhile(str.strip, lines[number : number + _BLOCK]))
    if any(map(_SENT.match, block)) and any(map(_SUBJECT.match, block)):
        return number - 1 if number and _RULE.fullmatch(lines[number - 1]) else number
    return None


_ID: Final = regex(r"<([^<>\s]{1,900})>")
#: Most replies of a box whose thread is remembered, about 300 bytes each; of more the latest.
_MOST: Final = 100_000


#: The year of a date: four digits, or two behind a month.
_YEAR: Final = regex(r"\b(?:19|20)\d\d\b|[A-Za-z]{3}[ -]\d\d\b(?!:)")
#: A date and time as programs write that did not read how mails write it.
_ISO: Final = regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
#: How far the clock of a sender may be ahead.
_AHEAD: Final = timedelta(days=2)


class Threads:
    """The threads of one box, whose mails are asked about in its order."""

    def __init__(self) -> None:
        self._first: dict[bytes, str] = {}

    def thread_of(self, message: Message) -> str | None:
        """Return the `conversation_id` of a mail's thread, None if it neither has an id nor answers one."""
        own = _ids(message, "Message-ID")[:1]
        above = _ids(message, "References") or _ids(message, "In-Reply-To")
        if not (named := above or own):
            return None
        first = self._first.get(_digest(named[0]), named[0])
        if own and own[0] != first:
            self._first[_digest(own[0])] = first
            if len(self._first) > _MOST:
                del self._first[next(iter(self._first))]
        return f"mail:{first}"


def answers(message: Message) -> bool:
    """Whether a mail says that it answers another one."""
    return bool(_ids(message, "In-Reply-To") or _ids(message, "References"))


def sent_at(message: Message) -> datetime | None:
    """Return when a mail was sent, else when the last server received it; a time without zone is UTC.

    A date without a year is none, nor is one in the future.
    """
    received = [str(value).rpartition(";")[2] for value in message.get_all("Received", [])[:1]]
    for text in (*map(str, message.get_all("Date", [])[:1]), *received):
        if _YEAR.search(text) is None:
            continue
        try:
            is_iso = _ISO.match(text.strip()) is not None
            found = (datetime.fromisoformat if is_iso else parsedate_to_datetime)(text.strip())
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
        try:
            is_past = found.astimezone(UTC) <= now() + _AHEAD
        except (ValueError, OverflowError):
            continue
        if is_past:
            return found
    return None


def _ids(message: Message, name: str) -> list[str]:
    """Return the ids in the headers of this name; of one without brackets its first word."""
    text = " ".join(str(value) for value in message.get_all(name, [])).encode("ascii", "replace").decode()
    return _ID.findall(text) or text.split()[:1]


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()[:12]


#: The header lines that open the content, in this order; a mail may lack some of them.
HEADERS: Final = ("From", "To", "Cc", "Date", "Subject")
#: Most bytes of a mail: attachments travel in it, a third larger than they are.
MAIL_BYTES: Final = 2 * DOCUMENT_BYTES
#: How much of an address header is read for names, in characters: a damaged one takes time by the square of its length.
_ADDRESSES: Final = 20_000
#: Most people of a mail that are kept as participants; all of them stand in the content.
_MOST_PEOPLE: Final = 200
#: Encoded words of a header that holds other letters, too.
_ENCODED_WORDS: Final = regex(r"=\?[\w.:*-]{1,60}\?[bq]\?[^?\s]{0,1000}\?=", re.I)
#: An address behind a name.
_NAME_ALONE: Final = regex(r"[<\[](?:mailto:)?[^<>\[\]\s]{1,200}@[^<>\[\]\s]{1,200}[>\]]|(?<=\w)'$|^'(?=\w)")
#: Most words of a family name.
_FAMILY_WORDS: Final = 2
#: Most signs of a number of bytes.
_LONGEST_NUMBER: Final = 20


class _RawHeaders(Compat32):
    """Reads headers that hold letters without an encoding around them: UTF-8 (RFC 6532), else as the mail declares.

    Old programs write them in the encoding of the text.
    """

    #: The encoding of the mail's first text that declares one.
    declared: str | None = None

    def header_fetch_parse(self, name: str, value: str) -> str:
        """Return a header as text; bytes of no known encoding as Python's parser returns them."""
        raw = b"" if value.isascii() else value.encode("ascii", "surrogateescape")
        for encoding in ("utf-8", self.declared) if raw else ():
            try:
                return raw.decode(encoding or "utf-8")
            except (UnicodeError, LookupError):
                continue
        return value if not raw else str(super().header_fetch_parse(name, value))


#: The encoding that a part of a mail declares for its text.
_DECLARED: Final = regex(rb"""^Content-Type:[^\n]{0,200}?\n?[^\n]{0,200}?charset=["']?([\w.:-]{2,40})""", re.I | re.M)


def _policy(data: bytes) -> _RawHeaders:
    found = _DECLARED.search(data)
    name = found[1].decode("ascii", "replace").lower() if found else None
    encoding = "cp1252" if name in ("iso-8859-1", "us-ascii", "ascii") else name
    return _RawHeaders(declared=encoding)  # type: ignore[call-arg]  # a policy takes its attributes


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail that stands at `source`, as `where` names it in errors, in a box with these threads."""

    source: Source
    data: bytes
    where: str
    context: str | None
    threads: Threads

    def items(self, values: Mapping[str, object] | None = None, flags: Sequence[str] = ()) -> Iterator[Part]:
        """Yield the mail with `values` and flags beside its own fields, then what is attached to it.

        Nothing if it has no words and no attachments.

        Raises:
            InvalidInput: it has no headers, or does not decode.
            TooLarge: its text is over its limit.
        """
        if not self.data.strip():
            return
        try:
            message = message_from_bytes(self.data, policy=_policy(self.data))
            lines = {name: text for name in HEADERS if (text := _header(message, name))}
            body = body_of(message, self.source)
        except (MessageError, LookupError, ValueError, OverflowError, RecursionError) as error:
            reason = " ".join(str(error).split())[:100]
            raise InvalidInput(f"{self.where} does not decode as a mail ({reason}): save it as a .txt file.") from error
        if not lines or (body.text is None and not body.attachments):
            raise InvalidInput(f"{self.where} is not a mail with a text in it: save its text as a .txt file.")
        text = body.text or ""
        if not text.strip() and not body.attachments:
            return
        if answers(message) and not is_forwarded(lines.get("Subject", "")):
            text = mark_quotes(text)
        head = "\n".join(f"{name}: {value}" for name, value in lines.items())
        metadata = {"attachments": [attachment.name for attachment in body.attachments], "flags": list(flags)}
        given = {
            **self._fields(message, lines),
            **(values or {}),
            "content": f"{head}\n\n{text}" if text.strip() else head,
            "metadata": {name: value for name, value in metadata.items() if value} or None,
        }
        memory = memory_from(given, where=self.where)
        yield Item(memory, spoken=True)
        yield from attached(body.attachments, memory, self.source, self.where, self.context)

    def _fields(self, message: Message, lines: dict[str, str]) -> dict[str, object]:
        senders, people = _addressed(message, "From"), _people(message, "From", "To", "Cc")
        sent = sent_at(message)
        given: dict[str, object] = {
            "title": line_of(lines.get("Subject")),
            "author": next((name or address for name, address in senders), None),
            "participants": people[:_MOST_PEOPLE],
            "date": None if sent is None else sent.isoformat(),
            "source_id": line_of(_header(message, "Message-ID")),
            "conversation_id": self.threads.thread_of(message),
            "turn_index": 0 if sent is None else max(0, int(sent.timestamp() * 1_000)),
        }
        fixed = {"source": "file", "context": self.context or "email"}
        return fixed | {name: value for name, value in given.items() if value not in (None, [])}


def read_message(source: Source, context: str | None) -> Iterator[Part]:
    """Yield the mail as one memory of context "email" unless told otherwise, then what is attached to it.

    Raises:
        InvalidInput: there is no text in it, or something does not decode as the mail says.
    """
    where = source.where
    data = source.content(MAIL_BYTES)
    if source.suffix in {".txt", ".text"} and (saved := saved_headers(decoded(source, data).text)):
        yield from _saved(source, *saved, context)
        return
    mail = Mail(source, _of_apple(data) if source.suffix == ".emlx" else data, repr(where), context, Threads())
    for part in mail.items({"file_path": where, "key": where}):
        yield part if not isinstance(part, Item) or part.memory.title else _titled(part, source.path.stem)


def _saved(source: Source, headers: Mapping[str, str], begin: int, context: str | None) -> Iterator[Part]:
    """Yield a mail that Outlook saved as text: its day and hour are words, its people names."""
    text = decoded(source, source.content(MAIL_BYTES)).text
    lines = [f"{name}: {headers[name]}" for name in HEADERS if headers.get(name)]
    addressed = ";".join(headers.get(name, "") for name in ("From", "To", "Cc")).split(";")
    people = [_NAME_ALONE.sub("", one).strip() for one in addressed]
    names = [one for one in dict.fromkeys(people) if one and not is_group(one)]
    values = {
        "content": "\n".join([*lines, "", text[begin:].strip("\r\n")]),
        "title": line_of(headers["Subject"]) or source.path.stem,
        "author": line_of(people[0]),
        "participants": names[:_MOST_PEOPLE],
        "context": context or "email",
    }
    values |= {"source": "file", "file_path": source.where, "key": source.where}
    yield Item(memory_from(values, where=repr(source.where)), spoken=True)


def _of_apple(data: bytes) -> bytes:
    """Return the mail in a file of Apple Mail: its length stands before it, and properties behind it."""
    length, _, rest = data.partition(b"\n")
    return rest[: int(length)] if length.strip().isdigit() and len(length) < _LONGEST_NUMBER else data


def _titled(item: Item, name: str) -> Item:
    return replace(item, memory=replace(item.memory, title=name))


def _header(message: Message, name: str) -> str:
    """Return all headers of this name on one line, decoded; empty if there is none."""
    return ", ".join(_decoded(value) for value in message.get_all(name, []))


def _decoded(value: object) -> str:
    """Return a header as it reads; what does not decode as it was sent."""
    raw = str(value)
    text = _decoded_words(raw) if raw.isascii() else _ENCODED_WORDS.sub(lambda found: _decoded_words(found[0]), raw)
    return " ".join(storable(text).split())


def _decoded_words(raw: str) -> str:
    try:
        return str(make_header(decode_header(raw)))
    except (MessageError, LookupError, ValueError):
        return raw


def _people(message: Message, *headers: str) -> list[str]:
    """Return each person in address headers by name, or by address who gives no name; no lists and roles."""
    named = [one for header in headers for one in _addressed(message, header) if not _is_nobody(*one)]
    return list(dict.fromkeys(name or address for name, address in named))


def _addressed(message: Message, name: str) -> list[tuple[str, str]]:
    """Return the entries of an address header: a name, which may be empty, and an address."""
    given = ", ".join(map(str, message.get_all(name, [])))
    whole = given if len(given) <= _ADDRESSES else given[:_ADDRESSES].rpartition(",")[0]
    try:
        pairs = getaddresses([whole])
    except RecursionError:  # thousands of open brackets
        return []
    entries = [(line_of(_decoded(name)) or "", line_of(_decoded(address)) or "") for name, address in pairs]
    return list(_with_whole_names([entry for entry in entries if any(entry)]))


def _with_whole_names(entries: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the entries; a family name that an unquoted comma cut off is joined with what follows it."""
    family = ""
    for name, address in entries:
        is_family = not name and "@" not in address and address[:1].isupper() and len(address.split()) <= _FAMILY_WORDS
        if family and name and "@" in address:
            yield f"{family}, {name}", address
        else:
            yield from [("", family)] if family else []
            yield from [] if is_family else [(name, address)]
        family = address if is_family else ""
    yield from [("", family)] if family else []


def _is_nobody(name: str, address: str) -> bool:
    """Whether a recipient is a role, a room, a mailing list or a program."""
    box, _, domain = address.rpartition("@")
    if name:
        return is_group(name) or names_shared_address(name, box, domain)
    return bool(box) and is_shared_address(box, domain)
